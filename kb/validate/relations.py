"""Relations between cases, cases that tell the same event, and what a review has to say."""

from collections.abc import Iterator
from itertools import combinations

from kb.corpus import CaseFile, Corpus
from kb.model import SERVED, Incident, Precision, RelationKind, ReviewStatus
from kb.validate.rules import Finding, at

SYMMETRIC = frozenset({RelationKind.same_event, RelationKind.same_failure_mode, RelationKind.same_paper})
_EXPLAINED = frozenset({ReviewStatus.provisional, ReviewStatus.superseded, ReviewStatus.withdrawn})
_DAYS = frozenset({Precision.day, Precision.minute})


def findings(corpus: Corpus) -> Iterator[Finding]:
    cases = {case.incident.id: case for case in corpus.cases}
    for case in corpus.cases:
        yield from _relations(case, cases, corpus.unread_names)
        yield from _review(case)
    yield from _same_events(corpus)


def _relations(case: CaseFile, cases: dict[str, CaseFile], unread: frozenset[str]) -> Iterator[Finding]:
    held = case.incident.id
    for i, relation in enumerate(case.incident.relations):
        place = ("relations", i, "id")
        if relation.id == held:
            yield at(case, place, "relation-known", "The case is related to itself.", "Delete the relation.")
        elif relation.id in unread:
            continue
        elif relation.id not in cases:
            yield at(
                case, place, "relation-known", f"There is no case {relation.id}.",
                "Mend the id, or leave the relation out until the case is written.",
            )  # fmt: skip
        elif relation.kind in SYMMETRIC and not _tells(cases[relation.id].incident, relation.kind, held):
            yield at(
                case, place, "relation-mirrored", f"{relation.id} does not say `{relation.kind}` of {held}.",
                f"Add it to {relation.id}, or delete it here.",
            )  # fmt: skip
        if relation in case.incident.relations[:i]:
            yield at(case, place, "relation-twice", f"`{relation.kind}` {relation.id} stands twice.", "Keep one.")


def _tells(incident: Incident, kind: RelationKind, other: str) -> bool:
    return any(relation.kind is kind and relation.id == other for relation in incident.relations)


def _review(case: CaseFile) -> Iterator[Finding]:
    status = case.incident.review.status
    if status in _EXPLAINED and case.incident.review.note is None:
        yield at(case, ("review",), "review-note", f"A {status} case says why.", "Add `note`, en and ko.")
    successors = [r.id for r in case.incident.relations if r.kind is RelationKind.superseded_by]
    if status is ReviewStatus.superseded and not successors:
        yield at(
            case, ("review", "status"), "review-successor", "Nothing says which case supersedes it.",
            "Add a relation `superseded-by`.",
        )  # fmt: skip
    if status in SERVED and successors:
        yield at(
            case, ("review", "status"), "review-successor",
            f"It is {status}, yet superseded by {successors[0]}.",
            "Make the review `superseded`, or delete the relation.",
        )  # fmt: skip


def _same_events(corpus: Corpus) -> Iterator[Finding]:
    by_day: dict[tuple[str, str], list[CaseFile]] = {}
    for case in corpus.served:
        occurred = case.incident.dates.occurred
        if occurred and occurred.precision in _DAYS:
            by_day.setdefault((case.incident.org, occurred.at[:10]), []).append(case)
    for (org, day), cases in by_day.items():
        for first, second in combinations(cases, 2):
            shared = sorted(set(first.incident.symptoms) & set(second.incident.symptoms))
            if shared and not (_related(first, second) or _related(second, first)):
                yield at(
                    second, ("dates", "occurred"), "same-event",
                    f"{first.incident.id} is of {org} on {day} too, with `{shared[0]}`.",
                    "Merge the two, or relate them (`same-event`, `follow-up-of` …).",
                )  # fmt: skip


def _related(case: CaseFile, other: CaseFile) -> bool:
    return any(relation.id == other.incident.id for relation in case.incident.relations)
