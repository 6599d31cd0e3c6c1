"""Stretches of a controller's log without a line of its scheduling loop."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

CYCLE = re.compile(r"[Ss]cheduling (?:cycle|loop iteration)\b")


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    limit = seconds(knobs.text("limit"))
    log = ProgramLog(
        name=Text(en="a scheduling loop", ko="스케줄링 루프"),
        remedy=Text(en="Give the controller's log with clock times.", ko="시각이 찍힌 컨트롤러 로그를 주십시오."),
    )
    last: dict[str, tuple[Line, float | None]] = {}

    def judge(file: str) -> None:
        line, since = last[file]
        now = log.files[file].clock
        if since is None or now is None:
            log.doubt(file, Text(en=f"{file} has no clock times.", ko=f"{file}에 시각이 없습니다."))
        elif now - since > limit:
            log.find(line, value=round((now - since) / 60, 1), unit="min", threshold=f"> {limit / 60:g} min")

    for line in log.read(logs):
        if CYCLE.search(line.text):
            log.spoke(line)
            if line.file in last:
                judge(line.file)
            last[line.file] = line, log.files[line.file].clock
    for file in last:
        judge(file)
    return log.outcome()
