"""Running one call: in a thread, and with only plain sentences coming out of it."""

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError

from kb.errors import BuildError, KbError, MissingExtra, SourceError, ToolMissing

T = TypeVar("T")
CRASHED = "Internal error; it has been logged."
#: Faults of the installation and of what it reaches, which whoever runs the server can mend: told as they are.
TOLD = (BuildError, MissingExtra, SourceError, ToolMissing)


async def answered(work: Callable[[], T]) -> T:
    """The result of `work`, done in a thread.

    Raises:
        ToolError: one plain sentence for the model.
        UnexpectedToolError: anything that is our fault; the SDK logs its cause.
    """
    try:
        return await anyio.to_thread.run_sync(work)
    except KbError as error:
        if error.status >= 500 and not isinstance(error, TOLD):
            raise UnexpectedToolError(CRASHED) from error
        raise ToolError(str(error)) from error
    except Exception as error:
        raise UnexpectedToolError(CRASHED) from error
