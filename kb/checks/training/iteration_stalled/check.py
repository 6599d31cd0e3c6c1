"""Stretches of a training log, by its own clock, in which no step is finished for far longer than a step takes."""

from dataclasses import dataclass, field
from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.program_log import Line
from kb.checks.training_log import Step, TrainingLog, step_of
from kb.model import Text

KEPT = 100


@dataclass
class Progress:
    """The last step of one file, and the distances between step lines before it."""

    line: Line | None = None
    step: Step = field(default_factory=Step)
    clock: float | None = None
    gaps: list[float] = field(default_factory=list)

    def usual(self) -> float | None:
        if len(self.gaps) >= 3:
            return median(self.gaps[-KEPT:])
        return self.step.seconds


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    factor, least = knobs.number("factor"), seconds(knobs.text("least"))
    log = TrainingLog()
    seen: dict[str, Progress] = {}

    def judge(last: Progress, now: float | None) -> None:
        usual = last.usual()
        if last.line is None or last.clock is None or now is None or usual is None:
            return
        limit = max(factor * usual, least)
        if now - last.clock > limit:
            minutes = round((now - last.clock) / 60, 1)
            log.find(
                last.line,
                value=minutes,
                unit="min",
                threshold=f"> {limit / 60:.1f} min",
                step=str(last.step.number if last.step.number is not None else "?"),
            )

    for line in log.read(logs):
        step = step_of(line.text)
        if step is None:
            continue
        log.spoke(line)
        clock, last = log.files[line.file].clock, seen.setdefault(line.file, Progress())
        judge(last, clock)
        if clock is not None and last.clock is not None and clock > last.clock:
            last.gaps.append(clock - last.clock)
            del last.gaps[:-KEPT]
        last.line, last.step, last.clock = line, step, clock
    for file, last in seen.items():
        if last.clock is None or last.usual() is None:
            log.doubt(file, Text(en=f"{file} has no clock times.", ko=f"{file}에 시각이 없습니다."))
        judge(last, log.files[file].clock)
    return log.outcome()
