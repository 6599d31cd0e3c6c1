"""ARGUS level 1: the iteration time. Spikes by a sliding ratio, steps by a search for a change point.

Published: two detectors, a sliding-window ratio gate for jitter and a full scan for step-wise regressions; iterations
above twice the baseline are what cost Tencent its GPU hours. Window, gates and steadiness are those of the open
re-implementation. Ours: scheduled and warm-up steps are no anomalies, and a step is judged by medians.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kb.steps.grid import Grid
from kb.steps.phases import is_scheduled, iteration_of
from kb.steps.records import Bools, Floats, Ints, Kind
from kb.steps.robust import median, spread
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind

#: Steps in the sliding window, and the ratio of an iteration to its window's median that makes a spike.
WINDOW = 8
SPIKE = 2.0
#: How far a spike must stand above the scatter of single iterations, in standard deviations of the logarithm.
ABOVE = 6.0
#: Fewest steps between spikes that somebody has scheduled.
PERIOD = 5
#: Fewest steps on each side of a change point.
SIDE = 10
#: Least change worth reporting: a day's swing is 1–2 % by itself.
STEP = 1.15
#: How far a change must stand above the scatter of single iterations.
CLEAR = 4.0
#: No iteration takes longer.
DAY = 86_400.0
#: Share of the ranks by which a job is another job; what is less explains no change of `STEP`.
RESIZED = 0.10
#: What counts as warm-up at most, and how steady the steps after it are.
WARM_UP = 10
STEADY = 1.3


@dataclass(frozen=True)
class Iterations:
    """Iteration time of the job: the median across ranks, since synchronous ranks wait for each other.

    steps: step numbers. seconds: NaN where unknown. scheduled: steps known to do something else as well.
    warm_up: how many steps at the beginning are not judged. per_rank: (steps, ranks).
    """

    steps: Ints
    seconds: Floats
    scheduled: Bools
    warm_up: int
    per_rank: Floats = field(repr=False)

    @cached_property
    def judged(self) -> Bools:
        """Steps that may be judged."""
        usable = ~self.scheduled & np.isfinite(self.seconds)
        usable[: self.warm_up] = False
        return usable


def iterations(grid: Grid) -> Iterations:
    """As recorded, or from begin and end of each rank's step, or as the sum of its phases."""
    per_rank = _per_rank(grid)
    seconds = median(per_rank)[:, 0].astype(np.float64) if per_rank.size else np.zeros(0)
    scheduled = np.zeros(len(grid.steps), bool)
    for index, phase in enumerate(grid.phases):
        if is_scheduled(phase, grid.kinds[index]):
            scheduled |= (grid.count[index] > 0).any(axis=1)
    return Iterations(grid.steps, seconds, scheduled, warm_up_of(grid.steps, seconds), per_rank.astype(np.float64))


def warm_up_of(steps: Ints, seconds: Floats) -> int:
    """Steps until five in a row are steady; at least `WARM_UP` where the records begin with the job."""
    if len(seconds) < 3 * WARM_UP:
        return 0
    usual = float(np.nanmedian(seconds[: 5 * WARM_UP]))
    steady = seconds <= STEADY * usual
    settled = next((i for i in range(5 * WARM_UP) if steady[i : i + 5].all()), 0)
    return max(settled, WARM_UP if steps[0] <= 1 else 0)


def spikes(series: Iterations) -> tuple[list[int], list[int]]:
    """Indices of iterations of at least `SPIKE` times the median of their neighbourhood, and of the scheduled ones.

    Spikes that come at equal distances are somebody's schedule (a checkpoint, an evaluation), not a fault.
    """
    seconds = series.seconds
    if len(seconds) < WINDOW:
        return [], []
    padded = np.concatenate([np.full(WINDOW, np.nan), seconds, np.full(WINDOW, np.nan)])
    around = np.delete(np.lib.stride_tricks.sliding_window_view(padded, 2 * WINDOW + 1), WINDOW, axis=1)
    usual = median(around)[:, 0].astype(np.float64)
    known = np.count_nonzero(np.isfinite(around), axis=1) >= WINDOW // 2
    with np.errstate(invalid="ignore"):
        high = (seconds >= SPIKE * usual) & (seconds >= usual * np.exp(ABOVE * scatter(seconds)))
    found = np.flatnonzero(series.judged & known & high).tolist()
    scheduled = _periodic(series.steps[found]) if found else []
    return [at for n, at in enumerate(found) if n not in scheduled], [found[n] for n in scheduled]


def change_points(series: Iterations) -> list[tuple[int, float]]:
    """(index of the first changed iteration, ratio of the medians after and before it), first to last.

    A split is taken where the two sides differ most; each side is searched again.
    """
    places = np.flatnonzero(series.judged)
    logs = np.log(np.maximum(series.seconds[places], 1e-9))
    found: list[int] = []
    _split(logs, 0, len(logs), found)
    bounds = [0, *sorted(found), len(logs)]
    return [
        (int(places[at]), float(np.exp(np.median(logs[at:after]) - np.median(logs[before:at]))))
        for before, at, after in zip(bounds, bounds[1:-1], bounds[2:], strict=False)
    ]


