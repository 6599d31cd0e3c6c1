"""Time from the first line of a start to the first step, by the clock of the log."""

import re
from dataclasses import dataclass

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.program_log import Line
from kb.checks.training_log import TrainingLog, step_of
from kb.model import Text

#: What frameworks print while they start, and what that is called here.
STAGES = (
    ("process groups", re.compile(r"initializing torch distributed|init_process_group|using world size: \d+")),
    ("process groups", re.compile(r"Initializing distributed|elastic_operator|initialize_model_parallel")),
    ("communicators", re.compile(r"NCCL INFO (?:Bootstrap|NET/|Using network|comm 0x)|NCCL version \d")),
    ("coordinator", re.compile(r"(?:Starting|Connecting to) JAX distributed service")),
    ("checkpoint", re.compile(r"[Ll]oading (?:model )?checkpoint|[Rr]esuming from|loading distributed checkpoint")),
    ("data", re.compile(r"building train, validation, and test datasets|[Bb]uilding (?:the )?data|loading data")),
)


@dataclass
class Start:
    line: Line
    clock: float | None
    stage: str


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    limit = seconds(knobs.text("limit"))
    log = TrainingLog(
        name=Text(en="a start of a training job", ko="학습 잡의 시작"),
        remedy=Text(
            en="Give the log from the start of the job on, with clock times.",
            ko="잡이 시작할 때부터 시각이 찍힌 로그를 주십시오.",
        ),
    )
    starts: dict[str, Start] = {}

    def judge(file: str, now: float | None) -> None:
        start = starts.get(file)
        if start is None:
            return
        if start.clock is None or now is None:
            log.doubt(file, Text(en=f"{file} has no clock times.", ko=f"{file}에 시각이 없습니다."))
        elif now - start.clock > limit:
            minutes = round((now - start.clock) / 60, 1)
            log.find(start.line, value=minutes, unit="min", threshold=f"> {limit / 60:g} min", stage=start.stage)

    for line in log.read(logs):
        if step_of(line.text) is not None:
            judge(line.file, log.files[line.file].clock)
            starts.pop(line.file, None)
            continue
        stage = next((name for name, pattern in STAGES if pattern.search(line.text)), None)
        if stage is None:
            continue
        log.spoke(line)
        start = starts.setdefault(line.file, Start(line, log.files[line.file].clock, stage))
        start.stage = stage
        if start.clock is None:
            start.clock = log.files[line.file].clock
    for file in starts:
        judge(file, log.files[file].clock)
    return log.outcome()
