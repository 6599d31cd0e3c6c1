"""Slow drift and ladders: what a test for change points cannot see, because no single step of it is large.

Published evidence that it happens: the one miss of Greyhound's detector in 107 jobs was a run of steps below its 10%
gate, and a job at 8,192 GPUs whose iterations were 6.1% longer was worth a paper of its own (Holmes, NSDI 2025:
85.43 → 90.62 samples a second once the culprit was removed).

The rule is ours: Page's one-sided cumulative sum (Biometrika, 1954) over log ratios to a baseline, with a robust
scale. Its allowance is the gate below which nothing is reported; Llama 3's report publishes a swing of 1–2% between
day and night, so the gate stands well above that. Its limit follows from Wald's bound on the false alarms of a
random walk with negative drift, exp(−2·allowance·limit/σ²).
"""

from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt

import numpy as np

from kb.steps.changepoint import MAD_TO_SIGMA, MEDIAN_WIDER, logs_of
from kb.steps.records import Floats

#: Ours: what is slower by less than this share of the baseline is not reported.
GATE = 0.05
#: Ours: samples of the baseline at least and at most; noisy series take more.
BASE_MIN, BASE_MAX = 20, 200
#: Ours: the gate must exceed this many standard errors of the baseline.
BASE_Z = 4.5
#: Ours: chance of a false alarm at one sample that the limit allows, by Wald's bound.
FALSE_ALARM = 1e-12
#: Ours: samples above the baseline before anything is reported, so that spikes and short bursts are not.
PERSIST = 20
#: Ours: one sample counts as at most this many gates, or this many standard deviations, however long it was.
MOST_GATES, MOST_SIGMA = 2.0, 3.0


@dataclass(frozen=True)
class Drift:
    """A level that has crept up.

    onset: the sample since which the sum has stayed above zero; declared: the sample at which the limit was crossed.
    ratio: median since the onset / baseline at the moment of declaring.
    """

    onset: int
    declared: int
    ratio: float
    baseline: float


def sigma_of(logs: Floats) -> float:
    """Robust standard deviation of a log series from its successive differences, so that a trend does not count."""
    steps = np.diff(logs[np.isfinite(logs)])
    if len(steps) < 2:
        return 0.0
    return MAD_TO_SIGMA * float(np.median(np.abs(steps - np.median(steps)))) / sqrt(2)


def drifts(durations: Floats, resets: tuple[int, ...] = (), gate: float = GATE) -> list[Drift]:
    """Drifts of one series, shape (samples,), in any one unit; values that are no positive number say nothing.

    resets: samples at which a new baseline begins: verified changes, restarts, a new size of the job.
    """
    logs = logs_of(durations)
    bounds = [0, *sorted(at for at in set(resets) if 0 < at < len(logs)), len(logs)]
    found: list[Drift] = []
    for start, end in pairwise(bounds):
        found += _in_segment(logs[start:end], start, gate)
    return found


def _in_segment(logs: Floats, start: int, gate: float) -> list[Drift]:
    """Drifts since one reset. After an alarm, and where the job has become faster for good, a new baseline begins."""
    found: list[Drift] = []
    at = 0
    while len(logs) - at > BASE_MIN + PERSIST:
        sigma = sigma_of(logs[at : at + BASE_MAX])
        wanted = (BASE_Z * MEDIAN_WIDER * sigma / log(1 + gate)) ** 2
        size = int(min(max(BASE_MIN, np.ceil(wanted)), BASE_MAX))
        base, rest = logs[at : at + size], logs[at + size :]
        if not np.isfinite(base).any() or not len(rest):
            break
        level = float(np.nanmedian(base))
        allowance = max(log(1 + gate), BASE_Z * MEDIAN_WIDER * sigma / sqrt(size))
        up = _crossing(rest - level, allowance, sigma)
        down = _crossing(level - rest, allowance, sigma)
        if up is None and down is None:
            break
        if down is None or (up is not None and up[1] < down[1]):
            assert up is not None
            onset, declared, ratio = up
            first = start + at + size
            found.append(Drift(first + onset, first + declared, float(np.exp(ratio)), float(np.exp(level))))
            at += size + declared + 1
        else:
            at += size + down[0]
    return found


def _crossing(excess: Floats, allowance: float, sigma: float) -> tuple[int, int, float] | None:
    """Where the sum first crosses its limit and has persisted: onset, crossing, and the median excess between them."""
    most = max(MOST_SIGMA * sigma, MOST_GATES * allowance)
    gain = np.clip(np.nan_to_num(excess, nan=allowance), -most, most) - allowance
    total = np.concatenate([[0.0], np.cumsum(gain)])
    lowest = np.minimum.accumulate(total)
    page = (total - lowest)[1:]
    # The sum began to rise after the last sample at which it stood at its lowest.
    began = np.maximum.accumulate(np.where(total <= lowest, np.arange(len(total)), 0))[1:]
    limit = -log(FALSE_ALARM) * sigma**2 / (2 * allowance)
    for at in np.flatnonzero((page > limit) & (np.arange(len(page)) - began >= PERSIST - 1)):
        held = excess[began[at] : at + 1]
        middle = float(np.nanmedian(held))
        # A burst leaves a sum that takes a while to run down: it must still be slow now.
        if min(middle, float(np.nanmedian(held[-PERSIST // 2 :]))) >= allowance:
            return int(began[at]), int(at), middle
    return None