def judge(grid: Grid, series: Iterations | None = None) -> list[Verdict]:
    """Spikes and lasting steps of the iteration time; nobody is accused on this level."""
    series = series or iterations(grid)
    if np.count_nonzero(series.judged) < WINDOW:
        return []
    verdicts = [_spike(grid, series, at) for at in spikes(series)[0]]
    changes = change_points(series)
    ends = [*(at - 1 for at, _ in changes[1:]), len(series.steps) - 1][: len(changes)]
    for (at, change), end in zip(changes, ends, strict=True):
        if change >= STEP and not _resized(series, at):
            verdicts.append(
                Verdict(
                    VerdictKind.iteration_step,
                    System.argus,
                    "L1",
                    Confidence.detected_only,
                    int(series.steps[at]),
                    int(series.steps[end]),
                    job=grid.job,
                    phase="iteration",
                    ratio=change,
                    evidence={"before_s": _before(series, at), "after_s": _before(series, at) * change},
                )
            )
    return verdicts


def scatter(seconds: Floats) -> float:
    """Scatter of the logarithm, told by its differences, so that a step in the level is not taken for it."""
    known = seconds[np.isfinite(seconds) & (seconds > 0)]
    return spread(np.diff(np.log(known))) / np.sqrt(2) if len(known) > 2 else 0.0


def _per_rank(grid: Grid) -> Floats:
    own = iteration_of(grid.phases, grid.kinds)
    if own is not None:
        return grid.mean(own).astype(np.float64)
    if grid.begin is not None and grid.end is not None:
        # Starts on different clocks give spans of years; they say nothing.
        span = np.where(grid.end - grid.begin <= DAY, grid.end - grid.begin, np.nan)
        if np.isfinite(span).any():
            return span
    summed = [grid.sums(index) for index in range(len(grid.phases)) if grid.kinds[index] is not Kind.total]
    if not summed:
        return np.full((len(grid.steps), len(grid.ranks)), np.nan)
    total = np.zeros(summed[0].shape)
    seen = np.zeros(summed[0].shape, bool)
    for values in summed:
        total += np.nan_to_num(values)
        seen |= ~np.isnan(values)
    return np.where(seen, total, np.nan)


def _periodic(steps: Ints) -> list[int]:
    """Which of the spikes (by position) keep a common distance of some steps; at least three do, or none."""
    gaps: Ints = np.diff(steps)
    if len(gaps) < 2 or gaps.min() < PERIOD or (gaps % gaps.min()).any():
        return []
    return list(range(len(steps)))


def _resized(series: Iterations, at: int) -> bool:
    """Whether the job went on with another number of ranks about this step: its healthy level is another then."""
    ranks = np.isfinite(series.per_rank).sum(axis=1)
    before, after = ranks[max(0, at - SIDE) : max(at - 1, 1)], ranks[at + 1 : at + SIDE]
    if not len(before) or not len(after):
        return False
    usual = float(np.median(before))
    return abs(float(np.median(after)) - usual) >= RESIZED * usual


def _split(logs: Floats, low: int, high: int, found: list[int]) -> None:
    part = logs[low:high]
    size = len(part)
    if size < 2 * SIDE:
        return
    sums = np.concatenate([[0.0], np.cumsum(part)])
    splits = np.arange(SIDE, size - SIDE + 1)
    left, right = sums[splits] / splits, (sums[-1] - sums[splits]) / (size - splits)
    # The split that explains most of the variance; a plain difference of means would favour short sides.
    gain = np.abs(right - left) * np.sqrt(splits * (size - splits))
    at = int(splits[np.argmax(gain)])
    before, after = part[max(0, at - 5 * SIDE) : at], part[at : at + 5 * SIDE]
    change = float(np.median(after) - np.median(before))
    noise = max(spread(before), spread(after))
    # With ten samples a median is off by about 0.4 of the scatter of one; four times that is no accident.
    if abs(change) < np.log(STEP) * 0.66 or abs(change) < CLEAR * 0.4 * noise:
        return
    found.append(low + at)
    _split(logs, low, low + at, found)
    _split(logs, low + at, high, found)


def _before(series: Iterations, at: int) -> float:
    usable = series.seconds[:at][series.judged[:at]]
    return float(np.median(usable[-5 * SIDE :])) if len(usable) else float("nan")


def _spike(grid: Grid, series: Iterations, at: int) -> Verdict:
    low, high = max(0, at - WINDOW), at + WINDOW + 1
    usual = float(np.nanmedian(np.delete(series.seconds[low:high], at - low)))
    evidence = {"usual_s": usual, "seconds": float(series.seconds[at])}
    kind, phase, ratio = VerdictKind.iteration_spike, "iteration", float(series.seconds[at]) / usual
    worst = _worst_phase(grid, at, (low, high))
    if worst is not None:
        index, column, own = worst
        evidence |= {"slowest_rank": float(grid.ranks[column]), "slowest_phase_ratio": own}
        phase = grid.phases[index]
        if grid.kinds[index] is Kind.host:
            kind = VerdictKind.host_stall
    step = int(series.steps[at])
    return Verdict(
        kind, System.argus, "L1", Confidence.detected_only, step, step,
        job=grid.job, phase=phase, ratio=ratio, evidence=evidence,
    )  # fmt: skip


def _worst_phase(grid: Grid, at: int, window: tuple[int, int]) -> tuple[int, int, float] | None:
    """The rank's own work (never a wait for others) that grew most in this step: phase, column, ratio to its usual."""
    best: tuple[int, int, float] | None = None
    most = 0.0
    low, high = window
    for kind in (Kind.host, Kind.compute):
        for index in grid.phases_of(kind):
            values = grid.mean(index)[low:high]
            usual = median(np.delete(values, at - low, axis=0), axis=0)[0]
            now = values[at - low]
            excess = np.nan_to_num(now - np.nan_to_num(usual))
            column = int(np.argmax(excess)) if len(excess) else 0
            if len(excess) and excess[column] > most:
                most = float(excess[column])
                base = float(usual[column])
                best = (index, column, float(now[column]) / base if base > 0 else float("inf"))
    return best
