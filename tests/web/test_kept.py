"""Pages that are kept: the same for everybody whom they suit, never with somebody's words, and never too many."""

import pytest
from starlette.testclient import TestClient

from kb.library import Library
from kb.web import kept, pages
from kb.web.kept import Kept, KeptPages


@pytest.mark.parametrize(
    "path", ["/en/", "/ko/?domain=ai-infra", "/en/checks", "/ko/holes", "/en/incidents/IL-0477.md"]
)
def test_a_page_asked_for_again_is_the_same_and_is_not_made_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    first = client.get(path)

    def made_again(*_: object, **__: object) -> None:
        raise AssertionError("made again")

    for name in ("respond", "find", "case_markdown"):
        monkeypatch.setattr(pages, name, made_again)
    again = client.get(path)

    assert (again.status_code, again.text) == (200, first.text)
    for name in ("content-type", "etag", "content-language", "content-security-policy", "cache-control"):
        assert again.headers[name] == first.headers[name]
    assert client.get(path, headers={"If-None-Match": first.headers["etag"]}).status_code == 304


def test_screen_and_host_have_pages_of_their_own(client: TestClient) -> None:
    plain = client.get("/en/about").text
    dark = client.get("/en/about", headers={"Cookie": "theme=dark"}).text
    elsewhere = client.get("/en/about", headers={"Host": "localhost"}).text

    assert 'data-theme="dark"' in dark
    assert "data-theme" not in plain
    assert 'href="http://localhost/en/about"' in elsewhere
    assert "http://localhost/" not in plain


def test_the_language_is_remembered_with_a_kept_page_too(client: TestClient) -> None:
    for _ in range(2):
        client.cookies.clear()
        assert "lang=ko" in client.get("/ko/about", headers={"Accept-Language": "en"}).headers["set-cookie"]
        client.cookies.clear()
        assert "set-cookie" not in client.get("/ko/about", headers={"Accept-Language": "ko"}).headers


@pytest.mark.parametrize("name", ["symptoms", "q", "query"])
def test_a_page_with_somebodys_words_is_not_kept(client: TestClient, library: Library, name: str) -> None:
    client.get(f"/en/?{name}=words+of+my+own")

    assert "words" not in str(list(library.part(KeptPages)._pages))


def test_errors_and_redirects_are_not_kept(client: TestClient, library: Library) -> None:
    for path in ("/en/incidents/IL-9999", "/en/incidents/il-0477", "/en/theme/dark", "/en/?org=nobody-of-this-name"):
        assert client.get(path).status_code != 200

    keys = str(list(library.part(KeptPages)._pages))
    assert not any(word in keys for word in ("9999", "il-0477", "theme/dark", "nobody"))


def test_the_pages_that_were_asked_for_last_stay_within_their_room(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "ROOM", 30)
    monkeypatch.setattr(kept, "LARGEST", 12)
    shelf = KeptPages(library)
    for key in "abc":
        shelf.put(key, Kept(b"0123456789", "text/html"))
    shelf.get("a")

    shelf.put("d", Kept(b"0123456789", "text/html"))
    shelf.put("large", Kept(b"0123456789abcdef", "text/html"))
    shelf.put("d", Kept(b"98765", "text/html"))

    assert [key for key in "abcd" if shelf.get(key)] == ["a", "c", "d"]
    assert shelf.get("large") is None
    assert shelf._size == 25
