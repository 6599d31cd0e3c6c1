"""Files → tables, index of words and vectors, in a fresh folder that is then served whole.

Two builds of the same files are equal: the key of a build is the digest of what goes into it, and an existing
whole build is not made again. A crash at any point leaves the served build as it was; what it left behind is
swept by the next build.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from zipfile import BadZipFile

from kb import bilingual, builds, corpus, elsewhere, english, exports, inputs, stored, text_index, vectors
from kb.builds import LIKENESS, Shelf, Stamp
from kb.checks.catalogue import Catalogue
from kb.checks.proofs import Proofs, digest
from kb.corpus import Corpus
from kb.errors import BuildBusy, BuildError, DataError, NoBuild
from kb.inputs import Seen
from kb.library import SCHEMA_VERSION
from kb.library.likeness import Likeness
from kb.settings import Settings
from kb.validate import Level, findings
from kb.vectors import Embedder, VectorCache, VectorIndex
from kb.words import normalise

#: Called with what is being done, how much of it is done, and of how much.
Progress = Callable[[str, int, int], None]
KEPT_BUILDS = 2
#: A changed check falls back to unproven until its replays are run again; that stops no build, and no more does a
#: value that it alone looks for.
#: Nor does a check, an example or a value that rests on cases which these data roots do not hold: a folder of one's
#: own holds other cases.
UNPROVEN = frozenset(
    {"proof-stale", "value-unlinked", "replay-case", "replay-source", "vocabulary-example-case", "vocabulary-no-case"}
)


def _silent(_what: str, _done: int, _of: int) -> None:
    """Progress for callers that do not watch."""


def build(settings: Settings, progress: Progress = _silent, *, wait: bool = True, read_all: bool = False) -> Stamp:
    """Build what is missing and serve it.

    read_all: read the files even where none was touched since they were last built.

    Raises:
        DataError: the files break a rule; nothing is built.
        BuildBusy: another process builds the same files and `wait` is false.
        BuildError: the build could not be written (a full disk, a read-only cache); the old one goes on serving.
    """
    shelf = builds.shelf(settings)
    seen = inputs.look(settings)
    known = None if read_all else inputs.made_of(shelf, seen)
    try:
        shelf.folder.mkdir(parents=True, exist_ok=True)
        if known is not None:
            with _only_one(shelf, wait=wait):
                if (stamp := _whole(shelf, known, meaning=settings.vectors)) is not None:
                    _settle(shelf, known, seen)
                    return stamp
        progress("reading files", 0, 1)
        files = corpus.read(settings.data_roots)
        catalogue = read_catalogue(settings)
        key = build_key(files, catalogue, meaning=settings.vectors)
        with _only_one(shelf, wait=wait):
            stamp = _whole(shelf, key, meaning=settings.vectors)
            # Equal files were judged when they were built; judging takes most of a start where nothing has changed.
            if files.unread or stamp is None:
                _refuse_faults(files, catalogue)
            stamp = stamp or _make(shelf, key, files, catalogue, settings, progress)
            _settle(shelf, key, seen)
    except OSError as error:
        raise BuildError(
            f"The build could not be written: {error.strerror or error}.",
            field="KB_CACHE",
            next_step="Free some room or name a writable folder; the build that was served before is untouched.",
        ) from error
    return stamp


def read_catalogue(settings: Settings) -> Catalogue:
    """The checks that come with the package, and what the first data root says is proven of them."""
    return Catalogue.load(proofs=Proofs.read(settings.data_roots[0] / "proofs.json"))


def _checks_digest(catalogue: Catalogue) -> str:
    parts = [f"{check} {folder.digest}" for check, folder in catalogue.folders.items()]
    parts += [f"{f.name} {f.digest}" for folder in catalogue.folders.values() for f in folder.replays]
    parts += [record.model_dump_json() for _, record in sorted(catalogue.proofs.records.items())]
    return digest("\n".join(parts).encode())


def build_key(files: Corpus, catalogue: Catalogue, *, meaning: bool) -> str:
    """Digest of everything that goes into a build."""
    parts = [files.data_version, files.digest, _checks_digest(catalogue), *inputs.program(meaning=meaning)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _refuse_faults(files: Corpus, catalogue: Catalogue) -> None:
    found = findings(files, catalogue, layout=False)
    errors = [f for f in found if f.level is Level.error and f.rule not in UNPROVEN]
    if errors:
        shown = "; ".join(f"{e.path.name}:{e.line}: {e.field}: {e.message}" for e in errors[:3])
        raise DataError(
            f"The files break {len(errors)} rule{'s' * (len(errors) > 1)}: {shown}.",
            next_step="`kb validate` lists everything with the mend.",
        )


@contextmanager
def _only_one(shelf: Shelf, *, wait: bool) -> Iterator[None]:
    """One build at a time for these data roots; the lock goes with the process, however it ends."""
    with (shelf.folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BuildBusy("Another process is building these files.", next_step="Wait for it.") from error
        yield


def _whole(shelf: Shelf, key: str, *, meaning: bool) -> Stamp | None:
    """The build of this key, if it is sound: read once, and not made in the absence of a model that is there now."""
    try:
        stamp = shelf.stamp(key)
        folder = shelf.build_folder(key)
        for name in ("cases.vectors", "terms.vectors", "elsewhere.vectors"):
            VectorIndex(folder / name)
        Likeness.load(folder / LIKENESS)
    except (NoBuild, OSError, ValueError, KeyError, BadZipFile):
        return None
    return None if meaning and stamp.model == "none" and Embedder(shelf.vectors).load() else stamp


def _real_words() -> set[str]:
    """Words that are no slips of ours: those of English, and the names of other trades."""
    return {word for line in elsewhere.TEXTS for word in text_index.plain_words(normalise(line))} | english.words()


def _make(shelf: Shelf, key: str, files: Corpus, catalogue: Catalogue, settings: Settings, progress: Progress) -> Stamp:
    # Both bring SQLModel, which takes longer to import than a start where nothing has changed.
    from kb import packing, tables

    part = shelf.folder / f".part-{key}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    try:
        url = shelf.database_url or stored.sqlite_url(part)
        progress("tables", 0, 1)
        tables.write(url, key, files.data_version, packing.rows(key, files, catalogue))
        progress("words", 0, 1)
        dictionary = bilingual.learn(packing.same_in_both(files))
        documents = (packing.document(case, files) for case in files.served)
        text_index.build(part / "words", documents, dictionary, _real_words())
        served = sorted((case.incident for case in files.served), key=lambda incident: incident.id)
        Likeness.of(served).save(part / LIKENESS)
        model = _write_meaning(part, shelf, files, meaning=settings.vectors, progress=progress)
        progress("exports", 0, 1)
        exports.write(part, files, catalogue)
        stamp = Stamp(key, files.data_version, SCHEMA_VERSION, model, builds.sizes(part))
        builds.write_stamp(part, stamp)
        target = shelf.build_folder(key)
        shutil.rmtree(target, ignore_errors=True)
        part.rename(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return stamp


def _settle(shelf: Shelf, key: str, seen: Seen) -> None:
    """Serve this build and clear up."""
    _serve(shelf, key)
    _sweep(shelf, key)
    inputs.note(shelf, seen, key)


def _serve(shelf: Shelf, key: str) -> None:
    """The one step that a reader can see."""
    if shelf.database_url:
        from kb import tables

        tables.point(shelf.database_url, key)
    spare = shelf.folder / f"current.{os.getpid()}"
    spare.write_text(key + "\n", encoding="utf-8")
    spare.replace(shelf.folder / "current")


def _sweep(shelf: Shelf, key: str) -> None:
    """Drop what dead builds left behind, and all but the newest whole builds."""
    for leftover in (*shelf.folder.glob(".part-*"), *shelf.folder.glob("current.*")):
        shutil.rmtree(leftover, ignore_errors=True) if leftover.is_dir() else leftover.unlink(missing_ok=True)
    stamps = sorted(shelf.folder.glob("*/stamp.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    old = [path.parent for path in stamps if path.parent.name != key]
    for folder in old[KEPT_BUILDS - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def _write_meaning(part: Path, shelf: Shelf, files: Corpus, *, meaning: bool, progress: Progress) -> str:
    """The vectors of everything that is searched by meaning; the model that made them, `none` where there is none."""
    from kb import packing

    embedder = Embedder(shelf.vectors)
    meaning = meaning and embedder.load()
    cache = VectorCache(shelf.vectors)
    passages = {
        "cases": packing.case_passages(files),
        "terms": packing.term_passages(files),
        "elsewhere": [(text, text) for text in elsewhere.TEXTS],
    }
    for name, those in passages.items():
        report = partial(progress, f"meaning of {name}")
        made = cache.encode([text for _, text in those], embedder, report) if meaning else vectors.NOTHING
        kept = vectors.CASE_DIRECTIONS if name == "cases" else vectors.DIMENSIONS
        vectors.save(part / f"{name}.vectors", [owner for owner, _ in those] if meaning else [], made, kept)
    if meaning:
        cache.prune()
    return vectors.model_version() if meaning else "none"
