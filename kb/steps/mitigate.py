"""What to do about a slow job: Greyhound's four levels as advice. Everything is computed, nothing is executed.

Published (Greyhound, USENIX ATC 2025): S1 ignore; S2 redistribute micro-batches over data-parallel groups,
minimising the variance of m·t with at least one each; S3 swap nodes so that a congested link carries pipeline
traffic, and gather slow GPUs in as few stages as hold them; S4 checkpoint and restart elsewhere. The next level is
due once the time lost so far reaches its cost, as when renting skis: at most twice the cost of the best choice made
in hindsight. Costs from the released code: ten iterations of half the loss for S2, a minute for S3.

Ours: S4's default cost is the restart that TrainMover publishes (0.52 + 1.5 + 4.45 minutes) plus the work lost since
the last checkpoint, which the caller knows.
"""

from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np

from kb.steps.falcon import OVER, Cause
from kb.steps.records import Floats, Ints

#: Released code: S2 costs ten iterations of half the loss; S3 a minute.
S2_ITERATIONS, S2_SHARE, S3_SECONDS = 10, 0.5, 60.0
#: Published (TrainMover, OSDI 2026): stopping, rescheduling and initialising, minutes → seconds.
RESTART_SECONDS = (0.52 + 1.5 + 4.45) * 60


class Level(IntEnum):
    """The four levels, by rising cost."""

    ignore = 1
    redistribute = 2
    swap = 3
    restart = 4


#: Published: what each level helps against. A host's fault is neither, so only the last helps.
HELPS: dict[Level, frozenset[Cause]] = {
    Level.redistribute: frozenset({Cause.computation, Cause.both}),
    Level.swap: frozenset({Cause.computation, Cause.communication, Cause.both}),
    Level.restart: frozenset(Cause),
}


@dataclass(frozen=True)
class Costs:
    """Seconds that each level costs."""

    redistribute: float
    swap: float = S3_SECONDS
    restart: float = RESTART_SECONDS

    @staticmethod
    def of(slow: float, healthy: float, *, lost_work: float = 0.0) -> "Costs":
        """Costs for iterations of `slow` instead of `healthy` seconds; lost_work: seconds since the last checkpoint."""
        return Costs(S2_ITERATIONS * S2_SHARE * (slow - healthy), S3_SECONDS, RESTART_SECONDS + lost_work)

    def by_level(self) -> dict[Level, float]:
        return {Level.redistribute: self.redistribute, Level.swap: self.swap, Level.restart: self.restart}


@dataclass(frozen=True)
class Advice:
    """From this iteration on (counted from 0) the level is due; seconds are counted from the start of the series."""

    level: Level
    iteration: int
    seconds: float
    lost: float


def escalation(iterations: Floats, healthy: float, costs: Costs, cause: Cause | None = None) -> list[Advice]:
    """Levels as they fall due over a series of iteration times since the onset, shape (iterations,), seconds.

    cause: levels that do not help against it are left out; None (not known) leaves all in.
    Stops where an iteration is back within 1.1 of the healthy one: the event is over.
    """
    over = np.flatnonzero(iterations <= OVER * healthy)
    if len(over):
        iterations = iterations[: over[0]]
    lost = np.cumsum(np.maximum(iterations - healthy, 0.0))
    clock = np.cumsum(iterations)
    said = [Advice(Level.ignore, 0, 0.0, 0.0)]
    for level, cost in sorted(costs.by_level().items(), key=lambda pair: pair[1]):
        useful = cause is None or cause in HELPS[level]
        # Sums of equal floats fall a hair short of the product; a millionth of the cost makes no difference.
        due = np.flatnonzero(lost >= cost * (1 - 1e-6))
        if useful and len(due) and level > said[-1].level:
            at = int(due[0])
            said.append(Advice(level, at + 1, float(clock[at]), float(lost[at])))
    return said


@dataclass(frozen=True)
class Shares:
    """Micro-batches of each data-parallel group, and the time of the slowest before and after, in units of
    `seconds`.
    """

    microbatches: tuple[int, ...]
    before: float
    after: float


