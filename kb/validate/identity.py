"""Ids, slugs and file names, and the list `data/ids.tsv` in which an id is given once and for ever."""

import re
from collections.abc import Iterator
from pathlib import Path

from kb import yaml_text
from kb.corpus import CaseFile, Corpus
from kb.errors import UnreadableFile
from kb.model import ID_PATTERN, SLUG_PATTERN
from kb.validate.rules import Finding, at

PUBLIC_PREFIX = "IL-"
HEADER = "id\tslug"


def findings(corpus: Corpus) -> Iterator[Finding]:
    path = corpus.roots[0] / "ids.tsv"
    rows, faults = read_ids(path)
    yield from faults
    first_by_id: dict[str, CaseFile] = {}
    first_by_slug: dict[str, CaseFile] = {}
    for case in corpus.cases:
        yield from _name(case)
        yield from _listed(case, rows) if case.public and not _missing(faults) else ()
        yield from _once(case, first_by_id, first_by_slug)


def _missing(faults: list[Finding]) -> bool:
    return any("cannot be read" in fault.message for fault in faults)


def _name(case: CaseFile) -> Iterator[Finding]:
    held = case.incident.id
    if case.path.stem != held:
        yield at(
            case, ("id",), "file-name", f"The file is {case.path.name}, its id is {held}.",
            f"Name the file {held}.yaml, or mend the id.",
        )  # fmt: skip
    if case.public != held.startswith(PUBLIC_PREFIX):
        mend = (
            f"Public ids begin with {PUBLIC_PREFIX}; take the next one of ids.tsv."
            if case.public
            else "Give the cases of your own folder another prefix, such as `OPS-0001`."
        )
        yield at(case, ("id",), "id-prefix", f"{held} does not fit the folder it lies in.", mend)


def _listed(case: CaseFile, rows: dict[str, str]) -> Iterator[Finding]:
    held, slug = case.incident.id, case.incident.slug
    if held not in rows:
        known = next((row_id for row_id, row_slug in rows.items() if row_slug == slug), None)
        mend = f"Its slug is listed as {known}: use that." if known else f"Append the row `{held}<tab>{slug}`."
        yield at(case, ("id",), "id-listed", f"{held} is not in ids.tsv.", mend)
    elif rows[held] != slug:
        yield at(
            case, ("slug",), "id-listed", f"ids.tsv gives {held} to `{rows[held]}`, not to `{slug}`.",
            "Use the listed slug; for another incident append a new id.",
        )  # fmt: skip


def _once(case: CaseFile, first_by_id: dict[str, CaseFile], first_by_slug: dict[str, CaseFile]) -> Iterator[Finding]:
    first = first_by_id.setdefault(case.incident.id, case)
    if first is not case:
        yield at(
            case, ("id",), "id-unique", f"{case.incident.id} is also the id of {first.path}.",
            "Give one of them an id of its own.",
        )  # fmt: skip
    first = first_by_slug.setdefault(case.incident.slug, case)
    if first is not case:
        yield at(
            case, ("slug",), "slug-unique",
            f"`{case.incident.slug}` is also the slug of {first.incident.id}.",
            "Give one of them another slug.",
        )  # fmt: skip


def read_ids(path: Path) -> tuple[dict[str, str], list[Finding]]:
    """Rows of `ids.tsv`, id → slug, and whatever is wrong with the file."""
    try:
        lines = yaml_text.read_text(path).splitlines()
    except UnreadableFile as error:
        mend = "Write it with the header `id<tab>slug` and a row for each case."
        return {}, [Finding(path, 1, "(file)", "ids-file", str(error), mend)]
    faults = []
    if not lines or lines[0] != HEADER:
        faults.append(_fault(path, 1, "The first line is not `id<tab>slug`.", "Write that header."))
    rows: dict[str, str] = {}
    newest = 0
    for number, line in enumerate(lines[1:], start=2):
        held, tab, slug = line.partition("\t")
        if not (tab and re.fullmatch(ID_PATTERN, held) and re.fullmatch(SLUG_PATTERN, slug)):
            faults.append(_fault(path, number, f"`{line[:80]}` is not an id, a tab and a slug.", "Mend the row."))
            continue
        if held in rows:
            faults.append(_fault(path, number, f"{held} is listed twice.", "Keep the first row; append a new id."))
        elif slug in rows.values():
            faults.append(_fault(path, number, f"The slug `{slug}` is listed twice.", "Keep the first row."))
        else:
            rows[held] = slug
        digits = int(held.rpartition("-")[2])
        if digits < newest:
            faults.append(_fault(path, number, f"{held} stands after a higher id.", "Sort the rows by id."))
        newest = max(newest, digits)
    return rows, faults


def _fault(path: Path, number: int, message: str, mend: str) -> Finding:
    return Finding(path, number, "(row)", "ids-file", message, mend)
