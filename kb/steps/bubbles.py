"""Bubble amplification: one rank of a pipeline is slow, and the schedule makes much of it.

Three things together, each of which happens without the others: the rank's own work is longer than that of the same
stage elsewhere, step after step; it does not wait longer than that stage does elsewhere; and its neighbours do, by
a good part of the time that its work is longer. So the first may be small, below what level 2 names a rank for.
"""

from dataclasses import dataclass

import numpy as np

from kb.steps.grid import Grid, Singles
from kb.steps.groups import groups_of
from kb.steps.level1 import Iterations
from kb.steps.level2 import PERSISTENCE, Z
from kb.steps.phases import Role, route
from kb.steps.pipeline_model import one_f_one_b
from kb.steps.records import Bools, Floats, Ints, Kind
from kb.steps.robust import first_and_last, median, modified_z, persistent, ratio
from kb.steps.workload import comparable_mean

#: Ours: own work over the peers'; the neighbours' and the rank's additional waiting, as shares of the additional work
#: (1F1B gives at least 0.6 and at most 0); iteration over the one without.
OWN = 1.15
NEIGHBOURS_WAIT, OWN_WAIT = 0.3, 0.15
AMPLIFIED = 1.05


@dataclass(frozen=True)
class Bubble:
    """column: of the grid. hits: steps at which all three hold. ratio: own work over the peers' in the phase that is
    slow. waiting: the neighbours' additional waiting as a share of the additional work. amplified: modelled
    iteration with the rank as it is over the one with the rank as its peers are."""

    column: int
    phase: str
    hits: Bools
    ratio: float
    waiting: float
    amplified: float

    @property
    def first(self) -> int:
        return first_and_last(self.hits)[0]

    @property
    def last(self) -> int:
        return first_and_last(self.hits)[1]


def bubbles(grid: Grid, series: Iterations) -> list[Bubble]:
    """Ranks whose slowness the pipeline amplifies; none without stages, replicas or start times."""
    forward, backward = grid.phases_in(Role.forward), grid.phases_in(Role.backward)
    if grid.first is None or grid.last is None or "pp" not in grid.axes or not (forward and backward):
        return []
    if len(grid.steps) - series.warm_up < PERSISTENCE:
        return []
    idle = _idle(grid, forward + backward)
    peers = groups_of(grid, route("forward", Kind.compute))
    if not peers.members.size or peers.members.shape[1] < 3:
        return []
    extra = _beyond_peers(idle, peers.members)
    work = _beyond_peers(_busy(grid, forward + backward), peers.members)
    found: dict[int, Bubble] = {}
    for phase in (*forward, *backward):
        values = comparable_mean(grid, phase)
        sides = peers.gather(values)
        with np.errstate(invalid="ignore"):
            hits = persistent((ratio(sides) >= OWN) & (modified_z(sides) >= Z), PERSISTENCE, np.isnan(sides))
        for group, member in np.argwhere(hits.any(axis=0)):
            column = int(peers.members[group, member])
            if column < 0:
                continue
            own = hits[:, group, member].copy()
            own[: series.warm_up] = False
            bubble = _judge(grid, phase, column, own, ratio(sides)[:, group, member], work, extra)
            if bubble is not None and (column not in found or bubble.ratio > found[column].ratio):
                found[column] = bubble
    return sorted(found.values(), key=lambda bubble: -bubble.amplified)


def _busy(grid: Grid, own: list[int]) -> Singles:
    """(steps, ranks): seconds of forward and backward work."""
    busy: Singles = np.sum([np.nan_to_num(grid.sums(phase)) for phase in own], axis=0)
    return busy


def _idle(grid: Grid, own: list[int]) -> Singles:
    """(steps, ranks): seconds between a rank's first and last forward or backward in which it did neither."""
    assert grid.first is not None
    assert grid.last is not None
    idle: Singles = np.maximum(grid.last - grid.first - _busy(grid, own), 0).astype(np.float32)
    return idle


def _beyond_peers(seconds: Singles, members: Ints) -> Singles:
    """Seconds of each rank beyond the median of the same stage in all replicas."""
    beyond = np.full(seconds.shape, np.nan, np.float32)
    for group in members:
        columns = group[group >= 0]
        beyond[:, columns] = seconds[:, columns] - median(seconds[:, columns])
    return beyond


def _judge(
    grid: Grid, phase: int, column: int, own: Bools, relative: Singles, work: Singles, waiting: Singles
) -> Bubble | None:
    pipeline = _pipeline(grid, column)
    others = pipeline[pipeline != column]
    if len(others) < 1:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        neighbours = median(waiting[:, others])[:, 0] / work[:, column]
        itself = waiting[:, column] / work[:, column]
        hits = persistent(own & (neighbours >= NEIGHBOURS_WAIT) & (itself <= OWN_WAIT), PERSISTENCE)
    if not hits.any():
        return None
    amplified = _amplified(grid, column, pipeline, hits)
    if amplified < AMPLIFIED:
        return None
    return Bubble(
        column,
        grid.phases[phase],
        hits,
        float(np.nanmedian(relative[hits])),
        float(np.nanmedian(neighbours[hits])),
        amplified,
    )


def _pipeline(grid: Grid, column: int) -> Ints:
    """Columns of the ranks of the same pipeline, by stage."""
    same = np.ones(len(grid.ranks), bool)
    for axis, values in grid.axes.items():
        if axis != "pp":
            same &= values == values[column]
    columns = np.flatnonzero(same)
    return columns[np.argsort(grid.axes["pp"][columns])]


def _amplified(grid: Grid, column: int, pipeline: Ints, hits: Bools) -> float:
    """Modelled iteration with the rank as it is, over the one with the rank as its peers are."""
    stage = grid.axes["pp"] == grid.axes["pp"][column]
    as_it_is: list[Floats] = []
    as_peers: list[Floats] = []
    count = 1
    for role in (Role.forward, Role.backward):
        phases = grid.phases_in(role)
        times = np.sum([np.nanmedian(grid.mean(phase)[hits], axis=0) for phase in phases], axis=0).astype(np.float64)
        count = grid.usual_count(phases[0])
        as_it_is.append(times[pipeline])
        healed = times.copy()
        healed[column] = np.median(times[stage])
        as_peers.append(healed[pipeline])
    slow = one_f_one_b(as_it_is[0], as_it_is[1], count).iteration
    sound = one_f_one_b(as_peers[0], as_peers[1], count).iteration
    return float(slow / sound)
