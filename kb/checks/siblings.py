"""The same trouble seen through two sources: each of the two findings names the check of the other.

Both stay, because they say different things of it: one counts in a namespace what the other names one by one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kb.checks.card import CheckCard
from kb.checks.report import ReportedFinding

Place = Mapping[str, str]


class _Places:
    """Where one check found something; indexed by the labels that it is asked for."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places
        self._seen: dict[tuple[str, ...], set[tuple[str, ...]]] = {}

    def hold(self, place: Place) -> bool:
        """Whether one of them shares a label with `place` and agrees with it in all that both have."""
        return any(self._agrees(names, place) for names in {tuple(sorted(set(p) & set(place))) for p in self._places})

    def _agrees(self, names: tuple[str, ...], place: Place) -> bool:
        if names not in self._seen:
            self._seen[names] = {tuple(p[name] for name in names) for p in self._places if set(names) <= set(p)}
        return bool(names) and tuple(place[name] for name in names) in self._seen[names]


def with_siblings(findings: Sequence[ReportedFinding], cards: Mapping[str, CheckCard]) -> tuple[ReportedFinding, ...]:
    """The findings in their order, each with the siblings of its check that found the same place."""
    found: dict[str, list[Place]] = defaultdict(list)
    for item in findings:
        found[item.check].append(item.finding.where)
    siblings: dict[str, set[str]] = defaultdict(set)
    for check in found:
        for other in found.keys() & cards[check].same_as:
            siblings[check].add(other)
            siblings[other].add(check)
    places = {check: _Places(found[check]) for check in siblings}
    return tuple(
        replace(item, also_seen_by=tuple(sorted(o for o in siblings[item.check] if places[o].hold(item.finding.where))))
        if item.check in places
        else item
        for item in findings
    )
