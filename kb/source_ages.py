"""How long ago each source was opened and compared with its case: what has to be looked at again first."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

from kb.model import Incident, ReadExtent, SourceKind


@dataclass(frozen=True)
class SourceAge:
    """days: since it was last opened, as far as `checked` says it to the day (a month counts from its first)."""

    case: str
    source: str
    kind: SourceKind
    read: ReadExtent
    days: int
    archived: bool
    url: str

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc.lower().removeprefix("www.")


def source_ages(incidents: Iterable[Incident], today: date) -> tuple[SourceAge, ...]:
    """Every source of every case, the one not opened for the longest first."""
    ages = [
        SourceAge(
            incident.id, source.id, source.kind, source.read, (today - _day(str(source.checked))).days,
            source.archived is not None, str(source.url),
        )
        for incident in incidents
        for source in incident.sources
    ]  # fmt: skip
    return tuple(sorted(ages, key=lambda age: (-age.days, age.case, age.source)))


def _day(moment: str) -> date:
    """The earliest day that a date of any precision can mean."""
    year, month, day = (*map(int, moment[:10].split("-")), 1, 1)[:3]
    return date(year, month, day)
