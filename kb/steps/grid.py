"""The times of one job as a dense grid, phase × step × rank.

Every comparison works on the **mean duration of one operation** in a cell. Repeated records, lost records and
uneven numbers of micro-batches change a sum; they do not change the mean, and so accuse nobody.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kb.steps.phases import Role, role_of
from kb.steps.records import Bools, Floats, Ints, Kind, Remark

Singles = NDArray[np.float32]


@dataclass(frozen=True)
class Grid:
    """One job. Ranks and steps ascend; `axes[a][i]` is the coordinate of `ranks[i]`, -1 where unknown.

    total, count: (phases, steps, ranks) summed seconds and number of operations.
    first, last: (steps, ranks) begin of the first and end of the last forward or backward operation; none
        without start times. Host clocks are never compared with each other, only a rank's own differences are used.
    covariates: name → (steps, ranks) mean of an operation.
    width: how many steps one row stands for.
    """

    job: str
    ranks: Ints
    steps: Ints
    phases: tuple[str, ...]
    kinds: tuple[Kind, ...]
    total: Singles
    count: NDArray[np.uint16]
    axes: Mapping[str, Ints]
    first: Floats | None = None
    last: Floats | None = None
    begin: Floats | None = None
    end: Floats | None = None
    covariates: Mapping[str, Singles] = field(default_factory=dict)
    width: int = 1
    remarks: tuple[Remark, ...] = ()

    def mean(self, phase: int) -> Singles:
        """(steps, ranks): seconds of one operation of the phase, NaN where a rank has none."""
        count = self.count[phase]
        total: Singles = self.total[phase]
        if count.size and count.min() == 1 == count.max():
            return total
        with np.errstate(divide="ignore", invalid="ignore"):
            mean: Singles = np.where(count > 0, total / count, np.nan).astype(np.float32)
        return mean

    def sums(self, phase: int) -> Singles:
        """(steps, ranks): summed seconds, repeated records counted once, NaN where a rank has none."""
        usual = self.usual_count(phase)
        summed: Singles = (self.mean(phase) * np.minimum(self.count[phase], usual)).astype(np.float32)
        return summed

    def usual_count(self, phase: int) -> int:
        """How many operations a rank usually has in a step."""
        count = self.count[phase]
        filled = count[count > 0]
        return int(np.bincount(filled).argmax()) if len(filled) else 0

    def phases_of(self, kind: Kind) -> list[int]:
        return [index for index, own in enumerate(self.kinds) if own is kind]

    def phases_in(self, role: Role) -> list[int]:
        return [
            index
            for index, phase in enumerate(self.phases)
            if self.kinds[index] is Kind.compute and role_of(phase) is role
        ]

    def without(self, ranks: Bools) -> "Grid":
        """The same grid without anything that these ranks (mask) recorded."""
        if not ranks.any():
            return self
        count = self.count.copy()
        count[:, :, ranks] = 0

        def blank(plane: Floats | None) -> Floats | None:
            return None if plane is None else np.where(ranks, np.nan, plane)

        return replace(
            self, count=count, first=blank(self.first), last=blank(self.last), begin=blank(self.begin),
            end=blank(self.end),
        )  # fmt: skip

    def axis(self, name: str) -> Ints:
        """Coordinates of all ranks; 0 where the job has no such axis."""
        return self.axes.get(name, np.zeros(len(self.ranks), np.int64))

    @property
    def has_coordinates(self) -> bool:
        return bool(self.axes)


def known_ranks(grid: Grid) -> Bools:
    """Ranks whose coordinates are all known; all of them where the job has no coordinates."""
    known = np.ones(len(grid.ranks), bool)
    for values in grid.axes.values():
        known &= values >= 0
    return known
