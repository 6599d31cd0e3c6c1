"""Whether anything that goes into a build was touched since, told without reading it, as Git's index tells it.

Reading and judging hundreds of files takes most of a start; asking the file system when each was last changed takes
milliseconds. What was seen is kept beside the builds and names the one that was made of it.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from kb import english, text_index, vectors
from kb.builds import Shelf
from kb.library import SCHEMA_VERSION
from kb.settings import Settings

#: Raised when a build holds other files than before, so that one made by an older program is made anew.
LAYOUT = "9"
#: The modules that work out what a build holds: whatever changes in one of them makes another build.
HERE = Path(__file__).resolve().parent
SOURCES = (
    "bilingual", "elsewhere", "library/likeness", "packing", "postings", "spelling", "tables", "text_index",
    "vocabulary", "words",
)  # fmt: skip
#: Where it is noted which files the build that is served was made of.
SEEN = "seen.json"
#: Nanoseconds. A file changed so shortly before it was looked at may be changed again without its times telling.
TOO_YOUNG = 2 * 10**9
CHECKS = HERE / "checks"
#: Folders in each other: `incidents/` in a data root, `<family>/<name>/replays/` among the checks.
DEPTH, DEPTH_OF_CHECKS = 1, 3


@dataclass(frozen=True)
class Seen:
    """All input files as they stand: a digest over their names, sizes, places on the disk and times of change."""

    digest: str
    settled: bool
    """Whether none was changed just now."""


def program(*, meaning: bool) -> list[str]:
    """What of the program itself goes into a build."""
    return [
        SCHEMA_VERSION,
        LAYOUT,
        *(hashlib.sha256((HERE / f"{name}.py").read_bytes()).hexdigest() for name in SOURCES),
        f"{english.version()} {text_index.stemmer_version()}",
        f"{vectors.model_version()} {vectors.CASE_DIRECTIONS}" if meaning else "none",
        _package_version(),
    ]


def look(settings: Settings) -> Seen:
    """Call it before the files are read: what changes while they are read is then seen by the next look."""
    now = time.time_ns()
    sha = hashlib.sha256("\n".join(program(meaning=settings.vectors)).encode())
    newest = 0
    for root, depth in (*((root, DEPTH) for root in settings.data_roots), (CHECKS, DEPTH_OF_CHECKS)):
        sha.update(f"{root}\n".encode())
        for path, status in sorted(_files(str(root), depth)):
            sha.update(f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}\n".encode())
            newest = max(newest, status.st_ctime_ns)
    return Seen(sha.hexdigest(), newest < now - TOO_YOUNG)


def _files(folder: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below, but what Python keeps of its modules, what is hidden, and what cannot be looked at."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith((".", "__pycache__")):
                continue
            if not entry.is_dir():
                with suppress(OSError):  # a link that leads nowhere
                    yield entry.path, entry.stat()
            elif depth:
                yield from _files(entry.path, depth - 1)


def made_of(shelf: Shelf, seen: Seen) -> str | None:
    """The key of the build that was made of these very files; nothing where that is not known."""
    try:
        noted = json.loads((shelf.folder / SEEN).read_text(encoding="utf-8"))
        return str(noted["build"]) if noted["digest"] == seen.digest else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def note(shelf: Shelf, seen: Seen, build: str) -> None:
    """Note that `build` was made of what was seen, unless that may have changed since unseen."""
    if not seen.settled:
        return
    spare = shelf.folder / f"{SEEN}.{os.getpid()}"
    spare.write_text(json.dumps({"digest": seen.digest, "build": build}), encoding="utf-8")
    spare.replace(shelf.folder / SEEN)


def _package_version() -> str:
    try:
        return metadata.version("incident-library")
    except metadata.PackageNotFoundError:
        return "0"
