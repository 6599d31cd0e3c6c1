"""What changed between two states of the data, case by case: the changelog of a corpus, written by comparing files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.corpus import Corpus
from kb.model import Incident, Kind, ReviewStatus

#: Of a case: the day and note of its review say nothing of what it tells; its status does.
UNTOLD = frozenset({"review"})


@dataclass(frozen=True)
class Changed:
    id: str
    title: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class DataChanges:
    """before, after: versions of the data. Cases in the order of their ids; terms as `kind/slug`."""

    before: str
    after: str
    added: tuple[Changed, ...]
    approved: tuple[Changed, ...]
    withdrawn: tuple[Changed, ...]
    removed: tuple[Changed, ...]
    changed: tuple[Changed, ...]
    terms_added: tuple[str, ...]
    terms_removed: tuple[str, ...]

    def __bool__(self) -> bool:
        told = (self.added, self.approved, self.withdrawn, self.removed, self.changed)
        return any(told) or bool(self.terms_added or self.terms_removed)


def data_changes(before: Corpus, after: Corpus) -> DataChanges:
    """A case that is new, newly approved or newly withdrawn is told once, as that."""
    old, new = _by_id(before), _by_id(after)
    both = [(old[id], new[id]) for id in sorted(old.keys() & new.keys())]
    approved = [pair for pair in both if _became(*pair, ReviewStatus.approved)]
    withdrawn = [pair for pair in both if _became(*pair, ReviewStatus.withdrawn)]
    other = [pair for pair in both if pair not in approved and pair not in withdrawn]
    terms = [{f"{kind}/{slug}" for kind in Kind for slug in one.vocabulary.values[kind]} for one in (before, after)]
    return DataChanges(
        before=before.data_version,
        after=after.data_version,
        added=tuple(_told(new[id], ()) for id in sorted(new.keys() - old.keys())),
        approved=tuple(_told(one, _fields(former, one)) for former, one in approved),
        withdrawn=tuple(_told(one, ()) for _, one in withdrawn),
        removed=tuple(_told(old[id], ()) for id in sorted(old.keys() - new.keys())),
        changed=tuple(_told(one, fields) for former, one in other if (fields := _fields(former, one))),
        terms_added=tuple(sorted(terms[1] - terms[0])),
        terms_removed=tuple(sorted(terms[0] - terms[1])),
    )


def markdown(changes: DataChanges) -> str:
    """One section of a changelog."""
    lines = [f"## {changes.after}", "", f"Since {changes.before}.", ""]
    for what, those in (
        ("Added", changes.added),
        ("Approved", changes.approved),
        ("Withdrawn", changes.withdrawn),
        ("Removed", changes.removed),
        ("Changed", changes.changed),
    ):
        lines += _section(what, [_line(one) for one in those])
    lines += _section("Vocabulary values added", [f"- `{name}`" for name in changes.terms_added])
    lines += _section("Vocabulary values removed or renamed", [f"- `{name}`" for name in changes.terms_removed])
    return "\n".join(lines if changes else [*lines, "Nothing changed.", ""])


def _by_id(corpus: Corpus) -> dict[str, Incident]:
    return {case.incident.id: case.incident for case in corpus.cases}


def _became(former: Incident, one: Incident, status: ReviewStatus) -> bool:
    return one.review.status is status and former.review.status is not status


def _fields(former: Incident, one: Incident) -> tuple[str, ...]:
    fields = [name for name in type(one).model_fields if getattr(former, name) != getattr(one, name)]
    same = former.review.status is one.review.status
    return tuple(name for name in fields if name not in UNTOLD or not same)


def _told(incident: Incident, fields: Iterable[str]) -> Changed:
    return Changed(incident.id, incident.title.en or incident.title.ko or "", tuple(fields))


def _line(one: Changed) -> str:
    return f"- {one.id} {one.title}" + (f" ({', '.join(one.fields)})" if one.fields else "")


def _section(what: str, lines: Sequence[str]) -> list[str]:
    return [f"### {what}: {len(lines)}", "", *lines, ""] if lines else []
