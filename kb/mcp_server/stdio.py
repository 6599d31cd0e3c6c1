"""The MCP server over standard input and output, as an assistant starts it (`kb mcp`)."""

import threading
from collections.abc import Callable

from kb.library import Library
from kb.live import LiveLibrary
from kb.mcp_server.local import LocalServer, Machine
from kb.mcp_server.server import IncidentServer
from kb.settings import Settings


class Prepared:
    """A live library behind some preparation that runs beside the first messages.

    `initialize` and `tools/list` need no library, so they are answered while it is still being built; the
    first call that does need it waits, and reads the error if the preparation failed.
    """

    def __init__(self, live: LiveLibrary, prepare: Callable[[], object]) -> None:
        self._live = live
        self._prepare = prepare
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="prepare", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._prepare()
            self._live.current()
        except Exception as error:  # whatever it is, the caller that waits for it shall see it
            self._error = error

    def current(self) -> Library:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._live.current()


def serve(
    settings: Settings,
    prepare: Callable[[], object] = lambda: None,
    machine: Machine | None = None,
    *,
    consented: bool = False,
) -> None:
    """Serve until standard input ends.

    prepare: makes what is missing (a build) before the library is opened; runs in the background.
    machine: what the assistant may look at; without it the server answers from the library alone.
    consented: do not ask before each look.
    """
    live = Prepared(LiveLibrary(settings), prepare)
    server = (
        IncidentServer(live, settings) if machine is None else LocalServer(live, settings, machine, consented=consented)
    )
    server.run("stdio")
