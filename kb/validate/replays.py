"""Checks and their replays: the links to cases, and what the recorded proofs say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kb import yaml_text
from kb.checks.card import CheckCard, Must
from kb.checks.catalogue import Catalogue, CatalogueFaults, CheckFolder, ReplayFile
from kb.checks.exporters import EXPORTERS
from kb.corpus import CaseFile, Corpus
from kb.model import PUBLIC_PREFIX, SERVED, Incident, Kind, ReviewStatus
from kb.nearest import nearest
from kb.validate.rules import Finding, at
from kb.yaml_text import Document

_RECORD = "Run `kb replay --record`."


def findings(corpus: Corpus, catalogue: Catalogue) -> Iterator[Finding]:
    cases = {case.incident.id: case for case in corpus.cases}
    for folder in catalogue.folders.values():
        yield from _check(folder, corpus)
        yield from _named(folder, catalogue.cards)
        for file in folder.replays:
            if file.replay.case not in corpus.unread_names:
                yield from _case(folder, file, cases)
            yield from _proof(folder, file, catalogue)
    yield from _orphans(corpus, catalogue)
    yield from _links(corpus, catalogue)


def unread(error: CatalogueFaults) -> list[Finding]:
    """The findings of a catalogue that could not be loaded."""
    return [
        Finding(Path(fault.file), fault.line, fault.field, "check-schema", f"{fault.message}.", "Mend the file.")
        for fault in error.faults
    ]


def _check(folder: CheckFolder, corpus: Corpus) -> Iterator[Finding]:
    kinds = [kind for kind in Kind if kind is not Kind.orgs]
    whole = corpus.unread_names.isdisjoint(kind.value for kind in kinds)
    known = {slug for kind in kinds for slug in corpus.vocabulary.values[kind]}
    for i, slug in enumerate(folder.card.catches):
        if whole and slug not in known:
            message = f"`{slug}` is no value of the vocabulary."
            mend = "Use a slug of a symptom, component, root cause or factor."
            yield at(_in(folder.path / "check.yaml"), ("catches", i), "check-catches", message, mend)
    lacking = [must.value for must in Must if must not in {file.replay.must for file in folder.replays}]
    if lacking:
        message = f"No replay must be {' or '.join(lacking)}; it stays a draft."
        yield at(_in(folder.path / "check.yaml"), (), "check-replays", message, "Add the replay.")


def _named(folder: CheckFolder, cards: Mapping[str, CheckCard]) -> Iterator[Finding]:
    """What its card names beside vocabulary values: other checks, and exporters."""
    for i, other in enumerate(folder.card.same_as):
        if other not in cards or cards[other].kind is folder.card.kind:
            message = f"`{other}` is no check of another source than {folder.card.kind}."
            mend = "Name the check that sees the same through another source."
            yield at(_in(folder.path / "check.yaml"), ("same_as", i), "check-same-as", message, mend)
    for i, metric in enumerate(folder.card.needs.metrics):
        if metric.exporter not in EXPORTERS:
            near = nearest(metric.exporter, EXPORTERS, limit=2, floor=0.4)
            hint = f" Nearest: {', '.join(near)}." if near else ""
            place = ("needs", "metrics", i, "exporter")
            message = f"`{metric.exporter}` is no name of an exporter.{hint}"
            mend = "Use its name in `kb/checks/exporters.py`, or add it there as its makers spell it."
            yield at(_in(folder.path / "check.yaml"), place, "check-exporter", message, mend)


def _case(folder: CheckFolder, file: ReplayFile, cases: dict[str, CaseFile]) -> Iterator[Finding]:
    replay = file.replay
    if replay.case is None:
        return
    case = cases.get(replay.case)
    if case is None:
        message = f"There is no case {replay.case}."
        yield at(_in(_path(folder, file)), ("case",), "replay-case", message, "Mend the id.")
        return
    status = case.incident.review.status
    if status not in SERVED:
        message = f"{replay.case} is {status} and not served."
        yield at(_in(_path(folder, file)), ("case",), "replay-case", message, "Link the case that replaces it.")
    known = {source.id for source in case.incident.sources}
    for i, figure in enumerate(replay.published):
        if figure.source not in known:
            yield at(
                _in(_path(folder, file)), ("published", i, "source"), "replay-source",
                f"{replay.case} has no source {figure.source}.",
                f"Its sources are {', '.join(sorted(known))}.",
            )  # fmt: skip


def _proof(folder: CheckFolder, file: ReplayFile, catalogue: Catalogue) -> Iterator[Finding]:
    if file.replay.data is None:
        return
    check = folder.card.id
    record = catalogue.proof(check, file)
    if record is None and (check, file.name) in catalogue.proofs.records:
        message = "The check or the replay was changed since it was last run."
        yield at(_in(_path(folder, file)), (), "proof-stale", message, _RECORD)
    elif record is None:
        yield at(_in(_path(folder, file)), (), "proof-missing", "The replay was never run.", _RECORD)
    elif not record.passes:
        why = f" {record.why_not}" if record.why_not else ""
        message = f"The answer was {record.actual}, expected {record.expected}.{why}"
        yield at(_in(_path(folder, file)), (), "proof-failing", message, "Mend the check or the replay.")


def _orphans(corpus: Corpus, catalogue: Catalogue) -> Iterator[Finding]:
    there = {(folder.card.id, file.name) for folder in catalogue.folders.values() for file in folder.replays}
    path = corpus.roots[0] / "proofs.json"
    for check, name in sorted(set(catalogue.proofs.records) - there):
        message = f"There is no replay {name} of {check}."
        yield Finding(path, 1, f"{check}/{name}", "proof-stale", message, _RECORD)


def _links(corpus: Corpus, catalogue: Catalogue) -> Iterator[Finding]:
    linked: dict[str, str] = {}
    for folder in catalogue.folders.values():
        for file in folder.replays:
            if file.replay.case and file.replay.must is Must.found:
                linked.setdefault(file.replay.case, folder.card.id)
    for case in corpus.served:
        held, no_check = case.incident.id, case.incident.no_check
        if held not in linked and no_check is None and _must_be_linked(case.incident):
            yield at(
                case, (), "unlinked", "No replay of a check must find it.",
                "Write a replay with this `case`, or say under `no_check` why nothing could have caught it.",
            )  # fmt: skip
        if held in linked and no_check is not None:
            message = f"{linked[held]} has a replay that must find it."
            yield at(case, ("no_check",), "no-check-contradicted", message, "Delete `no_check`.")


def _must_be_linked(incident: Incident) -> bool:
    """Not a site's own case, whose checks may lie elsewhere, and not one that rests on secondary sources."""
    return incident.id.startswith(PUBLIC_PREFIX) and incident.review.status is ReviewStatus.approved


def _path(folder: CheckFolder, file: ReplayFile) -> Path:
    return folder.path / "replays" / file.name


@dataclass(frozen=True)
class _Opened:
    path: Path
    document: Document


def _in(path: Path) -> _Opened:
    """A file of the catalogue, opened again for its line numbers."""
    return _Opened(path, yaml_text.read(path))
