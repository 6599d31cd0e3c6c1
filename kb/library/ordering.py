"""The served cases in each order that a list can have, sorted once: a selection only has to be picked out."""

from collections.abc import Collection, Mapping
from functools import cached_property

from kb.model import Domain, Incident
from kb.questions import Sort

Key = tuple[int, str, str]


class Orders:
    """Of the cases it was given; an order is worked out when it is first asked for."""

    def __init__(self, incidents: Mapping[str, Incident]) -> None:
        self._incidents = incidents
        self._ranked: dict[Sort, tuple[str, ...]] = {}
        self._place: dict[Sort, dict[str, int]] = {}

    @cached_property
    def date(self) -> dict[str, str | None]:
        """Id → the date that a list shows and sorts by."""
        return {case_id: incident.date[0] for case_id, incident in self._incidents.items()}

    @cached_property
    def all(self) -> frozenset[str]:
        return frozenset(self._incidents)

    @cached_property
    def by_domain(self) -> dict[Domain, frozenset[str]]:
        cases = self._incidents.items()
        return {domain: frozenset(i for i, case in cases if case.domain is domain) for domain in Domain}

    def ranked(self, sort: Sort) -> tuple[str, ...]:
        """All ids."""
        if sort not in self._ranked:
            self._ranked[sort] = tuple(sorted(self.date, key=lambda i: key(i, self.date[i], sort)))
        return self._ranked[sort]

    def of(self, ids: Collection[str], sort: Sort) -> list[str]:
        """Some of them."""
        # To sort a few costs less than to walk through all.
        if len(ids) * 8 < len(self.date):
            return sorted(ids, key=self.places(sort).__getitem__)
        chosen = ids if isinstance(ids, set | frozenset) else frozenset(ids)
        return [case_id for case_id in self.ranked(sort) if case_id in chosen]

    def places(self, sort: Sort) -> dict[str, int]:
        """Id → its place among all."""
        if sort not in self._place:
            self._place[sort] = {case_id: place for place, case_id in enumerate(self.ranked(sort))}
        return self._place[sort]


def key(case_id: str, at: str | None, sort: Sort) -> Key:
    """Ascending in the order asked for; undated cases come last in both directions."""
    if sort is Sort.id:
        return 0, "", _padded(case_id)
    if at is None:
        return 1, "", _padded(case_id)
    return 0, at if sort is Sort.oldest else _reversed(at), _padded(case_id)


def _padded(case_id: str) -> str:
    prefix, number = case_id.rsplit("-", 1)
    return f"{prefix}-{int(number):09d}"


def _reversed(text: str) -> str:
    """A string that sorts the other way round: digits complemented, and longer (more precise) first."""
    return "".join(chr(ord("9") - int(c)) if c.isdigit() else c for c in text) + "~"
