"""Distances between neighbouring losses, against the calmest stretch before."""

from collections import deque
from dataclasses import dataclass
from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.training_log import TrainingLog, finite, step_of
from kb.model import Text


@dataclass
class Run:
    """What the lines of one run have shown so far.

    jumps: the latest distances between neighbouring losses, relative to the loss.
    """

    jumps: deque[float]
    calmest: float | None = None
    last: float | None = None
    since: str | None = None


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    factor, window = knobs.number("factor"), int(knobs.number("window"))
    log = TrainingLog(name=Text(en="a training step with its loss", ko="손실이 적힌 학습 스텝"))
    run = Run(deque(maxlen=window))
    for line in log.read(logs):
        step = step_of(line.text)
        if step is None or step.loss is None or not finite(step.loss):
            continue
        log.spoke(line)
        if not log.goes_on(line):
            run = Run(deque(maxlen=window))
        if run.last:
            run.jumps.append(abs(step.loss - run.last) / abs(run.last))
        run.last = step.loss
        if len(run.jumps) < window:
            continue
        noise = median(run.jumps)
        if run.calmest is not None and run.calmest > 0 and noise > factor * run.calmest:
            run.since = run.since or step.label
            log.find(line, value=round(noise / run.calmest, 1), threshold=f"> {factor:g}", step=run.since)
        else:
            run.since = None
        run.calmest = noise if run.calmest is None else min(run.calmest, noise)
    return log.outcome()
