"""Validators, codings, HEAD: one answer in its forms."""

import gzip

import pytest
from starlette.testclient import TestClient

from kb.api.representation import accepts_gzip
from kb.library import Library

ADDRESSES = [
    "/api/v1/search?symptoms=pods+pending",
    "/api/v1/incidents",
    "/api/v1/vocab?query=certificate",
    "/api/v1/checks",
    "/api/v1/status",
    "/api/v1/schemas/case.json",
    "/openapi.json",
    "/llms.txt",
]
PLAIN = {"Accept-Encoding": "identity"}


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_same_question_gets_the_same_bytes_and_then_304(client: TestClient, address: str) -> None:
    first = client.get(address, headers=PLAIN)
    second = client.get(address, headers=PLAIN)
    again = client.get(address, headers={**PLAIN, "If-None-Match": first.headers["etag"]})

    assert first.status_code == 200
    assert first.content == second.content
    assert first.headers["etag"] == second.headers["etag"]
    assert first.headers["etag"].startswith('"')
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == first.headers["cache-control"]
    assert "must-revalidate" in first.headers["cache-control"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_head_is_get_without_the_body(client: TestClient, address: str) -> None:
    whole = client.get(address, headers=PLAIN)
    head = client.head(address, headers=PLAIN)

    assert (head.status_code, head.content) == (200, b"")
    told = [{name: value for name, value in answer.headers.items() if name != "ratelimit"} for answer in (head, whole)]
    assert told[0] == told[1]


def test_gzip_has_its_own_validator_and_the_same_content(client: TestClient) -> None:
    plain = client.get("/openapi.json", headers=PLAIN)
    with client.stream("GET", "/openapi.json", headers={"Accept-Encoding": "gzip"}) as packed:
        raw = b"".join(packed.iter_raw())

    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["content-length"] == str(len(raw))
    assert gzip.decompress(raw) == plain.content
    assert packed.headers["etag"] != plain.headers["etag"]
    assert "Accept-Encoding" in packed.headers["vary"]
    assert "Accept-Encoding" in plain.headers["vary"]


def test_a_validator_of_the_other_coding_does_not_match(client: TestClient) -> None:
    plain = client.get("/openapi.json", headers=PLAIN).headers["etag"]

    packed = client.get("/openapi.json", headers={"Accept-Encoding": "gzip", "If-None-Match": plain})

    assert packed.status_code == 200
    tags = f'"other", {packed.headers["etag"]}'
    assert client.get("/openapi.json", headers={"Accept-Encoding": "gzip", "If-None-Match": tags}).status_code == 304
    assert client.get("/openapi.json", headers={"If-None-Match": "*"}).status_code == 304


def test_a_short_answer_is_not_compressed(client: TestClient) -> None:
    answer = client.get("/healthz", headers={"Accept-Encoding": "gzip"})

    assert "content-encoding" not in answer.headers


def test_answers_carry_the_build_they_come_from(client: TestClient, library: Library) -> None:
    answer = client.get("/api/v1/status")

    assert answer.headers["x-data-version"] == library.data_version
    assert answer.headers["x-data-version"] == answer.json()["data_version"]
    assert answer.headers["x-schema-version"] == answer.json()["schema_version"]
    assert answer.headers["last-modified"].endswith("00:00:00 GMT")


def test_a_posted_question_is_not_cached(client: TestClient) -> None:
    answer = client.post("/api/v1/search", json={"symptoms": "pods pending"})

    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("*;q=0", False),
        ("gzip;q=nonsense", False),
        ("br", False),
        ("", False),
    ],
)
def test_accept_encoding_is_read_as_written(header: str, accepted: bool) -> None:
    assert accepts_gzip(header) is accepted
