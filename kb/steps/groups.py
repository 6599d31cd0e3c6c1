"""Comparable ranks of a job: the routing table applied to coordinates."""

from dataclasses import dataclass

import numpy as np

from kb.steps.grid import Grid, Singles, known_ranks
from kb.steps.phases import Route
from kb.steps.records import Ints, Layout


@dataclass(frozen=True)
class Groups:
    """members: (groups, size) columns of the grid, -1 where a group is smaller than the largest one.

    labels: what the members of each group agree in, as `pp=0 tp=1`; empty where the job has no such axis.
    """

    members: Ints
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.members)

    @property
    def whole(self) -> bool:
        return bool(self.members.size) and bool((self.members >= 0).all())

    def gather(self, plane: Singles) -> Singles:
        """(steps, groups, size): the values of each group side by side, NaN where it has no member."""
        taken: Singles = plane[:, self.members]
        if self.whole:
            return taken
        padded: Singles = np.where(self.members >= 0, taken, np.nan).astype(np.float32)
        return padded

    @property
    def sizes(self) -> Ints:
        sizes: Ints = np.count_nonzero(self.members >= 0, axis=1)
        return sizes


def groups_of(grid: Grid, route: Route) -> Groups:
    """Ranks that may be compared along this route. Ranks with an unknown coordinate are in no group."""
    known = np.flatnonzero(known_ranks(grid))
    fixed = [axis for axis in route.fixed if axis in grid.axes]
    if not len(known):
        return Groups(np.zeros((0, 0), np.int64), ())
    key = np.zeros(len(known), np.int64)
    for axis in fixed:
        values = grid.axes[axis][known]
        key = key * (int(values.max()) + 1) + values
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    sizes = np.diff(starts, append=len(known))
    members = np.full((len(starts), int(sizes.max())), -1, np.int64)
    within = np.arange(len(known)) - np.repeat(starts, sizes)
    members[np.repeat(np.arange(len(starts)), sizes), within] = known[order]
    labels = tuple(place_of(grid, int(known[order[start]]), fixed) for start in starts)
    return Groups(members, labels)


def place_of(grid: Grid | Layout, column: int, axes: list[str] | None = None) -> str:
    """Coordinates of one rank in words, `dp=0 pp=1`."""
    chosen = list(grid.axes) if axes is None else axes
    return " ".join(f"{axis}={grid.axes[axis][column]}" for axis in chosen)
