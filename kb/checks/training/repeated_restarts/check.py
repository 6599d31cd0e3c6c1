"""Steps back in training logs: restarts that make no progress, and too many restarts in a day."""

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.training_log import TrainingLog
from kb.model import Text


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    stuck, often = int(knobs.number("stuck")), int(knobs.number("often"))
    window = seconds(knobs.text("window"))
    log = TrainingLog(name=Text(en="a numbered training step", ko="번호가 있는 학습 스텝"))
    last: int | None = None
    resumed: int | None = None
    same = 0
    times: list[float] = []
    for line, step in log.steps(logs):
        if step.number is None:
            continue
        back = last is not None and step.number <= last
        last = step.number
        if not back:
            continue
        same = same + 1 if resumed is not None and step.number <= resumed else 1
        resumed = step.number
        if same >= stuck:
            log.find(line, value=same, threshold=f">= {stuck}", fault="no progress", step=str(step.number))
        clock = log.files[line.file].clock
        if clock is not None:
            times = [time for time in times if 0 <= clock - time <= window] + [clock]
            if len(times) > often:
                log.find(line, value=len(times), threshold=f"> {often} a day", fault="too often", step=str(step.number))
    return log.outcome()
