"""ARGUS level 2: phase times across the ranks of one comparable group. Names slow ranks.

Published: phase → group routing, the coefficient of variation of the group and a z-score per rank. The numbers of that
rule (z 2.0, CV 0.15) are those of the open re-implementation; with them it misses a straggler among four and accuses
innocents wherever work is uneven, so that it is computed and reported, never decisive. Decisive is ours: ratio to the
median and modified z, for the same rank, in five steps running, on work that is comparable, and worth the trouble. A
smaller excess counts when it holds in the medians of several blocks of twenty steps, where noise has gone.
"""

from dataclasses import dataclass

import numpy as np

from kb.steps.arrival import own_collective
from kb.steps.grid import Grid, Singles
from kb.steps.groups import Groups, groups_of
from kb.steps.level1 import Iterations
from kb.steps.phases import is_own, route
from kb.steps.records import Bools
from kb.steps.robust import (
    coefficient_of_variation,
    first_and_last,
    lower_quartile_ratio,
    median,
    modified_z,
    persistent,
    ratio,
    sample_z,
)
from kb.steps.workload import comparable_mean

RATIO = 1.3
Z = 3.5
PERSISTENCE = 5
#: The same for smaller excesses, which have to last longer: steps in a block; ratio and blocks running. A slow machine
#: is about a tenth slower by ByteDance's account of one in two hundred.
BLOCK = 20
SMALL = ((1.15, 3), (1.08, 6))
BLOCKS = SMALL[0][1]
#: Above this share of a group there is no healthy majority to compare with.
HALF = 0.4
#: With two ranks the longer one may simply have more to do; only a large difference is worth saying, without a name.
RATIO_OF_TWO = 1.5
#: Least share of an iteration that a rank must cost; a microsecond phase may double unseen. A tenth of it is enough
#: where the rank also comes last to its collectives: records of one call stand for many of a step then.
WORTH, WORTH_IF_LATE = 0.01, 0.001
#: The published rule, as re-implemented in the open.
PUBLISHED_Z, PUBLISHED_CV = 2.0, 0.15


@dataclass(frozen=True)
class Slow:
    """One rank that is slow in one phase. Indices are rows and columns of the grid.

    hits: (steps,) the steps in which it was slow. excess: seconds a step that it cost. alone: False where too much of
    the group is slow to name anybody. published: whether the published rule also names it.
    """

    phase: int
    column: int
    hits: Bools
    ratio: float
    z: float
    excess: float
    group: str
    size: int
    alone: bool
    published: bool
    cv: float
    sample_z: float

    @property
    def first(self) -> int:
        return first_and_last(self.hits)[0]

    @property
    def last(self) -> int:
        return first_and_last(self.hits)[1]


def slow_ranks(grid: Grid, series: Iterations) -> list[Slow]:
    """Every rank that is slow in a compute or host phase, the costliest first."""
    found: list[Slow] = []
    usual = float(np.nanmedian(series.seconds)) if np.isfinite(series.seconds).any() else 0.0
    for phase, kind in enumerate(grid.kinds):
        if not is_own(grid.phases[phase], kind):
            continue
        values = comparable_mean(grid, phase)[series.warm_up :]
        groups = groups_of(grid, route(grid.phases[phase], kind))
        for slow in _in_groups(grid, phase, values, groups):
            one = _shifted(slow, series.warm_up)
            late = one.excess < WORTH * usual and own_collective(grid, one.column, one.hits, usual) is not None
            if one.excess >= (WORTH_IF_LATE if late else WORTH) * usual:
                found.append(one)
    return sorted(found, key=lambda slow: -slow.excess)


def _shifted(slow: Slow, by: int) -> Slow:
    if not by:
        return slow
    hits = np.concatenate([np.zeros(by, bool), slow.hits])
    return Slow(**{**slow.__dict__, "hits": hits})


def _in_groups(grid: Grid, phase: int, values: Singles, groups: Groups) -> list[Slow]:
    if not groups.members.size or groups.members.shape[1] < 2 or len(values) < PERSISTENCE:
        return []
    sides = groups.gather(values)
    missing = np.isnan(sides)
    relative = ratio(sides)
    with np.errstate(invalid="ignore"):
        suspicious = (relative >= RATIO).sum(axis=0) >= PERSISTENCE
        # Against the lower quartile, so that a slow half cannot hide behind its own median.
        for at in np.flatnonzero(_may_hide_a_half(sides, groups)):
            suspicious[at] |= (lower_quartile_ratio(sides[:, at]) >= RATIO).sum(axis=0) >= PERSISTENCE
    suspicious |= _often_above(relative)
    found: list[Slow] = []
    for at in np.flatnonzero(suspicious.any(axis=1)):
        size = int(groups.sizes[at])
        if size >= 3:
            found += _in_group(grid, phase, sides[:, at], missing[:, at], groups, int(at))
        elif size == 2:
            found += _of_two(grid, phase, sides[:, at], missing[:, at], groups, int(at))
    return found


def _often_above(relative: Singles) -> Bools:
    """Ranks whose block means hint at a small excess; a cheap look before the medians are taken."""
    count = len(relative) // BLOCK
    found = np.zeros(relative.shape[1:], bool)
    if count < BLOCKS:
        return found
    clipped = np.minimum(np.nan_to_num(relative[len(relative) - count * BLOCK :], nan=1.0), 2.0)
    means = np.add.reduceat(clipped, np.arange(0, count * BLOCK, BLOCK), axis=0) / BLOCK
    for least, blocks in SMALL:
        # A mean may be a little below the median that counts.
        found |= (means >= 1 + 0.8 * (least - 1)).sum(axis=0) >= blocks
    return found


