"""The checkpoint interval of a job as its records show it, judged by what its own failures make it cost.

Records tell the steps at which the job saved (a phase named checkpoint or save), how long that took, how long a step
takes, and, as events, when it failed or was restarted. What a restart takes is not in them: the published 6.5
minutes of TrainMover stand in for it, and do not move the best interval.
"""

import re
from dataclasses import dataclass

import numpy as np

from kb.model import Text
from kb.steps.checkpoints import Interval, Rate, judge, rate_of
from kb.steps.grid import Grid
from kb.steps.level1 import iterations
from kb.steps.mitigate import RESTART_SECONDS
from kb.steps.records import EventTable
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind

SAVES = re.compile(r"checkpoint|save", re.I)
FAILURES, RESTARTS = re.compile(r"fail|crash|interrupt", re.I), re.compile(r"restart|resum", re.I)
#: Ours: saves that an interval is told from.
FEW_SAVES = 2


@dataclass(frozen=True)
class Saving:
    """What the records say. seconds: that the job was watched; every: steps between saves (median)."""

    seconds: float
    iteration: float
    every: float
    save: float
    rate: Rate
    interval: Interval


def saving_of(grid: Grid, events: EventTable | None, restart: float = RESTART_SECONDS) -> Saving | Text:
    """How the job saves and what it costs, or why that cannot be told.

    restart: seconds from a failure until the job trains again.
    """
    phases = [index for index, name in enumerate(grid.phases) if SAVES.search(name)]
    saved = np.any([(grid.count[index] > 0).any(axis=1) for index in phases], axis=0) if phases else np.zeros(0, bool)
    steps = grid.steps[saved] if len(saved) else np.zeros(0, np.int64)
    series = iterations(grid)
    plain = series.seconds[~saved] if len(saved) else series.seconds
    if len(steps) < FEW_SAVES:
        return NO_SAVES
    if not np.isfinite(plain).any():
        return NO_TIMES
    iteration = float(np.nanmedian(plain))
    save = float(np.nansum([np.nanmedian(grid.sums(index)[saved]) for index in phases]))
    every = float(np.median(np.diff(steps)))
    seconds = iteration * float(grid.steps[-1] - grid.steps[0] + grid.width) + save * len(steps)
    rate = rate_of(failures_in(events), seconds)
    return Saving(seconds, iteration, every, save, rate, judge(every * iteration, save, restart, rate))


def failures_in(events: EventTable | None) -> int:
    """Failures, or restarts if more of them are recorded: they are the same ones, and a job resumes at another step
    than it failed at. Several ranks that report one at the same step are one.
    """
    if events is None or not len(events):
        return 0

    def steps(pattern: re.Pattern[str]) -> int:
        names = np.array([bool(pattern.search(name)) for name in events.event.names], bool)
        return len(np.unique(events.step[names[events.event.codes]]))

    return max(steps(FAILURES), steps(RESTARTS))


def verdict_of(grid: Grid, saving: Saving) -> Verdict | None:
    """A verdict where the interval is too long or too short."""
    interval = saving.interval
    if interval.verdict not in ("too-long", "too-short"):
        return None
    return Verdict(
        VerdictKind.checkpoint_interval,
        System.ours,
        interval.verdict,
        Confidence.detected_only,
        int(grid.steps[0]),
        int(grid.steps[-1]),
        grid.job,
        "checkpoint",
        ratio=interval.current / interval.daly,
        evidence={
            "interval_s": interval.current,
            "best_s": interval.daly,
            "save_s": saving.save,
            "failures": float(saving.rate.failures),
            "between_failures_s": saving.rate.between,
            "lost_hours_a_day": interval.lost_hours_a_day,
        },
    )


NO_SAVES = Text(
    en="The records show fewer than two checkpoints. Record the phase `checkpoint` with its seconds.",
    ko="기록에 체크포인트가 두 번도 없습니다. `checkpoint` 단계와 걸린 시간을 기록하십시오.",
)
NO_TIMES = Text(
    en="No step besides those that save has a time.",
    ko="체크포인트를 저장한 스텝 말고는 시간이 기록된 스텝이 없습니다.",
)
