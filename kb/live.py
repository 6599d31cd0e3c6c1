"""The library of the newest build: a server asks for it once a request and moves on without dropping any."""

import gc
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from zipfile import BadZipFile

from kb import builds
from kb.builds import Shelf
from kb.errors import NoBuild
from kb.library import Library
from kb.library.store import open_store
from kb.settings import Settings

logger = logging.getLogger(__name__)


class LiveLibrary:
    """Opens nothing until it is first asked.

    A request keeps the `Library` it was given until it has answered, so a swap between two requests is never
    seen by either. The library before the current one stays open; older ones are closed.
    """

    def __init__(self, settings: Settings, *, warm: bool = True) -> None:
        """warm: do at the opening what the first question would wait for; not worth it for a single question."""
        self._settings = settings
        self._warm = warm
        self._shelf: Shelf | None = None
        self._lock = threading.Lock()
        self._key = ""
        self._library: Library | None = None
        self._former: Library | None = None
        self._looked = float("-inf")

    def current(self) -> Library:
        """The newest whole build.

        Raises:
            NoBuild: nothing has been built, or what was built is damaged and nothing was open before.
        """
        library = self._library
        if library is not None and time.monotonic() - self._looked < self._settings.watch_seconds:
            return library
        if library is not None and not self._lock.acquire(blocking=False):
            return library  # somebody else is looking; nobody waits for it
        if library is None:
            self._lock.acquire()
        try:
            return self._look()
        finally:
            self._lock.release()

    def _look(self) -> Library:
        shelf = self._shelf = self._shelf or builds.shelf(self._settings)
        self._looked = time.monotonic()
        try:
            key = shelf.current()
            if self._library is not None and key == self._key:
                return self._library
            opened = open_library(self._settings, shelf, key, warm=self._warm)
        except NoBuild:
            if self._library is None:
                raise
            logger.exception("the new build cannot be opened; the old one goes on serving")
            return self._library
        if self._former is not None:
            self._former.close()
        self._former, self._library, self._key = self._library, opened, key
        logger.info("serving data version %s", opened.data_version)
        return opened

    def close(self) -> None:
        for library in (self._former, self._library):
            if library is not None:
                library.close()
        self._former = self._library = None


def open_library(settings: Settings, shelf: Shelf, key: str, *, warm: bool = True) -> Library:
    """Open one build."""
    stamp = shelf.stamp(key)
    with _to_stay():
        try:
            store = open_store(shelf.tables_url(key), shelf.build_folder(key), key)
        except (OSError, ValueError, KeyError, BadZipFile) as error:
            raise NoBuild("The build is damaged and cannot be read.", next_step="Run `kb build`.") from error
        library = Library(store, stamp.data_version)
        library.warm(meaning=settings.vectors, models=shelf.vectors, now=warm)
    return library


@contextmanager
def _to_stay() -> Iterator[None]:
    """Keep the garbage collector away from what is opened here, which stays.

    Otherwise each full round walks all cases and the model's words again: a fifth of the opening, and later in the
    middle of somebody's question.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
    gc.unfreeze()
    gc.freeze()
