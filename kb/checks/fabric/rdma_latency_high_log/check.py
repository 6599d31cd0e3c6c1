"""Typical latencies of small messages in the output of perftest."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import ProgramLog
from kb.model import Text

HEAD = re.compile(r"t_typical\[usec\]")
#: ` 2       1000          1.76           6.12         1.79       …`: bytes, iterations, least, greatest, typical.
ROW = re.compile(r"^\s*(\d+)\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)")
SMALL = 4096


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    limit = knobs.number("limit")
    log = ProgramLog(
        name=Text(en="a latency test of perftest", ko="perftest 지연 시험"),
        remedy=Text(
            en="Run ib_write_lat or ib_send_lat between the hosts.", ko="호스트 사이에서 ib_write_lat을 돌리십시오."
        ),
    )
    inside: set[str] = set()
    for line in log.read(logs):
        if HEAD.search(line.text):
            inside.add(line.file)
        row = ROW.match(line.text) if line.file in inside else None
        if row and int(row[1]) <= SMALL:
            log.spoke(line)
            if float(row[5]) > limit:
                log.find(line, value=float(row[5]), unit="us", threshold=f"> {limit:g} us", size=row[1])
    return log.outcome()
