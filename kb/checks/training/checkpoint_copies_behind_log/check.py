"""Saves that a training log reports, against the listing of where they are copied to."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

#: `epoch=9-step=1000.ckpt`, `global_step1000`, `checkpoint-500`, `iter_0001000`
NUMBER = re.compile(r"(?:epoch[=_-]?|global_step|step[=_-]|checkpoint-|iter_)0*(\d+)")
#: `2022-04-11 10:00:00   123456 name`, `-rw-r--r-- 1 u g 123 …`, `  123456  2022-04-11T10:00:00Z  gs://…`
LISTED = re.compile(r"^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s+\d+ |[-d][rwx-]{9}\s|\s*\d+\s+\d{4}-\d\d-\d\dT\S+\s+gs://)")
SAVED = re.compile(r"sav(?:ed|ing)\b.*(?:checkpoint|model|ckpt)|(?:checkpoint|ckpt)\S* saved", re.IGNORECASE)


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    behind = int(knobs.number("behind"))
    log = ProgramLog(
        name=Text(en="saves or a listing of checkpoints", ko="체크포인트 저장이나 목록"),
        remedy=Text(
            en="Give the training log and the listing of the bucket.", ko="학습 로그와 버킷 목록을 함께 주십시오."
        ),
    )
    saved: dict[str, dict[int, Line]] = {}
    listed: dict[str, int] = {}
    for line in log.read(logs):
        number = NUMBER.search(line.text)
        if number is None:
            continue
        if LISTED.match(line.text):
            log.spoke(line)
            listed[line.file] = max(listed.get(line.file, -1), int(number[1]))
        elif SAVED.search(line.text):
            log.spoke(line)
            saved.setdefault(line.file, {})[int(number[1])] = line
    if not listed or not saved:
        for file in {*listed, *saved}:
            log.doubt(
                file, Text(en=f"{file} has nothing to be held against.", ko=f"{file}과(와) 맞대 볼 것이 없습니다.")
            )
    for saves in saved.values():
        for listing, last in listed.items():
            missing = sorted(number for number in saves if number > last)
            if len(missing) >= behind:
                log.find(saves[missing[-1]], value=len(missing), unit="saves", last=str(last), listing=listing)
    return log.outcome()
