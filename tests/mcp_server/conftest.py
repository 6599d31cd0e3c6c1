"""The MCP server over the repository's own data, and three ways of reaching it."""

import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import anyio
import pytest
import uvicorn
from mcp.client import Client

from kb.app import create_app
from kb.library import Library
from kb.live import LiveLibrary
from kb.mcp_server.server import IncidentServer
from kb.settings import Settings

T = TypeVar("T")
Run = Callable[[Callable[[Client], Awaitable[Any]]], Any]


@pytest.fixture(scope="session")
def server(settings: Settings, live: LiveLibrary) -> IncidentServer:
    return IncidentServer(live, settings)


@pytest.fixture(params=["auto", "legacy"])
def run(request: pytest.FixtureRequest, server: IncidentServer) -> Run:
    """Call `job(client)` on a connected client, once in each protocol era."""
    return lambda job: with_client(server, request.param, job)


def with_client(server: Any, mode: str, job: Callable[[Client], Awaitable[T]]) -> T:
    async def main() -> T:
        async with Client(server, mode=mode) as client:
            return await job(client)

    return anyio.run(main)


class Started(uvicorn.Server):
    """Says when it listens, and where."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @property
    def port(self) -> int:
        return int(self.servers[0].sockets[0].getsockname()[1])


@pytest.fixture(scope="session")
def address(settings: Settings, library: Library) -> Iterator[str]:
    """`http://127.0.0.1:port` of the whole application behind a real socket."""
    config = uvicorn.Config(create_app(settings), port=0, log_level="warning", access_log=False)
    running = Started(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    assert running.listening.wait(30)
    yield f"http://127.0.0.1:{running.port}"
    running.should_exit = True
    thread.join(10)
