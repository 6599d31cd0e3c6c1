"""From iteration times to verdicts: warm-up and announced pauses left out, changes verified, slow drift besides.

All ranks of a synchronous job move together, so the series judged is the median over ranks of each step (published:
Greyhound saw utilisation fall on all GPUs at once). Where it points is for phases and edges to say: a verdict from
here is `detected_only` and accuses nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kb.steps.changepoint import COMPARED, Change, changes
from kb.steps.drift import GATE, Drift, drifts
from kb.steps.grid import Grid
from kb.steps.level1 import RESIZED, iterations, warm_up_of
from kb.steps.period import iteration_times, period
from kb.steps.records import Bools, Floats, Ints, SequenceTable
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind

#: Released code of Greyhound: ten seconds after its own pause do not count. Ours: steps after any announced pause.
AFTER_PAUSE = 2
#: Ours: steps for which the number of ranks must hold on both sides of a new size.
STABLE = 5


@dataclass(frozen=True)
class Series:
    """One job, one element a step, in rising order.

    seconds: median over ranks of the iteration time. judged: False for warm-up, for steps that a schedule makes long
    and those that follow them, and where no time is known. ranks: how many ranks reported.
    """

    job: str
    steps: Ints
    seconds: Floats
    judged: Bools
    ranks: Ints
    replica: int = 0
    """Ranks of one data-parallel replica; 0 where coordinates are unknown."""


def series_of(grid: Grid) -> Series:
    """The series of a grid, with warm-up and schedule as ARGUS' first level reads them."""
    series = iterations(grid)
    ranks = np.isfinite(series.per_rank).sum(axis=1).astype(np.int64)
    replicas = len(np.unique(grid.axis("dp"))) if "dp" in grid.axes else 0
    replica = len(grid.ranks) // replicas if replicas else 0
    return Series(grid.job, grid.steps, series.seconds, _settled(series.judged, series.scheduled), ranks, replica)


def series_from_times(seconds: Floats, ranks: int, paused: Bools | None = None, job: str = "") -> Series:
    """The series of iteration times that were measured as such, shape (steps,); steps are counted from 0.

    paused: steps known to be long for a reason: the monitor's own pause, a checkpoint.
    """
    steps = np.arange(len(seconds))
    paused = np.zeros(len(seconds), bool) if paused is None else paused
    judged = np.isfinite(seconds) & ~paused
    judged[: warm_up_of(steps, np.where(judged, seconds, np.nan))] = False
    return Series(job, steps, seconds, _settled(judged, paused), np.full(len(seconds), ranks))


def series_of_calls(table: SequenceTable, job: str = "") -> Series | None:
    """The series of a job that records no iterations, from the order of one rank's calls and when it made them.

    Steps are counted from 0 at the first call. None where calls have no times or repeat nothing.
    """
    known = table.take(np.isfinite(table.enter))
    if not len(known):
        return None
    ranks, counts = np.unique(known.rank, return_counts=True)
    own = known.take(known.rank == ranks[counts.argmax()])
    own = own.take(np.argsort(own.enter, kind="stable"))
    lag = period(own.operation.codes * len(own.communicator.names) + own.communicator.codes)
    return None if lag is None else series_from_times(iteration_times(own.enter, lag), len(ranks), job=job)


def _settled(judged: Bools, paused: Bools) -> Bools:
    """Without the steps that follow a pause."""
    out = judged.copy()
    for shift in range(1, AFTER_PAUSE + 1):
        out[shift:] &= ~paused[:-shift]
    return out


def resets(series: Series) -> tuple[int, ...]:
    """Samples at which the job went on in another size, so that its healthy level is another.

    A rank or two that no longer report are no new size: they may be the trouble. Without coordinates a change of the
    share `RESIZED` is one.
    """
    ranks = series.ranks.astype(np.int64)
    found = []
    for at in np.flatnonzero(np.diff(ranks)) + 1:
        before, after = ranks[max(0, at - STABLE) : at], ranks[at : at + STABLE]
        if len(after) < STABLE or (after != after[0]).any() or (before != before[-1]).any():
            continue
        change = abs(int(after[0]) - int(before[-1]))
        whole = change % series.replica == 0 if series.replica else change >= RESIZED * before[-1]
        if whole:
            found.append(int(at))
    return tuple(found)


def verdicts(series: Series, gate: float = GATE) -> list[Verdict]:
    """Steps up in iteration time and slow drift of one job, by the step at which each began."""
    seconds = np.where(series.judged, series.seconds, np.nan)
    found: list[Verdict] = []
    for start, end in pairwise([0, *resets(series), len(seconds)]):
        found += _segment(series, seconds[start:end], start, gate)
    return sorted(found, key=lambda verdict: verdict.first_step)


def _segment(series: Series, seconds: Floats, offset: int, gate: float) -> list[Verdict]:
    # The recursion needs samples, not a calendar: what is blank is left out and the index carried along.
    known = np.flatnonzero(np.isfinite(seconds))
    if len(known) < 2 * COMPARED:
        return []
    values = seconds[known]
    steps = series.steps[known + offset]
    changed = changes(values)
    slower = [
        _step(series.job, steps, change, _end(changed, n, len(steps)))
        for n, change in enumerate(changed)
        if change.ratio > 1
    ]
    crept = drifts(values, tuple(change.index for change in changed), gate)
    # A step in the making can look like drift for as long as it is not verified.
    alone = [one for one in crept if not any(abs(one.onset - change.index) <= COMPARED for change in changed)]
    return slower + [_drift(series.job, steps, part, changed, values) for part in _ramps(alone)]


def _end(changed: Sequence[Change], at: int, samples: int) -> int:
    """The last sample of the level that a change began."""
    return changed[at + 1].index - 1 if at + 1 < len(changed) else samples - 1


def _step(job: str, steps: Ints, change: Change, last: int) -> Verdict:
    return Verdict(
        VerdictKind.iteration_step,
        System.falcon,
        "bocd",
        Confidence.detected_only,
        int(steps[change.index]),
        int(steps[last]),
        job,
        "iteration",
        ratio=change.ratio,
        evidence={"before": change.before, "after": change.after, "known_at": float(steps[change.confirmed])},
    )


def _ramps(crept: Sequence[Drift]) -> list[list[Drift]]:
    """Drifts that follow each other on the way up, as one."""
    parts: list[list[Drift]] = []
    for one in crept:
        if parts and one.baseline > parts[-1][-1].baseline:
            parts[-1].append(one)
        else:
            parts.append([one])
    return parts


def _drift(job: str, steps: Ints, part: Sequence[Drift], changed: Sequence[Change], values: Floats) -> Verdict:
    """A ramp, to its end: the next change of level, or the last sample."""
    first = part[0]
    end = min((change.index for change in changed if change.index > part[-1].declared), default=len(values))
    after = float(np.median(values[max(first.onset, end - COMPARED) : end]))
    return Verdict(
        VerdictKind.drift,
        System.ours,
        "cumulative sum",
        Confidence.detected_only,
        int(steps[first.onset]),
        int(steps[end - 1]),
        job,
        "iteration",
        ratio=after / first.baseline,
        evidence={"before": first.baseline, "after": after, "known_at": float(steps[first.declared])},
    )
