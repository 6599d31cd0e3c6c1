"""Groups whose collectives are slow by themselves: nobody in them is late, and other groups of the stage are faster.

The shortest duration in a group is that of its last member, which did not wait: the transfer itself. Held against the
sibling groups of the same stage it shows a slow link or NVLink domain, and no late rank can make it longer. Ours.
"""

from dataclasses import dataclass

import numpy as np

from kb.steps.grid import Grid, Singles
from kb.steps.groups import Groups, groups_of
from kb.steps.level1 import Iterations
from kb.steps.level2 import PERSISTENCE, Z
from kb.steps.phases import route
from kb.steps.records import Bools, Ints, Kind
from kb.steps.robust import first_and_last, modified_z, persistent, ratio
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind

#: Of the median of the sibling groups; groups that a comparison needs; share of an iteration that it must cost.
RATIO, SIBLINGS, WORTH = 1.5, 3, 0.01


@dataclass(frozen=True)
class SlowGroup:
    """members: columns of the grid. own: seconds of its transfer, usual: of the others'."""

    phase: int
    members: Ints
    label: str
    hits: Bools
    ratio: float
    own: float
    usual: float


def comparable_groups(grid: Grid) -> int:
    """Groups that have at least two siblings in some collective."""
    found = 0
    for phase in grid.phases_of(Kind.collective):
        groups = groups_of(grid, route(grid.phases[phase], Kind.collective))
        if len(groups) and groups.members.shape[1] >= 2:
            stages = np.bincount(grid.axis("pp")[groups.members[:, 0]])
            found = max(found, int(stages[stages >= SIBLINGS].sum()))
    return found


def slow_groups(grid: Grid, series: Iterations) -> list[SlowGroup]:
    """The costliest first."""
    usual = float(np.nanmedian(series.seconds)) if np.isfinite(series.seconds).any() else 0.0
    found: list[SlowGroup] = []
    for phase in grid.phases_of(Kind.collective):
        # The embedding's group joins the first and the last stage; no other group does its work.
        if "embedding" in grid.phases[phase].lower():
            continue
        groups = groups_of(grid, route(grid.phases[phase], Kind.collective))
        if len(groups) < SIBLINGS or groups.members.shape[1] < 2:
            continue
        net = _net(grid, phase, groups)
        net[: series.warm_up] = np.nan
        stages = grid.axis("pp")[groups.members[:, 0]]
        for stage in np.unique(stages):
            found += _among(phase, groups, np.flatnonzero(stages == stage), net, usual)
    return sorted(found, key=lambda one: one.usual - one.own)


def verdicts(grid: Grid, series: Iterations) -> list[Verdict]:
    """The group is known and its members are listed; which of them holds the slow link is not."""
    told = []
    for one in slow_groups(grid, series):
        first, last = first_and_last(one.hits)
        told.append(
            Verdict(
                VerdictKind.comm_group_slow, System.ours, "L2 groups", Confidence.group_only,
                int(grid.steps[first]), int(grid.steps[last]), job=grid.job, phase=grid.phases[one.phase],
                ranks=tuple(int(rank) for rank in grid.ranks[one.members]), group=one.label, ratio=one.ratio,
                evidence={"transfer_s": one.own, "siblings_s": one.usual},
            )
        )  # fmt: skip
    return told


def _net(grid: Grid, phase: int, groups: Groups) -> Singles:
    """(steps, groups): the shortest duration in each group; NaN where a member is missing."""
    sides = groups.gather(grid.sums(phase))
    inside = groups.members >= 0
    incomplete = (np.isnan(sides) & inside).any(axis=2)
    net: Singles = np.where(inside, np.nan_to_num(sides, nan=np.inf), np.inf).min(axis=2).astype(np.float32)
    net[incomplete | ~np.isfinite(net)] = np.nan
    return net


def _among(phase: int, groups: Groups, siblings: Ints, net: Singles, usual: float) -> list[SlowGroup]:
    if len(siblings) < SIBLINGS or len(net) < PERSISTENCE:
        return []
    values = net[:, siblings]
    relative = ratio(values)
    with np.errstate(invalid="ignore"):
        hits = persistent((relative >= RATIO) & (modified_z(values) >= Z), PERSISTENCE, np.isnan(values))
    found = []
    for at in np.flatnonzero(hits.any(axis=0)):
        rows = hits[:, at]
        own = float(np.nanmedian(values[rows, at]))
        others = float(np.nanmedian(np.delete(values[rows], at, axis=1)))
        if own - others >= WORTH * usual:
            members = groups.members[siblings[at]]
            found.append(
                SlowGroup(
                    phase, members[members >= 0], groups.labels[siblings[at]], rows,
                    float(np.nanmedian(relative[rows, at])), own, others,
                )
            )  # fmt: skip
    return found
