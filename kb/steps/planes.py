"""What a grid keeps beside its cells while it grows: coordinates of ranks, spans of a rank's work, covariates."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kb.steps.records import AXES, Bools, Floats, Ints, PhaseTable

Number = TypeVar("Number", bound=np.generic)
Singles = NDArray[np.float32]

#: A coordinate that no record has stated yet.
UNSTATED = -2


def enlarged(values: NDArray[Number], shape: tuple[int, ...], blank: float) -> NDArray[Number]:
    """The same values in a larger array, the rest filled with `blank`; an array that is large enough stays."""
    shape = tuple(max(need, have) for need, have in zip(shape, values.shape, strict=True))
    if values.shape == shape:
        return values
    larger = np.full(shape, blank, values.dtype)
    larger[tuple(slice(0, have) for have in values.shape)] = values
    return larger


def ordered(values: NDArray[Number], by_step: Ints, by_rank: Ints) -> NDArray[Number]:
    """The filled part of an array whose last two axes are steps and ranks, in ascending order of both."""
    cut = values[..., : len(by_step), : len(by_rank)]
    if (np.diff(by_step) < 0).any():
        cut = cut[..., by_step, :]
    return cut[..., by_rank] if (np.diff(by_rank) < 0).any() else cut


class Places:
    """Coordinates as the records state them; a rank that is stated at two places is at none."""

    def __init__(self) -> None:
        self._axes: dict[str, Ints] = {}
        self._wrong = np.zeros(0, bool)

    @property
    def contradicted(self) -> int:
        return int(self._wrong.sum())

    def add(self, rank: Ints, axes: Mapping[str, Ints], columns: int) -> None:
        """rank: positions of the ranks. columns: how many positions there are."""
        self._wrong = enlarged(self._wrong, (columns,), False)
        for name, values in axes.items():
            known = self._axes[name] = enlarged(self._axes.get(name, np.zeros(0, np.int64)), (columns,), UNSTATED)
            before = known[rank]
            differs = before != values
            if not differs.any():
                continue
            fresh = differs & (values >= 0) & (before < 0)
            known[rank[fresh]] = values[fresh]
            # A chunk may contradict itself as well: what it wrote is compared with what it says.
            self._wrong[rank[(values >= 0) & (known[rank] != values)]] = True

    def axes(self, by_rank: Ints) -> dict[str, Ints]:
        """axis → coordinate of each rank, -1 where unknown."""
        found = {}
        for name in AXES:
            if name in self._axes:
                values = enlarged(self._axes[name], (len(self._wrong),), UNSTATED)
                found[name] = np.where(self._wrong, -1, np.maximum(values, -1))[: len(by_rank)][by_rank]
        return found


class Spans:
    """Begin and end of each rank's step, and of its forward and backward work in it."""

    def __init__(self) -> None:
        self._planes: dict[str, Floats] = {}

    def add(self, table: PhaseTable, own_work: Bools, cell: Ints, shape: tuple[int, int]) -> None:
        known = ~np.isnan(table.start)
        if not known.any():
            return
        end = table.start + table.duration
        everything = bool(known.all())
        for low, high, rows in (("begin", "end", known), ("first", "last", known & own_work)):
            where = cell if everything and rows is known else cell[rows]
            for name, values, extreme in ((low, table.start, np.minimum), (high, end, np.maximum)):
                blank = np.inf if extreme is np.minimum else -np.inf
                plane = self._planes[name] = enlarged(self._planes.get(name, np.zeros((0, 0))), shape, blank)
                extreme.at(plane.reshape(-1), where, values if where is cell else values[rows])

    def planes(self, by_step: Ints, by_rank: Ints) -> dict[str, Floats]:
        """name → (steps, ranks), NaN where a rank has no start time."""
        size = (len(by_step), len(by_rank))
        full = {
            name: enlarged(values, size, np.inf if name in ("begin", "first") else -np.inf)
            for name, values in self._planes.items()
        }
        cut = {name: ordered(values, by_step, by_rank) for name, values in full.items()}
        return {name: np.where(np.isfinite(values), values, np.nan) for name, values in cut.items()}


class Weights:
    """Covariates, averaged over the operations of a rank's step."""

    def __init__(self) -> None:
        self._planes: dict[str, tuple[Floats, Floats]] = {}

    def add(self, covariates: Mapping[str, Floats], cell: Ints, shape: tuple[int, int]) -> None:
        for name, values in covariates.items():
            known = ~np.isnan(values)
            blank = np.zeros((0, 0))
            total, count = (enlarged(plane, shape, 0) for plane in self._planes.get(name, (blank, blank)))
            np.add.at(total.reshape(-1), cell[known], values[known])
            np.add.at(count.reshape(-1), cell[known], np.ones(int(known.sum())))
            self._planes[name] = total, count

    def join(self, rows: Ints, height: int) -> None:
        """Fold rows together: old row i goes to `rows[i]`."""
        for name, planes in self._planes.items():
            folded = []
            for plane in planes:
                target = np.zeros((height, plane.shape[1]))
                have = min(len(rows), len(plane))
                np.add.at(target, rows[:have], plane[:have])
                folded.append(target)
            self._planes[name] = folded[0], folded[1]

    def means(self, by_step: Ints, by_rank: Ints) -> dict[str, Singles]:
        """name → (steps, ranks), NaN where unknown."""
        size = (len(by_step), len(by_rank))
        found = {}
        for name, planes in self._planes.items():
            total, count = (ordered(enlarged(plane, size, 0), by_step, by_rank) for plane in planes)
            with np.errstate(divide="ignore", invalid="ignore"):
                found[name] = np.where(count > 0, total / count, np.nan).astype(np.float32)
        return found
