"""Where an iteration-time series changes its level: Bayesian online change points, verified before anybody is told.

Published (Greyhound, USENIX ATC 2025): constant-hazard change-point detection on iteration times, report above a
probability of 0.9, then a comparison of the means before and after, where less than 10% is jitter. The released code
of its authors asks for ten iterations after a change. The recursion is that of Adams and MacKay (arXiv 0710.3742).

Ours: logarithms of durations, the prior, the lag, medians instead of means, a bound on the run length, and a second
test against noise. The paper's "probability of run length zero above 0.9" cannot be meant literally: in this recursion
that probability equals the hazard at every step, so the mass of all runs up to `LAG` is compared instead.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import lgamma, log, pi, sqrt

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from kb.steps.records import Floats, Ints

#: Published: report above this probability.
THRESHOLD = 0.9
#: Published: a change of less than this share is jitter.
MIN_CHANGE = 0.10
#: The authors' released code: iterations between two changes, and iterations seen after one.
MIN_AFTER = 10
#: Ours: samples of each side that are compared at most.
COMPARED = 20
#: Ours: expected samples between changes; a run may be this short and count as new; longest run that is told apart.
HAZARD_SPAN, LAG, LONGEST = 250.0, 5, 300
#: Ours, on log durations: weak belief in the mean, about 5% spread.
KAPPA0, ALPHA0, BETA0 = 0.01, 1.0, 0.05**2
#: Ours: samples whose median is the first guess of the level.
FIRST = 10
#: Ours: the change must exceed this many standard errors of the two medians.
MIN_Z = 6.0
#: Ours: share of the least change from which a stretch is looked at, and samples of the past that it begins with.
NEARLY, CONTEXT = 0.7, 150
#: Standard error of a median of normal samples is this much wider than that of their mean: √(π/2).
MEDIAN_WIDER = sqrt(pi / 2)
#: Median absolute deviation of normal samples → standard deviation.
MAD_TO_SIGMA = 1.4826


@dataclass(frozen=True)
class Change:
    """A change of level that passed verification.

    index: the first changed sample; declared: the sample at which the recursion spoke; confirmed: the sample at which
    verification could be done. All count from the first sample of the series.
    ratio: median after / median before, so 1.18 is 18% slower and 0.8 is 20% faster.
    """

    index: int
    declared: int
    confirmed: int
    ratio: float
    before: float
    after: float


@dataclass(frozen=True)
class Runs:
    """What the recursion says at each sample: mass of runs up to `LAG`, and the likeliest run length. Shape
    (samples, series).
    """

    recent: Floats
    likeliest: Ints


@dataclass(frozen=True)
class Rules:
    """How a candidate is verified. `paper()` is what was published, the defaults are what we ask for besides."""

    threshold: float = THRESHOLD
    min_change: float = MIN_CHANGE
    min_after: int = MIN_AFTER
    min_z: float = MIN_Z
    spacing: int = MIN_AFTER

    @staticmethod
    def paper() -> "Rules":
        """Without our test against noise."""
        return Rules(min_z=0.0)


@cache
def _tables() -> tuple[Floats, Floats, Floats]:
    """By run length: ln of the Student-t constant without the scale, ν, and the factor β → scale²."""
    length = np.arange(LONGEST)
    alpha, kappa = ALPHA0 + length / 2, KAPPA0 + length
    constant = np.array([lgamma(a + 0.5) - lgamma(a) - 0.5 * log(2 * pi * a) for a in alpha])
    return constant, 2 * alpha, (kappa + 1) / (alpha * kappa)


class Recursion:
    """The recursion over several series at once, fed sample by sample; memory does not grow with time.

    start: first guess of each series' log level, shape (series,).

    Runs of `LONGEST` samples and more are one: its statistics forget, so that a swing of a few per cent over a day is
    followed and not remembered as a broken level.
    """

    def __init__(self, start: Floats) -> None:
        self._mean0 = start
        self._mean = start[:, None].copy()
        self._beta = np.full((len(start), 1), BETA0)
        self._mass = np.zeros((len(start), 1))

    def feed(self, x: Floats) -> tuple[Floats, Ints]:
        """Take one log duration of each series; the mass of runs up to `LAG` and the likeliest run, shape (series,).

        A value that is not finite says nothing: the runs stay as they were.
        """
        seen = np.isfinite(x)
        known = np.where(seen, x, self._mean0)[:, None]
        mean, beta, mass = self._grown(known)
        if seen.all():
            self._mean, self._beta, self._mass = mean, beta, mass
        else:
            width = self._mass.shape[1]
            kept = ~seen[:, None]
            for old, new in ((self._mean, mean), (self._beta, beta), (self._mass, mass)):
                new[:, :width] = np.where(kept, old, new[:, :width])
            mass[~seen, width:] = -np.inf
            self._mean, self._beta, self._mass = mean, beta, mass
        recent = np.exp(self._mass[:, : LAG + 1]).sum(axis=1)
        return recent, self._mass.argmax(axis=1)

    def _grown(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        constant, nu, widen = _tables()
        width = self._mean.shape[1]
        scale2 = self._beta * widen[:width]
        off2 = (x - self._mean) ** 2
        fit = constant[:width] - 0.5 * np.log(scale2) - (nu[:width] + 1) / 2 * np.log1p(off2 / (nu[:width] * scale2))
        joint = self._mass + fit
        joint -= joint.max(axis=1, keepdims=True)
        joint -= np.log(np.exp(joint).sum(axis=1, keepdims=True))
        hazard = 1 / HAZARD_SPAN
        kappa = KAPPA0 + np.arange(width)
        grown_mean = self._mean + (x - self._mean) / (kappa + 1)
        grown_beta = self._beta + kappa * off2 / (2 * (kappa + 1))
        mean = np.concatenate([self._mean0[:, None], grown_mean], axis=1)
        beta = np.concatenate([np.full_like(x, BETA0), grown_beta], axis=1)
        mass = np.concatenate([np.full_like(x, log(hazard)), joint + log(1 - hazard)], axis=1)
        return (mean, beta, mass) if width < LONGEST else _folded(mean, beta, mass)


def _folded(mean: Floats, beta: Floats, mass: Floats) -> tuple[Floats, Floats, Floats]:
    """Join the two longest runs, keeping the statistics of the likelier one at the size of a run of `LONGEST`."""
    last = np.where(mass[:, -1] >= mass[:, -2], -1, -2)
    rows = np.arange(len(mass))
    mean[:, -2] = mean[rows, last]
    shrink = np.where(last == -1, (ALPHA0 + (LONGEST - 1) / 2) / (ALPHA0 + LONGEST / 2), 1.0)
    beta[:, -2] = beta[rows, last] * shrink
    mass[:, -2] = np.logaddexp(mass[:, -1], mass[:, -2])
    return mean[:, :-1].copy(), beta[:, :-1].copy(), mass[:, :-1].copy()


def runs(durations: Floats) -> Runs:
    """The recursion over whole series, shape (samples, series), in any one unit; zero, negative and NaN say nothing."""
    logs = logs_of(durations)
    recent = np.zeros(logs.shape)
    likeliest = np.zeros(logs.shape, dtype=np.int64)
    recursion = Recursion(start_of(logs))
    for at, row in enumerate(logs):
        recent[at], likeliest[at] = recursion.feed(row)
    return Runs(recent, likeliest)


def logs_of(durations: Floats) -> Floats:
    """Natural logarithms; what is not a positive finite number becomes NaN."""
    good = np.isfinite(durations) & (durations > 0)
    return np.log(np.where(good, durations, np.nan), where=good, out=np.full(durations.shape, np.nan))


def start_of(logs: Floats) -> Floats:
    """First guess of the level: the median of the first `FIRST` samples that are known, 0 where none is."""
    out = np.zeros(logs.shape[1])
    for column in range(logs.shape[1]):
        known = logs[np.isfinite(logs[:, column]), column][:FIRST]
        out[column] = np.median(known) if len(known) else 0.0
    return out


def changes(durations: Floats, rules: Rules | None = None) -> list[Change]:
    """Verified changes of one series, shape (samples,), earliest first.

    The recursion costs a fraction of a millisecond a sample, so it is run only where the medians on both sides come
    near to what verification asks for.
    """
    rules = rules or Rules()
    logs = logs_of(durations)
    recent, likeliest = np.zeros(len(logs)), np.ones(len(logs), dtype=np.int64)
    for start, end in _worth_a_look(logs, rules):
        said = runs(durations[start:end, None])
        # The first samples of a stretch are all of a new run; that says nothing of a change.
        blind = start + 2 * FIRST if start else 0
        recent[max(start, blind) : end] = said.recent[max(start, blind) - start :, 0]
        likeliest[start:end] = said.likeliest[:, 0]
    return _verified(logs, recent, likeliest, rules)


def _worth_a_look(logs: Floats, rules: Rules) -> list[tuple[int, int]]:
    """Stretches round every sample at which the level may have changed, each with a past to compare with."""
    known = np.flatnonzero(np.isfinite(logs))
    if len(known) < FIRST + rules.min_after:
        return []
    values = logs[known]
    padded = np.concatenate([np.full(COMPARED, np.median(values[:FIRST])), values])
    before = np.median(sliding_window_view(padded, COMPARED), axis=1)[: len(values) - rules.min_after + 1]
    after = np.median(sliding_window_view(values, rules.min_after), axis=1)
    near = np.flatnonzero(np.abs(after - before) >= NEARLY * log(1 + rules.min_change))
    stretches: list[tuple[int, int]] = []
    for at in known[near]:
        start, end = max(0, int(at) - CONTEXT), min(len(logs), int(at) + 2 * COMPARED)
        if stretches and start <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], end)
        else:
            stretches.append((start, end))
    return stretches


def candidates(recent: Floats, likeliest: Ints, threshold: float) -> Iterator[tuple[int, int]]:
    """Sample at which the recursion speaks, and the first changed sample by its likeliest run."""
    for at in np.flatnonzero(recent > threshold):
        began = int(at) - int(likeliest[at]) + 1
        if at >= FIRST and began >= FIRST:
            yield int(at), began


def _verified(logs: Floats, recent: Floats, likeliest: Ints, rules: Rules) -> list[Change]:
    found: list[Change] = []
    settled = 0
    tried: set[int] = set()
    for declared, likely in candidates(recent, likeliest, rules.threshold):
        began = sharpened(logs, settled, likely)
        if began in tried or began - settled < rules.spacing:
            continue
        tried.add(began)
        change = verify(logs, settled, began, declared, rules)
        if change is not None:
            found.append(change)
            settled = began
    return found


def sharpened(logs: Floats, segment: int, began: int) -> int:
    """The first changed sample, within `LAG` of where the likeliest run puts it: the split that two levels fit best.

    A run may have begun with a stray sample before the change; medians do not follow it.
    """
    low, high = max(segment, began - COMPARED), min(len(logs), began + COMPARED)
    best, least = began, np.inf
    for split in range(max(segment + 5, began - LAG), min(len(logs) - 5, began + LAG) + 1):
        before, after = logs[low:split], logs[split:high]
        before, after = before[np.isfinite(before)], after[np.isfinite(after)]
        if len(before) and len(after):
            off = np.abs(before - np.median(before)).sum() + np.abs(after - np.median(after)).sum()
            if off < least:
                best, least = split, off
    return best


def verify(logs: Floats, segment: int, began: int, declared: int, rules: Rules) -> Change | None:
    """Compare the medians round a candidate, within the segment since the last change; None where it is jitter.

    logs: log durations, shape (samples,), with NaN for what is not known.
    """
    before = logs[max(segment, began - COMPARED) : began]
    after = logs[began : began + rules.min_after]
    before, after = before[np.isfinite(before)], after[np.isfinite(after)]
    if len(before) < 5 or len(after) < rules.min_after:
        return None
    low, high = float(np.median(before)), float(np.median(after))
    step = high - low
    if abs(np.expm1(step)) < rules.min_change:
        return None
    if rules.min_z:
        spread = MAD_TO_SIGMA * float(np.median(np.abs(np.concatenate([before - low, after - high]))))
        error = MEDIAN_WIDER * spread * sqrt(1 / len(before) + 1 / len(after))
        if abs(step) < rules.min_z * error:
            return None
    confirmed = max(declared, began + rules.min_after - 1)
    return Change(began, declared, confirmed, float(np.exp(step)), float(np.exp(low)), float(np.exp(high)))
