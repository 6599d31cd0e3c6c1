"""Failed tests in the outputs of dcgmi diag that were kept of a host."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import ProgramLog
from kb.model import Text

#: `| GPU Memory                | Fail - GPU: 3 |`
RESULT = re.compile(r"^\|\s*([A-Z][\w /()-]*?)\s*\|\s*(Pass|Fail|Warn|Skip)\b([^|]*)\|")


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = ProgramLog(
        name=Text(en="dcgmi diag", ko="dcgmi diag"),
        remedy=Text(en="Give the output of dcgmi diag -r 2 or higher.", ko="dcgmi diag -r 2 이상의 출력을 주십시오."),
    )
    for line in log.read(logs):
        match = RESULT.match(line.text)
        if match and match[2] != "Skip":
            log.spoke(line)
            if match[2] == "Fail":
                log.find(line, test=match[1], told=match[3].strip(" -") or "all")
    return log.outcome()
