"""What the servers share: how they are opened, and how a tool and the absence of one are told."""

from collections.abc import Sequence
from typing import Any, Protocol

from mcp.server.caching import CACHEABLE_METHODS, CacheHint
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp_types import Tool, ToolAnnotations

from kb import __version__
from kb.errors import UnknownArgument
from kb.library import Library
from kb.mcp_server.lines import Answering
from kb.nearest import nearest
from kb.parameters import JsonSchema
from kb.settings import Settings

State = dict[str, Any]

ANNOTATIONS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
CACHE = CacheHint(ttl_ms=300_000, scope="public")


class Live(Protocol):
    """Where the current library comes from; may block while it is opened."""

    def current(self) -> Library: ...


class LibraryServer(MCPServer[State]):
    """A server over one library. Opens nothing until it is asked something."""

    def __init__(
        self, live: Live, settings: Settings, *, name: str, title: str, description: str, instructions: str
    ) -> None:
        super().__init__(
            name,
            title=title,
            description=description,
            instructions=instructions,
            website_url=settings.base_url or None,
            version=__version__,
            log_level="WARNING",
            subscriptions=False,
            cache_hints=dict.fromkeys(CACHEABLE_METHODS, CACHE),  # type: ignore[arg-type]
        )
        self._live = live
        self._base_url = settings.base_url

    async def run_stdio_async(self) -> None:
        """As the SDK's, but what is no message is answered too."""
        server = self._lowlevel_server
        async with stdio_server() as (read, write):
            await server.run(Answering(read, write), write, server.create_initialization_options())


def tool(
    name: str,
    title: str,
    description: str,
    takes: JsonSchema,
    gives: JsonSchema,
    annotations: ToolAnnotations = ANNOTATIONS,
) -> Tool:
    """A tool as it is listed; line breaks of the description are those of our source, not of the text."""
    return Tool(
        name=name,
        title=title,
        description=" ".join(description.split()),
        input_schema=takes,
        output_schema=gives,
        annotations=annotations,
    )


def no_tool(name: str, names: Sequence[str]) -> UnknownArgument:
    """The error for a tool that does not exist."""
    return UnknownArgument(f"There is no tool `{name[:80]}`.", nearest=nearest(name[:80], names), allowed=tuple(names))
