"""The whole application over the repository's own data, asked in-process."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from kb.app import create_app
from kb.library import Library
from kb.settings import Settings

Ask = Callable[..., Any]


@pytest.fixture(scope="session")
def app(settings: Settings, library: Library) -> FastAPI:
    """`library` stands in the arguments so that the build exists."""
    return create_app(settings)


@pytest.fixture(scope="session")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False, follow_redirects=False) as opened:
        yield opened


@pytest.fixture(scope="session")
def get(client: TestClient) -> Ask:
    """The JSON of a path that must answer 200."""

    def fetch(path: str, **params: object) -> Any:
        answer = client.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return fetch


@pytest.fixture(scope="session")
def case_id(library: Library) -> str:
    return library.complete("id", "IL-")[0]
