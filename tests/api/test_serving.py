"""What only a socket shows: requests that are no HTTP, clients that leave, and pages that meet too much text."""

import logging
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from kb.library import Library
from kb.settings import Settings
from tests.serving import served

SEARCH = "/api/v1/search?symptoms="


@pytest.fixture(scope="module")
def here(settings: Settings, library: Library) -> Iterator[str]:
    with served(settings.model_copy(update={"vectors": False})) as address:
        yield address


def send(here: str, request: bytes) -> bytes:
    """The whole answer to these bytes."""
    host, port = urlsplit(here).netloc.split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65_536):
            answer += chunk
    return answer


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        (f"GET {SEARCH}학습이 HTTP/1.1".encode(), 400, "Percent-encode it"),
        (f"GET {SEARCH}pods pending HTTP/1.1".encode(), 400, "POST the text as JSON"),
        (b"GET / HTTP/1.1\r\nX-Long: " + b"a" * 100_000, 431, "at most 64 kB"),
        (b"GET / HTTP/1.1\r\nno colon here", 400, "not a valid HTTP/1.1 request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b", 400, "not a valid HTTP/1.1 request"),
    ],
)
def test_what_cannot_be_parsed_gets_a_problem_document(here: str, line: bytes, status: int, said: str) -> None:
    host = b"" if b"Host:" in line else b"\r\nHost: x"

    # The long one is not ended: what is refused unread may be lost with the connection.
    answer = send(here, line + host + (b"" if status == 431 else b"\r\n\r\n"))

    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"content-type: application/problem+json" in head
    problem = httpx.Response(status, content=body).json()
    assert problem["status"] == status
    assert said in problem["detail"]


def test_a_client_that_leaves_is_no_error_of_ours(here: str, caplog: pytest.LogCaptureFixture) -> None:
    host, port = urlsplit(here).netloc.split(":")
    head = b"POST /api/v1/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
    with caplog.at_level(logging.INFO):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(head + b'{"symptoms": ')
        left = ""
        while "499" not in left:
            httpx.get(f"{here}/healthz", timeout=30)
            left = "\n".join(
                r.getMessage() for r in caplog.records if r.name == "kb.access" and "search" in r.getMessage()
            )

    assert "POST /api/v1/search 499" in left
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "more text than can be taken"), ("ko", "한 번에 받을 수 있는 양을 넘었습니다")]
)
def test_too_much_text_for_a_page_says_so_in_its_title(here: str, lang: str, said: str) -> None:
    answer = httpx.post(f"{here}/{lang}/", data={"symptoms": "a" * 1_100_000}, timeout=60)

    assert answer.status_code == 413
    assert said in answer.text.partition("</title>")[0]


@pytest.mark.parametrize(
    "path", ["/en/", "/en/about", "/ko/checks", "/en/holes", "/en/symptoms/job-hang", "/en/incidents/IL-0477"]
)
def test_marks_of_mailers_and_networks_are_ignored_by_pages(here: str, path: str) -> None:
    plain = httpx.get(here + path, timeout=60)
    marked = httpx.get(f"{here}{path}?utm_source=mail&fbclid=x&gclid=y", timeout=60)

    assert (plain.status_code, marked.status_code) == (200, 200)
    assert "utm_source" not in marked.text
    assert httpx.get(f"{here}/api/v1/status?utm_source=mail").status_code == 422
