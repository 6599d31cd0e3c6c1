"""Learning rate and loss of the first lines after a step back, against those before it."""

from collections import deque
from dataclasses import dataclass, field
from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.training_log import TrainingLog, finite
from kb.model import Text

KEPT = 20_000


@dataclass
class Resume:
    step: int
    level: float | None
    losses: list[float] = field(default_factory=list)


@dataclass
class Run:
    """What the lines of one run have shown so far.

    before: the latest losses, as many as are taken together twice over.
    """

    before: deque[float]
    rates: dict[int, float] = field(default_factory=dict)
    resume: Resume | None = None
    last: int | None = None


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    rate_off, loss_off, lines = knobs.number("rate"), knobs.number("loss"), int(knobs.number("lines"))
    log = TrainingLog(name=Text(en="a numbered training step", ko="번호가 있는 학습 스텝"))
    run = Run(deque(maxlen=lines * 2))
    for line, step in log.steps(logs):
        if step.number is None:
            continue
        if not log.goes_on(line):
            run = Run(deque(maxlen=lines * 2))
        if run.last is not None and step.number <= run.last:
            run.resume = Resume(step.number, median(run.before) if len(run.before) >= lines else None)
            run.before.clear()
        run.last = step.number
        known, rate = _rate_before(run, step.number, step.learning_rate), step.learning_rate
        if run.resume is not None and known and rate is not None and abs(rate - known) > rate_off * known:
            limit = f"{known:g} before"
            log.find(line, value=rate, threshold=limit, quantity="learning rate", step=str(run.resume.step))
        level = _level(run, step.loss, lines)
        before = run.resume.level if run.resume is not None else None
        if run.resume is not None and before and level is not None and abs(level - before) > loss_off * before:
            limit = f"{before:g} before"
            log.find(line, value=level, threshold=limit, quantity="loss", step=str(run.resume.step))
    return log.outcome()


def _rate_before(run: Run, number: int, rate: float | None) -> float | None:
    """The learning rate that this step had before; the first of a step is kept."""
    known = run.rates.get(number)
    if rate is not None and (run.resume is None or known is None):
        run.rates[number] = rate
        if len(run.rates) > KEPT:
            run.rates.pop(next(iter(run.rates)))
    return known


def _level(run: Run, loss: float | None, lines: int) -> float | None:
    """The median of the first losses after a resume, at the line that completes them."""
    if loss is None or not finite(loss):
        return None
    run.before.append(loss)
    if run.resume is None or not run.resume.level or len(run.resume.losses) >= lines:
        return None
    run.resume.losses.append(loss)
    return median(run.resume.losses) if len(run.resume.losses) == lines else None
