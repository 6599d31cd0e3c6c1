"""Programs that others wrote to judge MCP servers, on the whole application behind a real socket and over pipes."""

import json
import os
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from tdqs import lint_server, parse_tool_definitions

from kb import yaml_text
from kb.library import Library
from kb.mcp_server import http, search_fetch
from kb.mcp_server.tools import TOOLS
from kb.settings import Settings
from tests.mcp_server.conftest import with_client
from tests.tools import node

HERE = Path(__file__).resolve().parent
REVISIONS = ("2025-11-25", "2026-07-28")
#: One call of each tool.
CALLS: list[tuple[str, dict[str, str]]] = [
    ("search_incidents", {"symptoms": "학습이 멈췄는데 로그가 없다", "lang": "ko"}),
    ("get_incident", {"id": "IL-0477"}),
    ("list_incidents", {"domain": "ai-infra", "limit": "3"}),
    ("get_topic", {"kind": "root_causes", "slug": "certificate-expiry"}),
    ("vocab", {"query": "certificate"}),
    ("list_checks", {"kind": "prometheus"}),
    ("get_check", {"id": "gpu/xid_fatal_counted"}),
    ("match_evidence", {"text": "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."}),
]
Failing = dict[str, set[str]]


@pytest.fixture(scope="session")
def modules() -> Path:
    return node.modules(HERE / "package.json")


@pytest.fixture(scope="session")
def pipes(settings: Settings, library: Library) -> dict[str, Any]:
    """How an assistant starts the server, with the library of the tests."""
    environment = {**os.environ, "KB_CACHE": str(settings.cache), "KB_DATA": settings.data}
    return {"command": sys.executable, "args": ["-m", "kb", "mcp"], "env": environment}


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_conformance_suite_fails_only_where_that_is_meant(
    modules: Path, address: str, tmp_path: Path, revision: str
) -> None:
    suite = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    node.run(
        str(suite), "server", "--url", f"{address}{http.PATH}", "--requirements", revision, "-o", ".", folder=tmp_path
    )

    passed, failing = outcome(tmp_path)

    assert failing == expected(revision)
    assert passed > 30


def outcome(folder: Path) -> tuple[int, Failing]:
    """How many checks passed, and those that did not, by scenario."""
    passed, failing = 0, defaultdict(set)
    for file in folder.glob("*/checks.json"):
        scenario = re.sub(r"-20\d\d-\d\d-\d\dT.*$", "", file.parent.name).removeprefix("server-")
        for check in json.loads(file.read_text(encoding="utf-8")):
            passed += check["status"] == "SUCCESS"
            if check["status"] in ("FAILURE", "WARNING"):
                failing[scenario].add(check["id"])
    return passed, dict(failing)


def expected(revision: str) -> Failing:
    groups = yaml_text.read(HERE / "conformance.yaml").data[revision]
    assert all(len(group["why"]) > 20 for group in groups)
    return {scenario: set(checks) for group in groups for scenario, checks in group["checks"].items()}


@pytest.mark.parametrize("path", [http.PATH, search_fetch.PATH])
def test_the_linter_of_tool_definitions_has_nothing_to_say(address: str, path: str) -> None:
    async def job(client: Client) -> Any:
        return (await client.list_tools()).model_dump(mode="json", by_alias=True, exclude_none=True)

    report = lint_server(server_name="x", tools=parse_tool_definitions(with_client(address + path, "auto", job)).tools)

    assert report.tools
    assert not [finding for tool in report.tools for finding in tool.findings]
    assert not report.findings


@pytest.mark.parametrize(("over", "mode"), [("http", "auto"), ("http", "legacy"), ("stdio", "auto")])
def test_the_typescript_client_lists_and_calls_every_tool(
    modules: Path, address: str, pipes: dict[str, Any], tmp_path: Path, over: str, mode: str
) -> None:
    target = {"url": address + http.PATH} if over == "http" else pipes
    given = [json.dumps(part) for part in (target, mode, CALLS)]
    done = node.run(str(HERE / "client.mjs"), str(modules), *given, folder=tmp_path)

    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert told["tools"] == [spec.name for spec in TOOLS] == [name for name, _ in CALLS]
    for (name, _), answer in zip(CALLS, told["answers"], strict=True):
        assert not answer.get("isError"), (name, answer)
        assert answer["structuredContent"]["data_version"]


def inspect(modules: Path, folder: Path, server: dict[str, Any], *arguments: str) -> Any:
    """What the Inspector prints in command-line mode."""
    (folder / "servers.json").write_text(json.dumps({"mcpServers": {"it": server}}), encoding="utf-8")
    package = modules / "@modelcontextprotocol" / "inspector"
    program = package / json.loads((package / "package.json").read_text(encoding="utf-8"))["bin"]["mcp-inspector"]
    common = ("--cli", "--config", "servers.json", "--server", "it", "--method")
    done = node.run(str(program), *common, *arguments, folder=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_the_inspector_finds_no_fault_in_the_schemas(modules: Path, address: str, tmp_path: Path) -> None:
    server = {"type": "streamable-http", "url": address + http.PATH}

    tools = inspect(modules, tmp_path, server, "tools/list", "--strict")["tools"]

    assert [tool["name"] for tool in tools] == [spec.name for spec in TOOLS]


@pytest.mark.parametrize("over", ["http", "stdio"])
def test_the_inspector_calls(modules: Path, address: str, pipes: dict[str, Any], tmp_path: Path, over: str) -> None:
    server = {"type": "streamable-http", "url": address + http.PATH} if over == "http" else {"type": "stdio", **pipes}

    answer = inspect(modules, tmp_path, server, "tools/call", "--tool-name", "get_incident", "--tool-arg", "id=IL-0477")

    assert answer["structuredContent"]["id"] == "IL-0477"
