"""The frame: languages, screens, headers, static files, and errors as pages."""

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from kb.errors import BadCursor, KbError, NoBuild, NotFound, UnknownValue
from kb.model import Lang
from kb.web import static
from kb.web.errors import error_page
from kb.web.render import CONTENT_SECURITY_POLICY
from tests.web.conftest import visible

HTML = ("/en/", "/ko/incidents/IL-0477", "/en/checks", "/en/components/gpus", "/ko/?nothing=1")


@pytest.fixture(autouse=True)
def _no_cookies(client: TestClient) -> None:
    client.cookies.clear()


@pytest.mark.parametrize(
    ("header", "cookie", "lang"),
    [
        ("ko-KR,ko;q=0.9,en;q=0.8", None, "ko"),
        ("en-US,en;q=0.9,ko;q=0.8", None, "en"),
        ("fr,ko;q=0.5,en;q=0.4", None, "ko"),
        ("de", None, "en"),
        ("ko;q=nonsense", None, "en"),
        ("", None, "en"),
        ("en", "ko", "ko"),
        ("ko", "xx", "ko"),
    ],
)
def test_the_front_door_leads_to_the_readers_language(
    client: TestClient, header: str, cookie: str | None, lang: str
) -> None:
    headers = {"Accept-Language": header} | ({"Cookie": f"lang={cookie}"} if cookie else {})
    answer = client.get("/?component=gpu", headers=headers)

    assert (answer.status_code, answer.headers["location"]) == (307, f"/{lang}/?component=gpu")
    assert answer.headers["vary"] == "Accept-Language, Cookie"


def test_a_language_that_was_chosen_is_remembered(client: TestClient) -> None:
    assert "lang=ko" in client.get("/ko/", headers={"Accept-Language": "en"}).headers["set-cookie"]
    assert "set-cookie" not in client.get("/ko/", headers={"Accept-Language": "ko"}).headers


@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_screen_that_was_chosen_stands_on_the_root_element(client: TestClient, name: str) -> None:
    answer = client.get(f"/en/theme/{name}", headers={"Referer": "http://testserver/en/checks?kind=logs"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/en/checks?kind=logs")
    assert f"theme={name}" in answer.headers["set-cookie"]
    assert f'<html lang="en" data-theme="{name}">' in client.get("/en/", headers={"Cookie": f"theme={name}"}).text


def test_the_screen_follows_the_device_again(client: TestClient) -> None:
    assert 'theme="";' in client.get("/en/theme/device").headers["set-cookie"]
    assert "data-theme" not in client.get("/en/").text
    assert "data-theme" not in client.get("/en/", headers={"Cookie": 'theme="><script>'}).text


@pytest.mark.parametrize(
    "referer",
    [
        "https://elsewhere.example/en/",
        "//elsewhere.example/en/",
        "http://testserver//elsewhere.example/",
        "http://testserver/api/v1",
        "",
    ],
)
def test_the_way_back_never_leads_to_another_host(client: TestClient, referer: str) -> None:
    assert client.get("/ko/theme/dark", headers={"Referer": referer}).headers["location"] == "/ko/"


def test_a_screen_that_does_not_exist_is_not_found(client: TestClient) -> None:
    assert client.get("/en/theme/sepia").status_code == 404


@pytest.mark.parametrize("address", HTML)
def test_every_page_carries_the_headers_of_a_page(client: TestClient, address: str) -> None:
    headers = client.get(address).headers

    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert headers["referrer-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-language"] == address[1:3]
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert "unsafe" not in headers["content-security-policy"]


def test_a_page_that_did_not_change_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/en/incidents/IL-0477")
    again = client.get("/en/incidents/IL-0477", headers={"If-None-Match": first.headers["etag"]})
    other = client.get("/ko/incidents/IL-0477", headers={"If-None-Match": first.headers["etag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert other.status_code == 200


def test_head_answers_like_get_without_a_body(client: TestClient) -> None:
    answer = client.head("/en/")

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["etag"] == client.get("/en/").headers["etag"]


@pytest.mark.parametrize("name", ["style.css", "site.js", "favicon.svg"])
def test_static_files_are_kept_for_ever_under_the_address_of_their_content(client: TestClient, name: str) -> None:
    answer = client.get(static.address(name))

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "immutable" not in client.get(f"/static/{name}").headers["cache-control"]
    assert client.get(f"/static/{name}", headers={"If-None-Match": answer.headers["etag"]}).status_code == 304


def test_static_files_are_only_those_of_the_folder(client: TestClient) -> None:
    for name in ("base.html", "..%2fbase.html", "nothing.css", "%2e%2e/words/en.toml"):
        assert client.get(f"/static/{name}").status_code == 404


def test_the_icon_stands_where_browsers_look(client: TestClient) -> None:
    assert client.get("/favicon.svg").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    ("address", "status", "leads_to"),
    [
        ("/en/components/gpus", 404, "/en/components/gpu"),
        ("/ko/checks/gpu/xid_fatal", 404, "/ko/checks/gpu/xid_fatal_counted"),
        ("/en/incidents/IL-9999", 404, "/en/"),
        ("/ko/incidents/nonsense", 404, "/ko/"),
        ("/en/?component=gpus&domain=ai-infra", 422, "/en/?component=gpu&amp;domain=ai-infra"),
        ("/en/?cursor=abc&org=tencent", 422, "/en/?org=tencent"),
        ("/en/?sort=best", 422, "/en/"),
        ("/en/api?x=1", 422, "/en/"),
    ],
)
def test_an_error_is_a_page_that_leads_on(client: TestClient, address: str, status: int, leads_to: str) -> None:
    answer = client.get(address)

    assert answer.status_code == status
    assert f'href="{leads_to}"' in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert str(status) in visible(answer.text)


def test_an_error_is_headed_in_the_readers_language(client: TestClient) -> None:
    assert "라이브러리에 없습니다." in visible(client.get("/ko/components/gpus").text)
    assert '<p class="lead" lang="en">' in client.get("/ko/components/gpus").text


def _request(path: str, accept: str = "") -> Request:
    headers = [(b"host", b"testserver"), (b"accept-language", accept.encode())]
    return Request(
        {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers,
         "scheme": "http", "server": ("testserver", 80)}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound("There is no page here."), 404),
        (UnknownValue("`x` is not a value.", nearest=("y",), allowed=("y", "z")), 422),
        (BadCursor("cut"), 422),
        (NoBuild("Nothing has been built yet."), 503),
        (KbError("/secret/path failed"), 500),
    ],
)
def test_any_error_of_the_tree_becomes_a_page(error: KbError, status: int) -> None:
    answer = error_page(_request("/ko/x"), error)
    text = bytes(answer.body).decode()

    assert answer.status_code == status
    assert '<html lang="ko">' in text
    assert "/secret/path" not in text
    assert "<h1>" in text


def test_an_error_outside_the_two_languages_speaks_the_negotiated_one() -> None:
    assert '<html lang="ko">' in bytes(error_page(_request("/x", "ko"), NotFound("x")).body).decode()
    assert '<html lang="en">' in bytes(error_page(_request("/", "fr"), NotFound("x")).body).decode()


def test_hostile_words_in_an_error_stay_words(client: TestClient) -> None:
    for lang in Lang:
        text = client.get(f"/{lang}/components/%3Cscript%3Ealert(1)").text
        assert "<script>alert" not in text
