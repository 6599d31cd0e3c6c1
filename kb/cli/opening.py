"""The library behind a command: built first where that is needed, with a progress bar."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from kb import builds, inputs
from kb.build import Progress as Report
from kb.build import build
from kb.errors import NoBuild
from kb.library import Library
from kb.live import LiveLibrary
from kb.settings import Settings

#: Wide enough for a table when the output is not a terminal.
PLAIN_WIDTH = 110


def console() -> Console:
    """Standard output; colours respect NO_COLOR and are off where nobody looks."""
    return Console(
        width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False, soft_wrap=not sys.stdout.isatty()
    )


def open_library(settings: Settings) -> Library:
    """The current build, made anew when a file is newer than it."""
    if not is_fresh(settings):
        with watched() as report:
            build(settings, report)
    return LiveLibrary(settings, warm=False).current()


def is_fresh(settings: Settings) -> bool:
    """Whether a whole build is served and no file was touched since."""
    shelf = builds.shelf(settings)
    try:
        key = shelf.current()
        shelf.stamp(key)
    except NoBuild:
        return False
    return inputs.made_of(shelf, inputs.look(settings)) == key


@contextmanager
def watched() -> Iterator[Report]:
    """A progress bar on standard error, one row a stage; nothing where standard error is not a terminal."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    rows: dict[str, TaskID] = {}

    def report(what: str, done: int, of: int) -> None:
        if what not in rows:
            rows[what] = bar.add_task(what, total=of)
        bar.update(rows[what], completed=done, total=of)

    with bar:
        yield report


@contextmanager
def one_row(what: str) -> Iterator[Report]:
    """A progress bar on standard error with one row, whose words may change as the work goes on."""
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        row = bar.add_task(what)
        yield lambda now, done, of: bar.update(row, description=now, completed=done, total=of)
