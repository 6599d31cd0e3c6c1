"""Cases that may tell one event twice: what a writer looks for before a case is added, and an editor now and then."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import parse_qsl, urlencode, urlsplit

from kb.library.likeness import Likeness
from kb.model import Incident

#: Likeness (0 to 10.05, see `kb.library.likeness`) from which a pair is named: for what it says alone, for two reports
#: at the same address, for two events of one organisation within `DAYS` days. Of the pairs of this library that are
#: related as one event, one failure mode or one paper, the closest lie above 5; a paper or a diary tells many events.
ALIKE, SAME_ADDRESS, SAME_DAYS = 5.5, 4.0, 3.0
#: Days between events that count as the same days, and from which two events cannot be one whatever their words: the
#: date may be that of the report.
DAYS, APART = 3, 60


@dataclass(frozen=True)
class Twin:
    """first, second: case ids, in order. days: between the dates of the two, where both are known to the day."""

    first: str
    second: str
    likeness: float
    same_org: bool
    days: int | None
    addresses: tuple[str, ...]
    """Addresses that both cite."""


def twins(incidents: Sequence[Incident], case_id: str | None = None) -> tuple[Twin, ...]:
    """Pairs that may be one event and are not related to each other yet, the likest first.

    case_id: only pairs with this case.
    """
    ordered = sorted(incidents, key=lambda incident: incident.id)
    likeness = Likeness.of(ordered)
    related = {frozenset((one.id, other.id)) for one in ordered for other in one.relations}
    found = []
    for first, one in enumerate(ordered):
        alike = likeness.to(first)
        for second in range(first + 1, len(ordered)):
            other = ordered[second]
            if case_id not in (None, one.id, other.id) or frozenset((one.id, other.id)) in related:
                continue
            pair = _pair(one, other, float(alike[second]))
            if _suspicious(pair):
                found.append(pair)
    return tuple(sorted(found, key=lambda pair: (-pair.likeness, pair.first, pair.second)))


def citing(incidents: Sequence[Incident], url: str) -> tuple[str, ...]:
    """Ids of the cases that cite an address already, however it is written."""
    wanted = _address(url)
    return tuple(sorted(one.id for one in incidents if any(_address(source.url) == wanted for source in one.sources)))


def _pair(one: Incident, other: Incident, likeness: float) -> Twin:
    shared = {_address(source.url) for source in one.sources} & {_address(source.url) for source in other.sources}
    return Twin(one.id, other.id, round(likeness, 2), one.org == other.org, _days(one, other), tuple(sorted(shared)))


def _suspicious(pair: Twin) -> bool:
    if pair.days is not None and pair.days > APART:
        return False
    close = pair.same_org and pair.days is not None and pair.days <= DAYS
    least = min([ALIKE, *[SAME_ADDRESS] * bool(pair.addresses), *[SAME_DAYS] * close])
    return pair.likeness >= least


def _days(one: Incident, other: Incident) -> int | None:
    days = []
    for incident in (one, other):
        at = incident.date[0]
        if at is None or len(at) < len("2026-01-01"):
            return None
        days.append(date.fromisoformat(at[:10]))
    return abs((days[0] - days[1]).days)


def _address(url: str) -> str:
    """Without scheme, `www.`, fragment, final slash and `utm_` parameters: these differ between links to one report.

    Other parameters stay, in order: of a wiki or a video site they alone say which page is meant.
    """
    parts = urlsplit(str(url))
    query = urlencode(sorted(pair for pair in parse_qsl(parts.query) if not pair[0].startswith("utm_")))
    return parts.netloc.lower().removeprefix("www.") + parts.path.rstrip("/") + (query and f"?{query}")
