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
    first call that does need it waits, and reads the error if the preparation failed. With `say`, an older build
    that can be opened answers meanwhile, and `say` is told so; the live library then moves on by itself.
    """

    def __init__(
        self, live: LiveLibrary, prepare: Callable[[], object], say: Callable[[str], object] | None = None
    ) -> None:
        self._live = live
        self._prepare = prepare
        self._say = say
        self._error: Exception | None = None
        self._open = threading.Event()
        self._thread = threading.Thread(target=self._run, name="prepare", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        former = self._former()
        try:
            self._prepare()
            self._live.current()
        except Exception as error:  # whatever it is, the caller that waits for it shall see it
            self._error = error if former is None else None
            if self._say is not None and former is not None:
                self._say(f"the files could not be built, so data version {former} goes on being served: {error}")
        finally:
            self._open.set()

    def _former(self) -> str | None:
        """The data version of what is there already, which answers from now on."""
        if self._say is None:
            return None
        try:
            version = self._live.current().data_version
        except Exception:  # nothing built yet, or by a program of another kind: the new build is waited for
            return None
        self._say(f"data version {version} is served while the files, which were touched since, are read and built")
        self._open.set()
        return version

    def current(self) -> Library:
        self._open.wait()
        if self._error is not None:
            raise self._error
        return self._live.current()


def serve(
    settings: Settings,
    prepare: Callable[[], object] = lambda: None,
    machine: Machine | None = None,
    *,
    consented: bool = False,
    say: Callable[[str], object] | None = None,
) -> None:
    """Serve until standard input ends.

    prepare: makes what is missing (a build) before the library is opened; runs in the background.
    machine: what the assistant may look at; without it the server answers from the library alone.
    consented: do not ask before each look.
    say: lets an older build answer while `prepare` runs, and is told so.
    """
    live = Prepared(LiveLibrary(settings), prepare, say)
    server = (
        IncidentServer(live, settings) if machine is None else LocalServer(live, settings, machine, consented=consented)
    )
    server.run("stdio")
