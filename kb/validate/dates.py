"""Dates: real, in order, as precise as they say, and none after the day of the review."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import combinations

from kb.corpus import CaseFile
from kb.model import Incident, Precision
from kb.validate.rules import Finding, at
from kb.yaml_text import Place

_FORMS = {4: "%Y", 7: "%Y-%m", 10: "%Y-%m-%d"}
_LENGTHS = {4: Precision.year, 7: Precision.month, 10: Precision.day}
_MINUTES = 16


def findings(case: CaseFile) -> Iterator[Finding]:
    unreal = [(place, moment) for place, moment in _moments(case.incident) if not real(moment)]
    for place, moment in unreal:
        yield at(case, place, "date-real", f"`{moment}` is not in the calendar.", "Look it up in the source.")
    if unreal:
        return
    yield from _precision(case)
    yield from _order(case)
    yield from _timeline(case)
    day = case.incident.review.on
    for place, moment in _moments(case.incident):
        if place != ("review", "on") and after(moment, day):
            yield at(
                case,
                place,
                "date-future",
                f"`{moment}` lies after the review of {day}.",
                "Mend one of the two.",
            )


def _moments(incident: Incident) -> list[tuple[Place, str]]:
    """Every date of a case. Times of the timeline are the report's, so they count as well."""
    found: list[tuple[Place, str]] = []
    for name in ("occurred", "ended", "published"):
        dated = getattr(incident.dates, name)
        if dated:
            found.append((("dates", name, "at"), dated.at))
    found += [(("timeline", i, "at"), e.at) for i, e in enumerate(incident.timeline) if e.at]
    for i, source in enumerate(incident.sources):
        found.append((("sources", i, "checked"), source.checked))
        if source.published:
            found.append((("sources", i, "published"), source.published))
    return [*found, (("review", "on"), incident.review.on)]


def _precision(case: CaseFile) -> Iterator[Finding]:
    for name in ("occurred", "ended", "published"):
        dated = getattr(case.incident.dates, name)
        if dated and dated.precision is not precision_of(dated.at):
            yield at(
                case, ("dates", name, "precision"), "date-precision",
                f"`{dated.at}` is written to the {precision_of(dated.at)}, not to the {dated.precision}.",
                "Write as much of the date as is known, and that precision.",
            )  # fmt: skip


def _order(case: CaseFile) -> Iterator[Finding]:
    dates = case.incident.dates
    held = [(name, d.at) for name in ("occurred", "ended", "published") if (d := getattr(dates, name))]
    for (before, earlier), (name, later) in combinations(held, 2):
        if after(earlier, later):
            yield at(
                case, ("dates", name, "at"), "date-order",
                f"{name} `{later}` lies before {before} `{earlier}`.",
                "Compare both with the source.",
            )  # fmt: skip


def _timeline(case: CaseFile) -> Iterator[Finding]:
    last: str | None = None
    for i, entry in enumerate(case.incident.timeline):
        if entry.at is None:
            continue
        if last is not None and after(last, entry.at):
            yield at(
                case, ("timeline", i, "at"), "timeline-order", f"`{entry.at}` stands after `{last}`.",
                "Sort the timeline, or mend the time.",
            )  # fmt: skip
        last = entry.at


def precision_of(at: str) -> Precision:
    return _LENGTHS.get(len(at), Precision.minute)


def real(at: str) -> bool:
    """Whether a moment exists in the calendar."""
    try:
        _parse(at)
    except ValueError:
        return False
    return True


def after(a: str, b: str) -> bool:
    """Whether `a` is certainly later than `b`, judged at the precision that both have.

    Where only one of them names its zone, a day of difference proves nothing.
    """
    left, right = _parse(a), _parse(b)
    if left.tzinfo and right.tzinfo:
        return left > right
    shared = min(len(a), len(b), _MINUTES)
    if left.tzinfo or right.tzinfo:
        slack = timedelta(days=1) if shared >= len("2026-11-29") else timedelta()
        return _cut(left, shared) - slack > _cut(right, shared)
    return a[:shared] > b[:shared]


def _cut(moment: datetime, shared: int) -> datetime:
    plain = moment.replace(tzinfo=None)
    text = plain.isoformat(timespec="minutes")[:shared]
    return _parse(text)


def _parse(at: str) -> datetime:
    if len(at) in _FORMS:
        return datetime.strptime(at, _FORMS[len(at)])
    moment = datetime.fromisoformat(at)
    return moment.astimezone(UTC) if moment.tzinfo else moment
