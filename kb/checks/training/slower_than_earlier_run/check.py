"""Logs of the same job whose steps take longer than those of the fastest."""

from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line
from kb.checks.training_log import TrainingLog, step_of
from kb.model import Text

#: Lines that are compilation and warm-up.
SKIPPED = 2
LEAST = 3


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    slower = knobs.number("slower")
    log = TrainingLog(name=Text(en="a training step with its speed", ko="속도가 적힌 학습 스텝"))
    runs: dict[tuple[str, str], list[tuple[float, Line]]] = {}
    for line in log.read(logs):
        step = step_of(line.text)
        if step is None:
            continue
        if step.seconds:
            unit, time = "s", step.seconds
        elif step.rate:
            unit, time = step.unit, 1 / step.rate
        else:
            continue
        log.spoke(line)
        runs.setdefault((unit, line.file), []).append((time, line))
    judged: set[str] = set()
    for unit in {unit for unit, _ in runs}:
        files = {
            file: median(time for time, _ in times[SKIPPED:])
            for (name, file), times in runs.items()
            if name == unit and len(times) >= SKIPPED + LEAST
        }
        if len(files) < 2:
            continue
        judged |= files.keys()
        fastest = min(files, key=lambda name: files[name])
        for file, time in files.items():
            if time > slower * files[fastest]:
                _, line = runs[unit, file][-1]
                log.find(line, value=round(time / files[fastest], 2), threshold=f"> {slower:g}", than=fastest)
    for file in {file for _, file in runs} - judged:
        log.doubt(
            file, Text(en=f"No other run to compare {file} with.", ko=f"{file}과(와) 비교할 다른 실행이 없습니다.")
        )
    return log.outcome()
