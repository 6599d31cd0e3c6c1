"""What the corpus holds, as figures: fields, reading, links, second readings. Counted from the files."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from kb.checks.card import CheckStatus, LinkState
from kb.checks.catalogue import Catalogue
from kb.corpus import Corpus
from kb.model import Domain, Incident, ReadExtent, ReviewStatus
from kb.reviews import Adjudication, Agreement, Reading, adjudication, agreements

#: Field → whether a case states it.
FIELDS: Mapping[str, Callable[[Incident], bool]] = {
    "components": lambda case: bool(case.components),
    "factors": lambda case: bool(case.factors),
    "date occurred": lambda case: case.dates.occurred is not None,
    "severity": lambda case: case.severity is not None,
    "time to detect": lambda case: case.time_to_detect is not None,
    "time to recover": lambda case: case.time_to_recover is not None,
    "cause": lambda case: case.narrative.cause is not None,
    "detection": lambda case: case.narrative.detection is not None,
    "lessons": lambda case: case.narrative.lessons is not None,
    "timeline": lambda case: bool(case.timeline),
    "actions": lambda case: bool(case.actions),
    "follow-ups": lambda case: bool(case.follow_ups),
    "evidence strings": lambda case: bool(case.evidence),
    "relations": lambda case: bool(case.relations),
}


@dataclass(frozen=True)
class Stats:
    cases: int
    by_status: Mapping[str, int]
    by_domain: Mapping[str, int]
    stated: Mapping[str, float]
    """Field → share of the approved cases that state it."""
    read_in_full: float
    """Share of the approved cases with at least one primary source read in full."""
    links: Mapping[str, int]
    """Cases by the best link they have: proven, rebuilt, unproven, no check, none."""
    checks: Mapping[str, int]
    second_readings: int
    claims_read: Mapping[str, int]
    agreement: tuple[Agreement, ...]
    adjudication: Adjudication

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def stats(corpus: Corpus, catalogue: Catalogue, readings: Mapping[str, Reading]) -> Stats:
    """Provisional and draft cases are counted, and stay out of the shares."""
    incidents = [case.incident for case in corpus.cases]
    approved = [case for case in incidents if case.review.status is ReviewStatus.approved]
    held = {case.id for case in incidents}
    verdicts = Counter(
        str(verdict)
        for case, reading in readings.items()
        if case in held
        for claim, verdict in reading.claims.items()
        if claim != reading.planted
    )
    return Stats(
        cases=len(incidents),
        by_status=_counted(str(case.review.status) for case in incidents),
        by_domain={str(domain): sum(case.domain is domain for case in incidents) for domain in Domain},
        stated={name: _share(sum(has(case) for case in approved), len(approved)) for name, has in FIELDS.items()},
        read_in_full=_share(sum(_read_in_full(case) for case in approved), len(approved)),
        links=_counted(_best_link(case, catalogue) for case in approved),
        checks={str(s): sum(catalogue.status(c) is s for c in catalogue.folders) for s in CheckStatus},
        second_readings=len(held & set(readings)),
        claims_read=dict(sorted(verdicts.items())),
        agreement=agreements(incidents, dict(readings)),
        adjudication=adjudication(incidents, dict(readings)),
    )


def _counted(values: object) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))  # type: ignore[call-overload]


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


def _read_in_full(case: Incident) -> bool:
    return any(source.read is ReadExtent.full and source.kind != "secondary" for source in case.sources)


def _best_link(case: Incident, catalogue: Catalogue) -> str:
    states = {link.state for link in catalogue.links if link.case == case.id}
    for state in (LinkState.proven, LinkState.rebuilt, LinkState.unproven):
        if state in states:
            return str(state)
    return "no check" if case.no_check else "none"