def redistribute(seconds: Floats, total: int) -> Shares | None:
    """Micro-batches so that m·t is as even as it can be; None where the total does not give each group one.

    seconds: time of one micro-batch in each group, shape (groups,). Starts from the share that the speed gives and
    moves one micro-batch at a time while the variance falls.
    """
    groups = len(seconds)
    if groups == 0 or total < groups or not (np.isfinite(seconds) & (seconds > 0)).all():
        return None
    speed = 1 / seconds
    shares = np.maximum(1, np.floor(total * speed / speed.sum())).astype(np.int64)
    while shares.sum() != total:
        step = 1 if shares.sum() < total else -1
        open_to = (shares > 1) | (step > 0)
        times = np.where(open_to, (shares + step) * seconds, np.inf if step > 0 else -np.inf)
        shares[times.argmin() if step > 0 else np.where(open_to, shares * seconds, -np.inf).argmax()] += step
    while (better := _better(shares, seconds)) is not None:
        shares = better
    even = np.full(groups, total / groups)
    return Shares(tuple(int(m) for m in shares), float((even * seconds).max()), float((shares * seconds).max()))


def _better(shares: Ints, seconds: Floats) -> Ints | None:
    """The best move of one micro-batch from one group to another, if it lowers the variance of m·t."""
    times = shares * seconds
    n = len(times)
    # var·n = Σx² − (Σx)²/n; a move changes two of the x.
    give = (times - seconds)[:, None] ** 2 - times[:, None] ** 2
    take = (times + seconds)[None, :] ** 2 - times[None, :] ** 2
    total = times.sum()
    moved = (total - seconds[:, None] + seconds[None, :]) ** 2 - total**2
    change = give + take - moved / n
    change[shares <= 1, :] = np.inf
    np.fill_diagonal(change, np.inf)
    giver, taker = np.unravel_index(change.argmin(), change.shape)
    if change[giver, taker] >= -1e-12 * max(1.0, float(total**2)):
        return None
    out = shares.copy()
    out[giver] -= 1
    out[taker] += 1
    return out


@dataclass(frozen=True)
class Swap:
    """Exchange the places of two nodes. before, after: seconds an iteration that slow links add."""

    a: str
    b: str
    before: float
    after: float


@dataclass(frozen=True)
class Links:
    """Where traffic flows. `placement[stage][replica]` is a node; slow maps pairs of nodes (either order) to seconds
    per byte.

    data, pipeline: bytes an iteration between neighbours of a data-parallel ring, and between neighbouring stages.
    """

    placement: tuple[tuple[str, ...], ...]
    slow: dict[frozenset[str], float]
    data: float
    pipeline: float

    def added(self) -> float:
        """Seconds that the slow links add to an iteration: the worst ring, plus the pipelines' worst boundary."""
        worst_ring = worst_boundary = 0.0
        for stage in self.placement:
            for at, node in enumerate(stage):
                if len(stage) > 1:
                    worst_ring = max(worst_ring, self._cost(node, stage[(at + 1) % len(stage)]))
        for upper, lower in pairwise(self.placement):
            for a, b in zip(upper, lower, strict=True):
                worst_boundary = max(worst_boundary, self._cost(a, b))
        return worst_ring * self.data + worst_boundary * self.pipeline

    def _cost(self, a: str, b: str) -> float:
        return self.slow.get(frozenset((a, b)), 0.0)

    def swapped(self, a: str, b: str) -> "Links":
        other = {a: b, b: a}
        moved = tuple(tuple(other.get(node, node) for node in stage) for stage in self.placement)
        return Links(moved, self.slow, self.data, self.pipeline)


def link_swap(links: Links) -> Swap | None:
    """The exchange of two nodes, one of them at a slow link, that helps most; None where none helps."""
    before = links.added()
    ends = sorted({node for pair in links.slow for node in pair})
    nodes = sorted({node for stage in links.placement for node in stage})
    best: Swap | None = None
    for end in ends:
        for other in nodes:
            if other == end or end not in nodes:
                continue
            after = links.swapped(end, other).added()
            if after < before - 1e-12 and (best is None or after < best.after):
                best = Swap(end, other, before, after)
    return best
