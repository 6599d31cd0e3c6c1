"""Losses that are not finite, iterations counted as NaN, and gradient norms that stay NaN."""

import math

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.training_log import TrainingLog, step_of
from kb.model import Text


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    lines = int(knobs.number("lines"))
    log = TrainingLog(name=Text(en="a training step with its loss", ko="손실이 적힌 학습 스텝"))
    row: dict[str, int] = {}
    first: dict[tuple[str, str], str] = {}
    for line in log.read(logs):
        step = step_of(line.text)
        if step is None or (step.loss is None and step.grad_norm is None and not step.nan_iterations):
            continue
        log.spoke(line)
        bad_norm = step.grad_norm is not None and math.isnan(step.grad_norm)
        row[line.file] = row.get(line.file, 0) + 1 if bad_norm else 0
        bad_loss = (step.loss is not None and not math.isfinite(step.loss)) or step.nan_iterations > 0
        for quantity, bad in (("loss", bad_loss), ("grad norm", row[line.file] >= lines)):
            if bad:
                since = first.setdefault((line.file, quantity), step.label)
                log.find(line, quantity=quantity, step=since)
    return log.outcome()
