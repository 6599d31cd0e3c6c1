"""What a library reads of a build's tables.

SQLModel writes them (`kb.tables`) and reads them from other databases; an SQLite file is read here, since importing
SQLModel takes longer than all the reading.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kb.errors import NoBuild

_SQLITE = "sqlite:///"
AGAIN = "Run `kb build`."


@dataclass(frozen=True)
class CaseText:
    id: str
    status: str
    public: bool
    served: bool
    document: str
    """The whole case as JSON (`kb.model.Incident`)."""


@dataclass(frozen=True)
class TermText:
    kind: str
    document: str


@dataclass(frozen=True)
class CheckText:
    id: str
    status: str
    document: str
    """Card, PromQL text and replays with their proofs, as JSON."""


@dataclass(frozen=True)
class Stored:
    """Everything of one build that is read again: cases and checks by id, terms by kind and place."""

    cases: Sequence[CaseText]
    terms: Sequence[TermText]
    checks: Sequence[CheckText]


def sqlite_url(folder: Path) -> str:
    return f"{_SQLITE}{folder / 'library.sqlite'}"


def is_file(url: str) -> bool:
    """Whether the tables of this address lie in an SQLite file that `read` can read."""
    return url.startswith(_SQLITE) and "?" not in url


def read(url: str, build: str) -> Stored:
    """Everything of one build in an SQLite file.

    Raises:
        NoBuild: the tables are missing, damaged or do not hold this build.
    """
    path = Path(url.removeprefix(_SQLITE)).absolute().as_uri()
    try:
        with closing(sqlite3.connect(f"{path}?mode=ro", uri=True)) as file:
            return _read(file, build)
    except sqlite3.Error as error:
        raise NoBuild(f"The tables cannot be read: {error}.", next_step=AGAIN) from error


def _read(file: sqlite3.Connection, build: str) -> Stored:
    if file.execute("SELECT 1 FROM builds WHERE build = ?", (build,)).fetchone() is None:
        raise NoBuild("The tables do not hold this build.", next_step=AGAIN)
    cases = file.execute("SELECT id, status, public, served, document FROM cases WHERE build = ? ORDER BY id", (build,))
    terms = file.execute("SELECT kind, document FROM terms WHERE build = ? ORDER BY kind, position", (build,))
    checks = file.execute("SELECT id, status, document FROM checks WHERE build = ? ORDER BY id", (build,))
    return Stored(
        [CaseText(id, status, bool(public), bool(served), text) for id, status, public, served, text in cases],
        [TermText(*row) for row in terms],
        [CheckText(*row) for row in checks],
    )
