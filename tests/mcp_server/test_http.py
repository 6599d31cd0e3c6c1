"""The endpoint behind a real socket, with the official client and with bare requests."""

from typing import Any

import anyio
import httpx
import pytest
from mcp.client import Client

from kb.mcp_server import http as endpoint
from kb.settings import Settings
from tests.mcp_server.conftest import with_client

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}
OLD = {"MCP-Protocol-Version": "2025-11-25"}


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_official_client_works_in_both_eras(address: str, mode: str) -> None:
    async def job(client: Client) -> tuple[int, Any]:
        tools = await client.list_tools()
        answer = await client.call_tool("search_incidents", {"symptoms": "pods stuck in Pending"})
        return len(tools.tools), answer.structured_content

    count, content = with_client(f"{address}/mcp", mode, job)

    assert count == 8
    assert content["verdict"] in ("strong", "weak", "none")


def test_no_redirect_no_session_and_plain_json(address: str) -> None:
    answer = httpx.post(f"{address}/mcp", json=LIST, headers={**ACCEPT, **OLD})

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert "mcp-session-id" not in answer.headers
    assert len(answer.json()["result"]["tools"]) == 8


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_answered(address: str, method: str) -> None:
    answer = httpx.request(method, f"{address}/mcp", headers=ACCEPT)

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_foreign_host_is_misdirected(address: str) -> None:
    answer = httpx.post(f"{address}/mcp", json=LIST, headers={**ACCEPT, **OLD, "Host": "evil.example"})

    assert answer.status_code == 421


def test_a_foreign_origin_is_refused_and_an_own_one_is_not(address: str) -> None:
    foreign = httpx.post(f"{address}/mcp", json=LIST, headers={**ACCEPT, **OLD, "Origin": "https://evil.example"})
    own = httpx.post(f"{address}/mcp", json=LIST, headers={**ACCEPT, **OLD, "Origin": address})

    assert (foreign.status_code, own.status_code) == (403, 200)


def test_a_body_over_the_limit_is_refused(address: str) -> None:
    padded = {**LIST, "params": {"_meta": {"padding": "x" * 1_000_001}}}

    assert httpx.post(f"{address}/mcp", json=padded, headers={**ACCEPT, **OLD}).status_code == 413


def test_settings_decide_which_hosts_and_origins_are_answered() -> None:
    named = endpoint.security(
        Settings(allowed_hosts="a.example", allowed_origins="https://b.example", base_url="https://c.example")
    )
    anybody = endpoint.security(Settings(allowed_hosts="*"))

    assert {"a.example", "a.example:*", "c.example"} <= set(named.allowed_hosts)
    assert {"https://b.example", "https://a.example", "https://c.example"} <= set(named.allowed_origins)
    assert not anybody.enable_dns_rebinding_protection


def test_many_clients_at_once_get_their_own_answers(address: str) -> None:
    answers: dict[str, str] = {}

    async def one(case_id: str) -> None:
        async with Client(f"{address}/mcp") as client:
            result = await client.call_tool("get_incident", {"id": case_id})
            answers[case_id] = result.structured_content["id"]

    async def main() -> None:
        ids = [case["id"] for case in httpx.get(f"{address}/api/v1/incidents?limit=12").json()["cases"]]
        async with anyio.create_task_group() as group:
            for case_id in ids:
                group.start_soon(one, case_id)

    anyio.run(main)

    assert len(answers) == 12
    assert all(asked == got for asked, got in answers.items())


def test_discovery_may_be_cached_by_anybody(address: str) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    question = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}
    headers = {**ACCEPT, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"}

    result = httpx.post(f"{address}/mcp", json=question, headers=headers).json()["result"]

    assert result["cacheScope"] == "public"
    assert result["ttlMs"] > 0
    assert "2026-07-28" in result["supportedVersions"]
    assert set(result["capabilities"]) >= {"tools", "resources", "prompts", "completions"}
