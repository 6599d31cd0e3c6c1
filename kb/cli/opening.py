"""The library behind a command: built first where that is needed, with a progress bar."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from kb import builds
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
    return LiveLibrary(settings).current()


def is_fresh(settings: Settings) -> bool:
    """Whether a whole build is there and no data file was written since."""
    shelf = builds.shelf(settings)
    try:
        key = shelf.current()
        shelf.stamp(key)
        made = (shelf.build_folder(key) / "stamp.json").stat().st_mtime
    except (NoBuild, OSError):
        return False
    watched_files = (path for root in settings.data_roots for path in _inputs(root))
    return all(path.stat().st_mtime <= made for path in watched_files)


def _inputs(root: Path) -> Iterator[Path]:
    for pattern in ("incidents", "incidents/*.yaml", "vocabulary/*.yaml", "proofs.json"):
        yield from root.glob(pattern)


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
