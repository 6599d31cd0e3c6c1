"""Where builds lie, and which one is served. Known to the build, which writes, and the library, which reads.

    <cache>/<name of the data roots>/current        one line: the key of the build that is served
    <cache>/<name of the data roots>/<key>/         library.sqlite, words/, cases.vectors/, exports/, stamp.json …
    <cache>/vectors/                                vectors by text hash, shared by all builds

A build is made in a folder of its own beside these and renamed whole; the stamp is its last file. So a folder
without a stamp, or whose files are not those that the stamp names, is not a build.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from kb import stored
from kb.errors import NoBuild
from kb.settings import Settings

_NEXT = "Run `kb build`."
#: Folder of a build for the files that are handed out whole, and the list of them.
EXPORTS, MANIFEST = "exports", "manifest.json"
#: How alike the served cases are.
LIKENESS = "likeness.npz"


@dataclass(frozen=True)
class Stamp:
    build: str
    data_version: str
    schema_version: str
    model: str
    files: dict[str, int]
    """Path below the folder → size in bytes."""


@dataclass(frozen=True)
class Shelf:
    """The builds of one set of data roots."""

    folder: Path
    vectors: Path
    database_url: str

    def build_folder(self, build: str) -> Path:
        return self.folder / build

    def tables_url(self, build: str) -> str:
        return self.database_url or stored.sqlite_url(self.build_folder(build))

    def current(self) -> str:
        """The key of the build that is served.

        Raises:
            NoBuild: nothing has been built.
        """
        if self.database_url:
            from kb import tables

            build = tables.serving(self.database_url)
            if build is None:
                raise NoBuild("The database holds no build.", field="KB_DATABASE_URL", next_step=_NEXT)
            return build
        try:
            return (self.folder / "current").read_text(encoding="utf-8").strip()
        except OSError as error:
            raise NoBuild("Nothing has been built yet.", next_step=_NEXT) from error

    def stamp(self, build: str) -> Stamp:
        """The stamp of a whole build.

        Raises:
            NoBuild: the folder is missing, half-written or damaged.
        """
        folder = self.build_folder(build)
        try:
            stamp = Stamp(**json.loads((folder / "stamp.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise NoBuild("The build is missing or half-written.", next_step=_NEXT) from error
        if stamp.build != build or stamp.files != sizes(folder):
            raise NoBuild("The build is damaged: its files are not those of its stamp.", next_step=_NEXT)
        return stamp


def shelf(settings: Settings) -> Shelf:
    named = "\n".join(str(root) for root in settings.data_roots)
    name = hashlib.sha256(f"{named}\n{settings.database_url}".encode()).hexdigest()[:12]
    return Shelf(settings.cache_folder / name, settings.cache_folder / "vectors", settings.database_url)


def sizes(folder: Path) -> dict[str, int]:
    """Every file below a build folder but the stamp itself."""
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "stamp.json" and not path.name.endswith(("-wal", "-shm", "-journal"))
    }


def write_stamp(folder: Path, stamp: Stamp) -> None:
    (folder / "stamp.json").write_text(json.dumps(asdict(stamp), indent=1), encoding="utf-8")
