"""Losses that lie far above the median of the lines before them, over several lines."""

from collections import deque
from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.training_log import TrainingLog, finite, step_of
from kb.model import Text


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    factor, window = knobs.number("factor"), int(knobs.number("window"))
    least, lines = int(knobs.number("least")), int(knobs.number("lines"))
    log = TrainingLog(name=Text(en="a training step with its loss", ko="손실이 적힌 학습 스텝"))
    before: dict[str, deque[float]] = {}
    row: dict[str, list[str]] = {}
    for line in log.read(logs):
        step = step_of(line.text)
        if step is None or step.loss is None or not finite(step.loss):
            continue
        log.spoke(line)
        known = before.setdefault(line.file, deque(maxlen=window))
        level = median(known) if len(known) >= least else None
        if level is None or level <= 0 or step.loss < factor * level:
            row[line.file] = []
            known.append(step.loss)
            continue
        high = row.setdefault(line.file, [])
        high.append(step.label)
        if len(high) >= lines:
            log.find(line, value=round(step.loss / level, 2), threshold=f"> {factor:g}", step=high[0])
    return log.outcome()
