"""The whole library as files, made with each build: what a mirror, a notebook or a spreadsheet takes.

Public cases only: those of the first data root, with the prefix `IL`, that are served. The same build gives the
same bytes: no clock, a fixed order, archives whose members carry a fixed date.
"""

import gzip
import hashlib
from pathlib import Path

from kb.answers import ExportFile, ExportManifest
from kb.builds import EXPORTS, MANIFEST
from kb.checks.catalogue import Catalogue
from kb.corpus import CaseFile, Corpus
from kb.exports import archive, database, text
from kb.model import PUBLIC_PREFIX, Domain

ALL = "all"
#: Name of a format, which is the ending of its files → media type.
FORMATS = {
    "ndjson": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "sqlite": "application/vnd.sqlite3",
    "zip": "application/zip",
}
FULL_TEXT, CHANGES = "llms-full.txt", "changes.csv"
#: These are kept packed beside the plain file, so that no request has to compress megabytes.
PACKED = ("ndjson", "csv", "txt")
GZIP_LEVEL = 6


def public(files: Corpus) -> list[CaseFile]:
    """The cases that may leave the house, by id."""
    chosen = [case for case in files.served if case.public and case.incident.id.startswith(PUBLIC_PREFIX)]
    return sorted(chosen, key=lambda case: case.incident.id)


def write(folder: Path, files: Corpus, catalogue: Catalogue) -> None:
    """Every export into `folder/exports`, the manifest last."""
    target = folder / EXPORTS
    target.mkdir()
    whole = public(files)
    checks = database.Checks.of(catalogue)
    caught = checks.of_case
    made = []
    for scope in (ALL, *Domain):
        cases = [case for case in whole if scope in (ALL, case.incident.domain)]
        text.write_ndjson(target / f"{scope}.ndjson", cases)
        text.write_csv(target / f"{scope}.csv", cases, files.vocabulary, caught)
        database.write(target / f"{scope}.sqlite", cases, files.vocabulary, checks)
        archive.write(target / f"{scope}.zip", cases, files)
        made += [_file(target, scope, ending, len(cases)) for ending in FORMATS]
    text.write_changes(target / CHANGES, whole)
    text.write_full(target / FULL_TEXT, whole, files.vocabulary, caught, files.data_version)
    extra = [_file(target, "changes", "csv", len(whole)), _file(target, "llms-full", "txt", len(whole))]
    manifest = ExportManifest(files=(*made, *extra), data_version=files.data_version)
    (target / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")


def _file(target: Path, scope: str, ending: str, cases: int) -> ExportFile:
    path = target / f"{scope}.{ending}"
    content = path.read_bytes()
    packed = None
    if ending in PACKED:
        body = gzip.compress(content, GZIP_LEVEL, mtime=0)
        (target / f"{path.name}.gz").write_bytes(body)
        packed = len(body)
    return ExportFile(
        name=path.name,
        scope=scope,
        media_type=FORMATS.get(ending, "text/plain; charset=utf-8"),
        bytes=len(content),
        gzip_bytes=packed,
        sha256=hashlib.sha256(content).hexdigest(),
        cases=cases,
    )
