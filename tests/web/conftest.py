"""The website alone, over a library that is built."""

import re
from collections.abc import Callable, Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from kb.library import Library
from kb.live import LiveLibrary
from kb.settings import Settings
from kb.web.pages import routes

Get = Callable[..., str]


@pytest.fixture(scope="session")
def client(live: LiveLibrary, library: Library, settings: Settings) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=routes(live, settings)), follow_redirects=False) as client:
        yield client


@pytest.fixture
def get(client: TestClient) -> Get:
    """The text of a page that must be there."""

    def page(address: str, **headers: str) -> str:
        client.cookies.clear()
        answer = client.get(address, headers=headers)
        assert answer.status_code == 200, f"{address}: {answer.status_code}"
        return answer.text

    return page


def visible(html: str) -> str:
    """The words of a page, without tags, on one line."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", html.split("<body>", 1)[-1], flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())
