"""Health, metrics, llms.txt, CORS and the access log."""

import logging
import re

import pytest
from starlette.testclient import TestClient

from kb.library import Library

ORIGIN = {"Origin": "https://elsewhere.example"}


def test_ready_names_the_data_it_serves(client: TestClient, library: Library) -> None:
    assert client.get("/readyz").json() == {"status": "ready", "data_version": library.data_version}
    assert client.get("/readyz").headers["cache-control"] == "no-store"


def test_metrics_count_by_route_and_not_by_address(client: TestClient, library: Library, case_id: str) -> None:
    client.get(f"/api/v1/incidents/{case_id}")
    client.head("/api/v1/incidents/IL-99999")
    client.get("/no/such/place")

    text = client.get("/metrics").text

    assert f'data_version="{library.data_version}"' in text
    route = 'route="/api/v1/incidents/{id}"'
    assert re.search(rf'kb_http_requests_total\{{method="GET",{re.escape(route)},status="200"\}} [1-9]', text)
    assert re.search(rf'kb_http_requests_total\{{method="HEAD",{re.escape(route)},status="404"\}} [1-9]', text)
    assert 'route="(none)",status="404"' in text
    assert case_id not in text
    assert all(re.fullmatch(r"#.*|[a-z_]+(\{[^}]*(\{[a-z]+\}[^}]*)*\})? \S+", line) for line in text.splitlines())


def test_every_address_in_llms_txt_answers(client: TestClient) -> None:
    text = client.get("/llms.txt").text

    assert text.startswith("# Incident Library\n\n> ")
    assert "/mcp/search-fetch" in text
    addresses = re.findall(r"\]\((/[^)]*)\)", text)
    assert len(addresses) >= 8
    for address in addresses:
        assert client.get(address).status_code == 200, address


def test_any_page_may_read(client: TestClient) -> None:
    answer = client.get("/api/v1/status")
    preflight = client.options("/api/v1/search", headers={**ORIGIN, "Access-Control-Request-Method": "POST"})

    assert answer.headers["access-control-allow-origin"] == "*"
    assert client.get("/api/v1/status", headers=ORIGIN).headers["access-control-allow-origin"] == "*"
    assert {"ETag", "RateLimit", "Retry-After"} <= set(answer.headers["access-control-expose-headers"].split(", "))
    assert "ETag" in answer.headers["access-control-expose-headers"]
    assert "access-control-allow-credentials" not in answer.headers
    assert (preflight.status_code, preflight.headers["access-control-allow-methods"]) == (204, "GET, HEAD, POST")


def test_an_error_may_be_read_by_any_page_too(client: TestClient) -> None:
    assert client.get("/no/such/place", headers=ORIGIN).headers["access-control-allow-origin"] == "*"


def test_no_page_may_call_the_mcp_endpoint_unless_it_is_named(client: TestClient) -> None:
    asked = client.options("/mcp", headers={**ORIGIN, "Access-Control-Request-Method": "POST"})

    assert "access-control-allow-origin" not in asked.headers
    assert "Origin" in asked.headers["vary"]


def test_the_access_log_has_no_query(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="kb.access"):
        client.get("/api/v1/search?symptoms=host-17.internal+is+down")
        client.get("/no/such%0Aplace")

    lines = [record.getMessage() for record in caplog.records if record.name == "kb.access"]
    assert re.fullmatch(r"GET /api/v1/search 200 \d+ ms", lines[0])
    assert re.fullmatch(r"GET /no/such%0Aplace 404 \d+ ms", lines[1])
    assert "host-17" not in caplog.text
