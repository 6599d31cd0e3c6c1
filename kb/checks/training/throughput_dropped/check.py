"""Speed in step lines that has fallen below the best median that the same log held before."""

from collections import deque
from dataclasses import dataclass, field
from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.training_log import TrainingLog, step_of
from kb.model import Text


@dataclass
class Pace:
    recent: deque[tuple[float, str]] = field(default_factory=deque)
    best: float = 0.0
    since: str | None = None


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    drop, lines = knobs.number("drop"), int(knobs.number("lines"))
    log = TrainingLog(name=Text(en="a training step with its speed", ko="속도가 적힌 학습 스텝"))
    paces: dict[tuple[str, str], Pace] = {}
    for line in log.read(logs):
        step = step_of(line.text)
        if step is None:
            continue
        speed = step.rate or (1 / step.seconds if step.seconds else None)
        if speed is None:
            continue
        log.spoke(line)
        pace = paces.setdefault((line.file, step.unit if step.rate else "steps/s"), Pace())
        pace.recent.append((speed, step.label))
        if len(pace.recent) < lines:
            continue
        level = median(value for value, _ in pace.recent)
        if level < (1 - drop) * pace.best:
            pace.since = pace.since or next(name for value, name in pace.recent if value <= level)
            limit = f"< {(1 - drop) * pace.best:g}"
            log.find(line, value=round(level, 4), unit=step.unit or "steps/s", threshold=limit, step=pace.since)
        else:
            pace.since = None
        pace.best = max(pace.best, level)
        pace.recent.popleft()
    return log.outcome()
