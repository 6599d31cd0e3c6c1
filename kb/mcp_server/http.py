"""The MCP endpoints over streamable HTTP, inside somebody else's application."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import Route

from kb import links
from kb.mcp_server import search_fetch
from kb.mcp_server.base import Live, State
from kb.mcp_server.gate import Gate
from kb.mcp_server.search_fetch import SearchFetchServer
from kb.mcp_server.server import IncidentServer
from kb.settings import Settings

PATH = links.MCP
MAX_BODY = 1_000_000


class Endpoint:
    """`routes` belong at the end of the application's router, `running()` inside its lifespan.

    Two addresses: `/mcp` with all tools, `/mcp/search-fetch` for clients that know only those two. Stateless: no
    session outlives a request, so any worker can answer any request. Only POST is answered; there is nothing to
    listen to.
    """

    def __init__(self, live: Live, settings: Settings) -> None:
        self._servers: dict[str, MCPServer[State]] = {
            PATH: IncidentServer(live, settings),
            search_fetch.PATH: SearchFetchServer(live, settings),
        }
        self.routes = [
            route for path, server in self._servers.items() for route in _routes(server, path, security(settings))
        ]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Enter once; a second application needs its own `Endpoint`."""
        async with AsyncExitStack() as stack:
            for server in self._servers.values():
                await stack.enter_async_context(server.session_manager.run())
            yield


def _routes(server: MCPServer[State], path: str, guard: TransportSecuritySettings) -> list[Route]:
    inner = server.streamable_http_app(
        streamable_http_path=path,
        stateless_http=True,
        json_response=True,
        max_request_body_size=MAX_BODY,
        transport_security=guard,
    )
    return [
        Route(route.path, Gate(route.endpoint, guard), methods=["POST"])
        for route in inner.routes
        if isinstance(route, Route)
    ]


def security(settings: Settings) -> TransportSecuritySettings:
    """Which Host and Origin headers are answered; `*` among the hosts switches both checks off."""
    if "*" in settings.hosts:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    hosts = [*settings.hosts, *own_host(settings)]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[name for host in hosts for name in (host, f"{host}:*")],
        allowed_origins=list(origins(settings)),
    )


def origins(settings: Settings) -> tuple[str, ...]:
    """Browser origins that may call: those named, and the hosts' own."""
    hosts = [host for host in (*settings.hosts, *own_host(settings)) if host != "*"]
    own = [f"{scheme}://{host}{port}" for host in hosts for scheme in ("http", "https") for port in ("", ":*")]
    return (*settings.origins, *own)


def own_host(settings: Settings) -> tuple[str, ...]:
    host = urlsplit(settings.base_url).netloc
    return (host,) if host else ()
