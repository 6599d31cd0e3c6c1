"""What a checkpoint interval costs: Young's and Daly's intervals from measured rates, and the hours that a setting
loses.

Published: Young's first order √(2·δ·M) (Communications of the ACM, 1974), with δ the time to save and M the mean
time between
failures; Meta writes the same with M = 1/(nodes · rate) (arXiv 2410.21680). Daly's higher order is given as recalled
from his paper (Future Generation Computer Systems, 2006).

Ours: the waste δ/τ + τ/(2M) + restart/M, and the band outside which an interval is called costly: above twice or
below a third of the best, where the waste that the interval itself causes is 1.25 and 1.67 times the least.
"""

from dataclasses import dataclass
from math import exp, inf, log, sqrt

#: Ours: an interval outside this band round the best one is costly.
TOO_LONG, TOO_SHORT = 2.0, 1 / 3
#: Ours: failures from which a rate is believed; below, the rate is given with its range and nothing is judged.
FEW_FAILURES = 3
#: Each side of a 95% range.
TAIL = 0.025


@dataclass(frozen=True)
class Rate:
    """Mean time between failures in seconds, and its 95% range; infinite where none was seen."""

    failures: int
    between: float
    shortest: float
    longest: float


@dataclass(frozen=True)
class Interval:
    """A setting judged. All times in seconds; shares are of the wall time."""

    current: float
    young: float
    daly: float
    waste: float
    lost_hours_a_day: float
    """What the current interval loses beyond the best one, in hours of the whole job a day."""
    verdict: str
    """`fine`, `too-long`, `too-short` or `too-few-failures`."""


def rate_of(failures: int, seconds: float) -> Rate:
    """Failure rate of a job from what happened in `seconds` of it, with the exact range of a Poisson count."""
    if failures <= 0:
        return Rate(0, inf, seconds / _count_limit(0, TAIL), inf)
    return Rate(
        failures,
        seconds / failures,
        seconds / _count_limit(failures, TAIL),
        seconds / _count_limit(failures - 1, 1 - TAIL),
    )


def _count_limit(seen: int, chance: float) -> float:
    """The mean of a Poisson count for which at most `seen` has this chance, by bisection."""
    low, high = 0.0, 4.0 * seen + 20
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(seen, middle) > chance else (low, middle)
    return low


def _at_most(seen: int, mean: float) -> float:
    term, total = -mean, exp(-mean)
    for k in range(1, seen + 1):
        term += log(mean / k)
        total += exp(term)
    return total


def young(save: float, between: float) -> float:
    return sqrt(2 * save * between)


def daly(save: float, between: float) -> float:
    """Daly's higher order; the mean time between failures itself where saving takes half of it and more."""
    if save >= 2 * between:
        return between
    ratio = save / (2 * between)
    return sqrt(2 * save * between) * (1 + sqrt(ratio) / 3 + ratio / 9) - save


def waste(interval: float, save: float, between: float, restart: float) -> float:
    """Share of the wall time that goes to saving, to work done twice and to restarts."""
    return save / interval + interval / (2 * between) + restart / between


def judge(current: float, save: float, restart: float, rate: Rate) -> Interval:
    """Judge an interval of `current` seconds between checkpoints that take `save` seconds of the job's time.

    save must be what the job stands still for, which with asynchronous checkpoints is less than writing takes.
    """
    best = daly(save, rate.between) if rate.failures else inf
    if not rate.failures:
        return Interval(current, inf, inf, save / current, 0.0, "too-few-failures")
    now, least = waste(current, save, rate.between, restart), waste(best, save, rate.between, restart)
    verdict = "fine"
    if current > TOO_LONG * best:
        verdict = "too-long"
    elif current < TOO_SHORT * best:
        verdict = "too-short"
    if rate.failures < FEW_FAILURES and verdict != "fine":
        verdict = "too-few-failures"
    return Interval(current, young(save, rate.between), best, now, 24 * max(0.0, now - least), verdict)


@dataclass(frozen=True)
class Budget:
    """Where the time of failures goes, as shares of the wall time: since the last checkpoint, until noticed, until the
    culprit is found and out, until it runs again."""

    since_checkpoint: float
    detection: float
    diagnosis: float
    restart: float

    @property
    def total(self) -> float:
        return self.since_checkpoint + self.detection + self.diagnosis + self.restart


def budget(interval: float, detection: float, diagnosis: float, restart: float, between: float) -> Budget:
    """The downtime that failures cost, from the seconds that each part takes and the time between failures."""
    return Budget(interval / 2 / between, detection / between, diagnosis / between, restart / between)
