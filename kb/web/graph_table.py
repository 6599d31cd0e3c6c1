"""The cases of a library as numbers, so that the rows of a large graph are sums over arrays. Pure computation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from kb.web.graph_lines import MORE, NONE
from kb.web.graph_order import Flow

Values = tuple[str, ...]
Numbers = npt.NDArray[np.intp]
Weights = npt.NDArray[np.float32]


@dataclass(frozen=True)
class GraphCase:
    """A case's slugs; `values` holds symptoms, components, root causes, factors, each main value first."""

    id: str
    org: str
    values: tuple[Values, Values, Values, Values]


@dataclass(frozen=True)
class Counted:
    """One column of a large graph.

    rows: the most frequent values, then `MORE` and `NONE` where there are such.
    counts: how many cases each row stands for.
    distinct, hidden: number of different values, and of those folded into `MORE`.
    """

    rows: list[str]
    counts: dict[str, int]
    distinct: int
    hidden: int


class CaseTable:
    """Of the cases it was given; a case is named by its place among them."""

    def __init__(self, cases: Sequence[GraphCase]) -> None:
        self.number = {case.id: number for number, case in enumerate(cases)}
        stated = [tuple(case.values[c] for case in cases) for c in range(4)]
        self._columns = [_Column(column) for column in (*stated, tuple((case.org,) for case in cases))]

    def count(self, numbers: Numbers, chosen: Collection[str], limit: int) -> tuple[list[Counted], list[Flow]]:
        """The columns over some cases, and how many cases run between each two rows of neighbours.

        A case runs through its first value that is not one of `chosen`.
        """
        weights = np.zeros(len(self.number), dtype=np.float32)
        weights[numbers] = 1
        made = [column.count(numbers, weights, chosen, limit) for column in self._columns]
        flows: list[Flow] = []
        for (left, mine), (right, theirs) in pairwise(made):
            width = len(right.rows)
            met = np.bincount(mine * width + theirs, minlength=len(left.rows) * width)
            pairs = ((int(place), int(met[place])) for place in np.flatnonzero(met))
            flows.append({(left.rows[place // width], right.rows[place % width]): n for place, n in pairs})
        return [counted for counted, _ in made], flows


class _Column:
    """The values of one kind. Slugs stand by name, so that a stable order by count leaves equal ones by name."""

    def __init__(self, stated: Sequence[Values]) -> None:
        self.slugs = sorted({slug for slugs in stated for slug in slugs})
        self.code = {slug: code for code, slug in enumerate(self.slugs)}
        #: Shape (cases, values): 1 where the case carries the value. Sums of it are products with a row of weights.
        self.carried = np.zeros((len(stated), len(self.slugs)), dtype=np.float32)
        #: Shape (cases, most values of a case): the values in order, then -1.
        self.stated = np.full((len(stated), max(map(len, stated), default=0) or 1), -1, dtype=np.intp)
        for number, slugs in enumerate(stated):
            codes = [self.code[slug] for slug in slugs]
            self.carried[number, codes] = 1
            self.stated[number, : len(codes)] = codes

    def count(self, numbers: Numbers, weights: Weights, chosen: Collection[str], limit: int) -> tuple[Counted, Numbers]:
        """The rows, and the place among them that each case runs through; `weights` are 1 for these cases, else 0."""
        stated, met = self.stated[numbers], weights @ self.carried
        ranked = np.argsort(-met, kind="stable")[: np.count_nonzero(met)]
        # "1 more" would take the row of the value itself.
        shown = ranked if len(ranked) == limit + 1 else ranked[:limit]
        rest, silent = ranked[len(shown) :], int(np.count_nonzero(stated[:, 0] < 0))
        rows = [self.slugs[code] for code in shown]
        counts = dict(zip(rows, met[shown].astype(int).tolist(), strict=True))
        # The last place is that of -1, of cases that state none.
        place = np.full(len(self.slugs) + 1, len(rows), dtype=np.intp)
        place[shown] = np.arange(len(rows))
        if len(rest):
            folded = np.zeros(len(self.slugs), dtype=np.float32)
            folded[rest] = 1
            counts[MORE] = int(np.count_nonzero((self.carried @ folded) * weights))
            rows.append(MORE)
        if silent:
            counts[NONE] = silent
            place[-1] = len(rows)
            rows.append(NONE)
        return Counted(rows, counts, len(ranked), len(rest)), place[self._main(stated, chosen)]

    def _main(self, stated: Numbers, chosen: Collection[str]) -> Numbers:
        """The first value of each case that is not chosen; of a case that has no other, the first."""
        main: Numbers = stated[:, 0]
        codes = [self.code[slug] for slug in chosen if slug in self.code]
        if codes:
            other = (stated >= 0) & ~np.isin(stated, codes)
            first = stated[np.arange(len(stated)), other.argmax(axis=1)]
            main = np.where(other.any(axis=1), first, main)
        return main
