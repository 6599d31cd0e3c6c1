"""The endpoints of an application that is up before the protocol's library is there."""

import subprocess
import sys
import threading

import anyio
import httpx
import pytest
from starlette.applications import Starlette

from kb import links
from kb.library import Library
from kb.live import LiveLibrary
from kb.mcp_server.deferred import Deferred
from kb.settings import Settings

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


async def ask(deferred: Deferred, path: str = links.MCP) -> int:
    """How many tools are listed."""
    app = Starlette(routes=list(deferred.routes))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost:8000") as client:
        answer = await client.post(path, json=LIST, headers=HEADERS)
    return len(answer.json()["result"]["tools"])


def test_importing_the_application_imports_no_protocol() -> None:
    code = "import kb.app, sys; sys.exit('mcp' in sys.modules or 'mcp_types' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("path", "tools"), [(links.MCP, 8), (links.MCP_SEARCH_FETCH, 2)])
def test_who_asks_early_waits_for_nothing_but_the_import(
    live: LiveLibrary, library: Library, settings: Settings, path: str, tools: int
) -> None:
    deferred, gate = Deferred(live, settings), threading.Event()

    async def main() -> int:
        async with deferred.running(first=gate.wait):
            count = await ask(deferred, path)
            assert not gate.is_set()
            gate.set()
        return count

    assert anyio.run(main) == tools


def test_what_is_done_first_may_fail(live: LiveLibrary, library: Library, settings: Settings) -> None:
    deferred = Deferred(live, settings)

    def fail() -> None:
        raise ValueError("nothing is built")

    async def main() -> int:
        async with deferred.running(first=fail):
            return await ask(deferred)

    assert anyio.run(main) == 8


def test_what_stops_at_once_stops(live: LiveLibrary, settings: Settings) -> None:
    deferred = Deferred(live, settings)

    async def main() -> None:
        async with deferred.running(first=lambda: None):
            pass
        with pytest.raises(RuntimeError, match="stopping"):
            await deferred.route(links.MCP)

    anyio.run(main)


def test_nobody_waits_for_an_application_that_does_not_run(live: LiveLibrary, settings: Settings) -> None:
    with pytest.raises(RuntimeError, match="running"):
        anyio.run(Deferred(live, settings).route, links.MCP)
