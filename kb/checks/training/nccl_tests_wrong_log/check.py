"""Wrong values in the output of nccl-tests."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import ProgramLog
from kb.model import Text

#: `  1048576  262144  float  sum  -1  50.1  20.9  36.6  0  49.9  21.0  36.7  0`
ROW = re.compile(
    r"^\s*(\d+)\s+\d+\s+\w+\s+\w+\s+-?\d+\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+(\d+|N/A)"
    r"(?:\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+(\d+|N/A))?\s*$"
)
BOUNDS = re.compile(r"# Out of bounds values\s*:\s*(\d+) (\w+)")


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = ProgramLog(
        name=Text(en="nccl-tests with checks on", ko="검사를 켠 nccl-tests"),
        remedy=Text(en="Give the output of a run with -c 1.", ko="-c 1로 돌린 출력을 주십시오."),
    )
    for line in log.read(logs):
        row = ROW.match(line.text)
        if row:
            counts = [int(count) for count in (row[2], row[3]) if count and count != "N/A"]
            if counts:
                log.spoke(line)
            if sum(counts):
                log.find(line, value=sum(counts), size=row[1])
            continue
        bounds = BOUNDS.search(line.text)
        if bounds and bounds[2] == "FAILED":
            log.find(line, value=int(bounds[1]), size="some")
    return log.outcome()
