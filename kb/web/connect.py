"""How to connect each client, and the operations with an example each: what the API page prints.

The examples are data, so that a test can run every request that they show.
"""

from dataclasses import dataclass

from kb.links import API, MCP, MCP_SEARCH_FETCH
from kb.model import Lang

SYMPTOMS = "step time tripled but nothing failed"
KOREAN_SYMPTOMS = "스텝 시간이 세 배로 늘었는데 에러는 없다"


@dataclass(frozen=True)
class Client:
    """One client: its name, which file or shell the text belongs into, and the text."""

    name: str
    where: str
    text: str


@dataclass(frozen=True)
class Operation:
    """One operation on the three faces; `path` answers a GET, `tool` is the name in MCP."""

    tool: str
    path: str
    shell: str


def clients(base_url: str) -> tuple[Client, ...]:
    """The ways in, with this server's own address."""
    mcp = f"{base_url}{MCP}"
    return (
        Client("Claude Code", "shell", f"claude mcp add --transport http incident-library {mcp}"),
        Client("Codex", "~/.codex/config.toml", f'[mcp_servers.incident-library]\nurl = "{mcp}"'),
        Client(
            "Cursor",
            ".cursor/mcp.json",
            f'{{\n  "mcpServers": {{\n    "incident-library": {{ "url": "{mcp}" }}\n  }}\n}}',
        ),
        Client(
            "VS Code",
            ".vscode/mcp.json",
            f'{{\n  "servers": {{\n    "incident-library": {{ "type": "http", "url": "{mcp}" }}\n  }}\n}}',
        ),
        Client("MCP (HTTP)", "URL", mcp),
        Client("MCP (search, fetch)", "URL", f"{base_url}{MCP_SEARCH_FETCH}"),
        Client("MCP (stdio)", "shell", "kb mcp"),
        Client(
            "curl",
            "shell",
            f"curl -G '{base_url}{API}/search' \\\n  --data-urlencode 'symptoms={SYMPTOMS}'",
        ),
        Client(
            "curl, POST",
            "shell",
            f"curl '{base_url}{API}/search' \\\n  -H 'Content-Type: application/json' \\\n"
            f'  -d \'{{"symptoms": "{KOREAN_SYMPTOMS}", "lang": "ko"}}\'',
        ),
    )


def operations(lang: Lang) -> tuple[Operation, ...]:
    """The five operations and the three beside them, in the order in which one meets them."""
    spoken = "" if lang is Lang.en else " --lang ko"
    language = "" if lang is Lang.en else "&lang=ko"
    words = "job hangs" if lang is Lang.en else "학습이 멈춤"
    return (
        Operation("search_incidents", f"{API}/search?symptoms=step+time+tripled{language}",
                  f'kb search "step time tripled"{spoken}'),
        Operation("get_incident", f"{API}/incidents/IL-0477?lang={lang}", f"kb show IL-0477{spoken}"),
        Operation("list_incidents", f"{API}/incidents?domain=ai-infra{language}", f"kb list --domain ai-infra{spoken}"),
        Operation("get_topic", f"{API}/topics/symptoms/throughput-degradation?lang={lang}",
                  f"kb topic symptoms throughput-degradation{spoken}"),
        Operation("vocab", f"{API}/vocab?query=job+hangs{language}", f'kb vocab "{words}"{spoken}'),
        Operation("list_checks", f"{API}/checks?status=proven{language}", f"kb checks --status proven{spoken}"),
        Operation("get_check", f"{API}/checks/gpu/xid_fatal_counted?lang={lang}",
                  f"kb checks gpu/xid_fatal_counted{spoken}"),
        Operation("match_evidence", f"{API}/match/evidence", f"dmesg | kb evidence -{spoken}"),
    )  # fmt: skip
