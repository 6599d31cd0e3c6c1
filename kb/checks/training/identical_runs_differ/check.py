"""Runs whose losses depart from those of the runs they ought to equal."""

from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line
from kb.checks.training_log import TrainingLog
from kb.model import Text

RUNS = 3


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    off, lines = knobs.number("off"), int(knobs.number("lines"))
    log = TrainingLog(name=Text(en="a numbered step with its loss", ko="번호와 손실이 있는 스텝"))
    steps: dict[int, dict[str, tuple[float, Line]]] = {}
    for line, step in log.steps(logs):
        if step.number is not None and step.loss is not None:
            steps.setdefault(step.number, {})[line.file] = step.loss, line
    row: dict[str, list[int]] = {}
    compared: set[str] = set()
    for number in sorted(steps):
        runs = steps[number]
        if len(runs) < RUNS:
            continue
        compared |= runs.keys()
        level = median(loss for loss, _ in runs.values())
        for file, (loss, line) in runs.items():
            if not abs(loss - level) <= off * abs(level):
                row.setdefault(file, []).append(number)
                if len(row[file]) >= lines:
                    ratio = round(loss / level, 3) if level else None
                    log.find(line, value=ratio, threshold=f"within {off:g}", step=str(row[file][0]))
            else:
                row[file] = []
    for file, told in log.files.items():
        if told.spoken and file not in compared:
            log.doubt(
                file, Text(en=f"Too few runs to compare {file} with.", ko=f"{file}과(와) 비교할 실행이 부족합니다.")
            )
    return log.outcome()
