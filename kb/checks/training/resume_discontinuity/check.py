"""Learning rate and loss of the first lines after a step back, against those before it."""

from collections import deque
from dataclasses import dataclass, field
from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line
from kb.checks.training_log import TrainingLog, finite
from kb.model import Text

KEPT = 20_000


@dataclass
class Resume:
    line: Line
    step: int
    level: float | None
    losses: list[float] = field(default_factory=list)


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    rate_off, loss_off, lines = knobs.number("rate"), knobs.number("loss"), int(knobs.number("lines"))
    log = TrainingLog(name=Text(en="a numbered training step", ko="번호가 있는 학습 스텝"))
    rates: dict[int, float] = {}
    before: deque[float] = deque(maxlen=lines * 2)
    resume: Resume | None = None
    last: int | None = None
    for line, step in log.steps(logs):
        if step.number is None:
            continue
        if last is not None and step.number <= last:
            resume = Resume(line, step.number, median(before) if len(before) >= lines else None)
            before.clear()
        known = rates.get(step.number)
        rate = step.learning_rate
        if resume is not None and known and rate is not None and abs(rate - known) > rate_off * known:
            limit = f"{known:g} before"
            log.find(line, value=rate, threshold=limit, quantity="learning rate", step=str(resume.step))
        if rate is not None and (resume is None or step.number not in rates):
            rates[step.number] = rate
            if len(rates) > KEPT:
                rates.pop(next(iter(rates)))
        if step.loss is not None and finite(step.loss):
            before.append(step.loss)
            if resume is not None and resume.level and len(resume.losses) < lines:
                resume.losses.append(step.loss)
                first = median(resume.losses)
                if len(resume.losses) == lines and abs(first - resume.level) > loss_off * resume.level:
                    log.find(
                        line, value=first, threshold=f"{resume.level:g} before", quantity="loss", step=str(resume.step)
                    )
        last = step.number
    return log.outcome()
