"""The MCP endpoints of an application that answers other questions before the protocol's library is there.

Importing that library takes longer than opening ours and most questions do not need it, so it is imported behind,
once the application is up. What asks over MCP before waits for it.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from kb import links
from kb.settings import Settings

if TYPE_CHECKING:
    from kb.mcp_server.base import Live
    from kb.mcp_server.http import Endpoint

PATHS = (links.MCP, links.MCP_SEARCH_FETCH)

logger = logging.getLogger(__name__)


class Deferred:
    """`routes` belong at the end of the application's router, `running()` inside its lifespan, as of `Endpoint`."""

    def __init__(self, live: "Live", settings: Settings) -> None:
        self._live = live
        self._settings = settings
        self._asked: anyio.Event | None = None
        self._ready: anyio.Event | None = None
        self._made: dict[str, Route] = {}
        self.routes = [Route(path, _Waiting(self, path), methods=["POST"]) for path in PATHS]

    @asynccontextmanager
    async def running(self, first: Callable[[], object]) -> AsyncIterator[None]:
        """Enter once.

        first: done in a thread before the import, unless somebody asks over MCP before it is done.
        """
        self._asked, self._ready, over = anyio.Event(), anyio.Event(), anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._prepare, first, self._asked)
            tasks.start_soon(self._serve, self._asked, self._ready, over)
            yield
            self._asked.set()
            over.set()

    async def _prepare(self, first: Callable[[], object], asked: anyio.Event) -> None:
        try:
            await anyio.to_thread.run_sync(first)
        except Exception as error:  # whatever it is, who asks next is told
            logger.warning("the library is not open yet: %s", error)
        finally:
            asked.set()

    async def _serve(self, asked: anyio.Event, ready: anyio.Event, over: anyio.Event) -> None:
        await asked.wait()
        try:
            if not over.is_set():
                endpoint = await anyio.to_thread.run_sync(self._endpoint)
                async with endpoint.running():
                    self._made = {route.path: route for route in endpoint.routes}
                    ready.set()
                    await over.wait()
        finally:
            ready.set()

    def _endpoint(self) -> "Endpoint":
        from kb.mcp_server.http import Endpoint

        return Endpoint(self._live, self._settings)

    async def route(self, path: str) -> Route:
        """The real route, once it is there.

        Raises:
            RuntimeError: the application is not running.
        """
        if self._asked is None or self._ready is None:
            raise RuntimeError("MCP is answered only while the application is running.")
        self._asked.set()
        await self._ready.wait()
        if path not in self._made:
            raise RuntimeError("The application is stopping.")
        return self._made[path]


class _Waiting:
    """What a route calls: hands the request on as it came."""

    def __init__(self, deferred: Deferred, path: str) -> None:
        self._deferred = deferred
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = await self._deferred.route(self._path)
        await route.app(scope, receive, send)