def _block_medians(values: Singles, size: int) -> Singles:
    """(blocks, size of the group): medians of whole blocks of steps; the last block ends with the last step."""
    count = len(values) // size
    return median(values[len(values) - count * size :].reshape(count, size, -1), axis=1)[:, 0].astype(np.float32)


def _by_steps(blocks: Bools, size: int, steps: int) -> Bools:
    found = np.zeros((steps, blocks.shape[1]), bool)
    found[steps - len(blocks) * size :] = np.repeat(blocks, size, axis=0)
    return found


def _small_excess(values: Singles) -> Bools:
    """(steps, size): blocks in which a rank's median is above its peers', enough of them running."""
    if len(values) < BLOCK * BLOCKS:
        return np.zeros(values.shape, bool)
    middle = _block_medians(values, BLOCK)
    relative, z = ratio(middle), modified_z(middle)
    hits = np.zeros(middle.shape, bool)
    with np.errstate(invalid="ignore"):
        for least, blocks in SMALL:
            hits |= persistent((relative >= least) & (z >= Z), blocks)
    return _by_steps(hits, BLOCK, len(values))


def _slow_half(values: Singles, members: int) -> Bools:
    """(steps, size): where so many are far above the lower quartile at once that there is no healthy majority."""
    size = min(BLOCK, max(PERSISTENCE, len(values) // 2))
    if len(values) < size:
        return np.zeros(values.shape, bool)
    middle = _block_medians(values, size)
    with np.errstate(invalid="ignore"):
        high = lower_quartile_ratio(middle) >= RATIO
    hits = persistent(high & (high.sum(axis=1, keepdims=True) > HALF * members), min(2, len(middle)))
    return _by_steps(hits, size, len(values))


def _extended(hits: Bools, relative: Singles) -> Bools:
    """Hits and the steps beside them that carry at least half their excess: noise must not cut a fault's ends off."""
    found = hits.copy()
    for column in np.flatnonzero(hits.any(axis=0)):
        own = hits[:, column]
        level = float(np.nanmedian(relative[own, column]))
        with np.errstate(invalid="ignore"):
            near = own | (relative[:, column] >= 1 + (level - 1) / 2)
        for low, high in np.flatnonzero(np.diff(np.concatenate([[0], near.astype(np.int8), [0]]))).reshape(-1, 2):
            found[low:high, column] = near[low:high] & own[low:high].any()
    return found


def _may_hide_a_half(sides: Singles, groups: Groups) -> Bools:
    """Groups whose usual spread between the quartiles is wide enough for a slow half."""
    usual = median(sides, axis=0)[0]
    filled = np.where(np.isnan(usual).all(axis=1, keepdims=True), 0, usual)
    low, high = (np.nanquantile(filled, q, axis=1) for q in (0.25, 0.8))
    with np.errstate(invalid="ignore"):
        wide: Bools = (groups.sizes >= 4) & (high >= RATIO * low)
    return wide


def _in_group(grid: Grid, phase: int, values: Singles, missing: Bools, groups: Groups, at: int) -> list[Slow]:
    relative, z = ratio(values), modified_z(values)
    half = _slow_half(values, int(groups.sizes[at]))
    alone = not half.any()
    if alone:
        with np.errstate(invalid="ignore"):
            strict = persistent((relative >= RATIO) & (z >= Z), PERSISTENCE, missing)
            hits = _extended(strict | (_small_excess(values) & (relative >= SMALL[-1][0])), relative)
    else:
        hits, relative = half, lower_quartile_ratio(values)
    return [
        _slow(grid, phase, values, hits[:, column], relative, z, groups, at, int(column), alone=alone)
        for column in np.flatnonzero(hits.any(axis=0))
    ]


def _of_two(grid: Grid, phase: int, values: Singles, missing: Bools, groups: Groups, at: int) -> list[Slow]:
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = values / np.nanmin(np.where(missing, np.inf, values), axis=1, keepdims=True)
    hits = persistent(relative >= RATIO_OF_TWO, PERSISTENCE, missing)
    z = np.full(values.shape, np.nan)
    return [
        _slow(grid, phase, values, hits[:, column], relative, z, groups, at, int(column), alone=False)
        for column in np.flatnonzero(hits.any(axis=0))
    ]


def _slow(
    grid: Grid, phase: int, values: Singles, hits: Bools, relative: Singles, z: Singles,
    groups: Groups, at: int, column: int, *, alone: bool,
) -> Slow:  # fmt: skip
    rows = np.flatnonzero(hits)
    middle = median(np.delete(values[rows], column, axis=1))[:, 0]
    excess = float(np.nanmedian(values[rows, column] - middle)) * max(grid.usual_count(phase), 1)
    cv = float(np.nanmedian(coefficient_of_variation(values[rows])))
    own_z = float(np.nanmedian(sample_z(values[rows])[:, column])) if groups.sizes[at] > 2 else float("nan")
    return Slow(
        phase=phase,
        column=int(groups.members[at, column]),
        hits=hits,
        ratio=float(np.nanmedian(relative[rows, column])),
        z=float(np.nanmedian(z[rows, column])) if alone else float("nan"),
        excess=excess,
        group=groups.labels[at],
        size=int(groups.sizes[at]),
        alone=alone,
        published=own_z >= PUBLISHED_Z and cv >= PUBLISHED_CV,
        cv=cv,
        sample_z=own_z,
    )
