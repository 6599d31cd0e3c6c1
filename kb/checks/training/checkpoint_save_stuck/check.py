"""Checkpoint saves that begin and, by the log's own clock, do not end."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.program_log import Line
from kb.checks.training_log import SAVED, TrainingLog
from kb.model import Text

BEGIN = re.compile(r"Started: 'save_checkpoints?'|saving checkpoint at (?:iteration|step)\s+\d+|Saving checkpoint at ")


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    limit = seconds(knobs.text("limit"))
    log = TrainingLog(name=Text(en="a checkpoint save", ko="체크포인트 저장"))
    begun: dict[str, tuple[Line, float | None]] = {}

    def judge(file: str) -> None:
        if file not in begun:
            return
        line, since = begun[file]
        now = log.files[file].clock
        if since is None or now is None:
            log.doubt(file, Text(en=f"{file} has no clock times.", ko=f"{file}에 시각이 없습니다."))
        elif now - since > limit:
            log.find(line, value=round((now - since) / 60, 1), unit="min", threshold=f"> {limit / 60:g} min")

    for line in log.read(logs):
        if SAVED.search(line.text):
            log.spoke(line)
            judge(line.file)
            begun.pop(line.file, None)
        elif BEGIN.search(line.text):
            log.spoke(line)
            judge(line.file)
            begun[line.file] = line, log.files[line.file].clock
    for file in list(begun):
        judge(file)
    return log.outcome()
