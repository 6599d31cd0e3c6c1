"""Distances between neighbouring losses, against the calmest stretch before."""

from collections import deque
from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.training_log import TrainingLog, finite, step_of
from kb.model import Text


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    factor, window = knobs.number("factor"), int(knobs.number("window"))
    log = TrainingLog(name=Text(en="a training step with its loss", ko="손실이 적힌 학습 스텝"))
    jumps: deque[float] = deque(maxlen=window)
    calmest: float | None = None
    last: float | None = None
    since: str | None = None
    for line in log.read(logs):
        step = step_of(line.text)
        if step is None or step.loss is None or not finite(step.loss):
            continue
        log.spoke(line)
        if last:
            jumps.append(abs(step.loss - last) / abs(last))
        last = step.loss
        if len(jumps) < window:
            continue
        noise = median(jumps)
        if calmest is not None and calmest > 0 and noise > factor * calmest:
            since = since or str(step.number or "?")
            log.find(line, value=round(noise / calmest, 1), threshold=f"> {factor:g}", step=since)
        else:
            since = None
        calmest = noise if calmest is None else min(calmest, noise)
    return log.outcome()
