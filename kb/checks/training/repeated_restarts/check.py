"""Steps back in training logs: restarts that make no progress, and too many restarts in a day."""

from dataclasses import dataclass, field

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.training_log import TrainingLog
from kb.model import Text


@dataclass
class Run:
    """What the lines of one run have shown so far."""

    last: int | None = None
    resumed: int | None = None
    same: int = 0
    """Restarts in a row that resumed no later than the one before."""
    times: list[float] = field(default_factory=list)


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    stuck, often = int(knobs.number("stuck")), int(knobs.number("often"))
    window = seconds(knobs.text("window"))
    log = TrainingLog(name=Text(en="a numbered training step", ko="번호가 있는 학습 스텝"))
    run = Run()
    for line, step in log.steps(logs):
        if step.number is None:
            continue
        if not log.goes_on(line):
            run = Run()
        back = run.last is not None and step.number <= run.last
        run.last = step.number
        if not back:
            continue
        run.same = run.same + 1 if run.resumed is not None and step.number <= run.resumed else 1
        run.resumed = step.number
        if run.same >= stuck:
            log.find(line, value=run.same, threshold=f">= {stuck}", fault="no progress", step=step.label)
        clock = log.files[line.file].clock
        if clock is not None:
            run.times = [time for time in run.times if 0 <= clock - time <= window] + [clock]
            if len(run.times) > often:
                limit = f"> {often} a day"
                log.find(line, value=len(run.times), threshold=limit, fault="too often", step=step.label)
    return log.outcome()
