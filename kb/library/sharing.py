"""How alike two cases are in what they are classified by: a weighted Jaccard, in which main values count double."""

from collections.abc import Sequence

import numpy as np

from kb.model import Incident, Kind

DIAGNOSIS = (Kind.symptoms, Kind.components, Kind.root_causes, Kind.factors)

Values = dict[tuple[Kind, str], float]
"""Vocabulary value → how much it says about a case: 2 for the main one of its kind, 1 for others."""


def values_of(case: Incident) -> Values:
    """In the order of diagnosis."""
    return {(k, slug): 2.0 if i == 0 else 1.0 for k in DIAGNOSIS for i, slug in enumerate(case.terms(k))}


class Sharing:
    """Of the cases in the order they were given; a case is named by its place in it."""

    def __init__(self, incidents: Sequence[Incident]) -> None:
        carried = [values_of(incident) for incident in incidents]
        self._total = np.array([sum(values.values()) for values in carried])
        found: dict[tuple[Kind, str], list[tuple[int, float]]] = {}
        for number, values in enumerate(carried):
            for value, weight in values.items():
                found.setdefault(value, []).append((number, weight))
        #: Value → the cases that carry it, and its weight in each.
        self._carriers = {
            value: (np.array([number for number, _ in those]), np.array([weight for _, weight in those]))
            for value, those in found.items()
        }

    def alike(self, mine: Values) -> dict[int, float]:
        """Each case that shares a value with a case of these values → how alike the two are, up to 1."""
        common = np.zeros(len(self._total))
        for value, weight in mine.items():
            if value in self._carriers:
                numbers, theirs = self._carriers[value]
                common[numbers] += np.minimum(weight, theirs)
        sharing = np.flatnonzero(common)
        shared = common[sharing]
        alike = shared / (sum(mine.values()) + self._total[sharing] - shared)
        return dict(zip(sharing.tolist(), alike.tolist(), strict=True))
