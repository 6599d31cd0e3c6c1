"""Who comes last to collectives, told without clocks: the last one waits least, so its collective is the shortest.

Published by Aegis (a duration below 0.8 of the mean is the late rank's) and by C4D's summaries. Ours: the same rank
must be last so often in a row that chance is ruled out for this group size and number of steps, and the lag must cost
something. Ranking collectives by duration instead would accuse everybody but the culprit.
"""

from dataclasses import dataclass

import numpy as np

from kb.steps.grid import Grid
from kb.steps.groups import groups_of
from kb.steps.level1 import Iterations
from kb.steps.phases import route
from kb.steps.records import Bools, Kind
from kb.steps.robust import median, persistent

SHORT = 0.5
#: Lag of the last one over the iteration.
WORTH = 0.05
#: Chance that is accepted for one job to find somebody last so often by luck.
LUCK = 1e-4


@dataclass(frozen=True)
class Late:
    """column: of the grid. short: own duration over the group's median. lag: seconds the others waited."""

    phase: int
    column: int
    hits: Bools
    short: float
    lag: float


def own_collective(grid: Grid, column: int, rows: Bools, usual: float) -> float | None:
    """The rank's share of what its peers spend in a collective during `rows`, where that shows it late; none elsewhere.

    usual: seconds of an iteration. A rank that computes too long finds all others waiting: its own collective is short.
    """
    shares = []
    for phase in grid.phases_of(Kind.collective):
        if "embedding" in grid.phases[phase].lower():
            continue
        groups = groups_of(grid, route(grid.phases[phase], Kind.collective))
        at = np.flatnonzero((groups.members == column).any(axis=1))
        if not len(at) or groups.sizes[at[0]] < 3:
            continue
        members = groups.members[at[0]]
        values = grid.sums(phase)[rows][:, members[members >= 0]]
        own = grid.sums(phase)[rows, column]
        middle = median(values)[:, 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            share = float(median((own / middle)[None])[0, 0])
            lag = float(median((middle - own)[None])[0, 0])
        if share <= SHORT and lag >= WORTH * usual:
            shares.append(share)
    return min(shares, default=None)


def late_ranks(grid: Grid, series: Iterations) -> list[Late]:
    """Ranks that the others wait for, step after step."""
    usual = float(np.nanmedian(series.seconds)) if np.isfinite(series.seconds).any() else 0.0
    found = []
    for phase in grid.phases_of(Kind.collective):
        # The embedding's group joins first and last stage: it is no group of replicas.
        if "embedding" in grid.phases[phase].lower():
            continue
        groups = groups_of(grid, route(grid.phases[phase], Kind.collective))
        if not groups.members.size or groups.members.shape[1] < 3:
            continue
        sides = groups.gather(grid.sums(phase))
        known = np.where(np.isnan(sides), np.inf, sides)
        middle = median(sides)
        with np.errstate(invalid="ignore"):
            last = (known == known.min(axis=2, keepdims=True)) & (known <= SHORT * middle)
            last &= middle - known >= WORTH * usual
        last[: series.warm_up] = False
        tries = last.shape[0] * last.shape[1] / LUCK
        for group in np.flatnonzero(last.any(axis=(0, 2)) & (groups.sizes >= 3)):
            in_a_row = max(5, 1 + int(np.ceil(np.log(tries) / np.log(groups.sizes[group]))))
            hits = persistent(last[:, group], in_a_row, np.isnan(sides[:, group]))
            for member in np.flatnonzero(hits.any(axis=0)):
                rows = hits[:, member]
                own = sides[rows, group, member]
                waits = middle[rows, group, 0]
                column = int(groups.members[group, member])
                found.append(Late(phase, column, rows, float(np.median(own / waits)), float(np.median(waits - own))))
    return sorted(found, key=lambda late: -late.lag)
