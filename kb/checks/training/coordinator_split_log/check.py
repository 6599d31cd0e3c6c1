"""The coordinator address that each member of a job connects to."""

import re
from collections import Counter

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

ADDRESS = re.compile(
    r"(?:Connecting to JAX distributed service on|rdzv_endpoint\s*[:=]|MASTER_ADDR=)\s*\[?([\w.-]+(?::\d+)?)"
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = ProgramLog(
        name=Text(en="a member that names its coordinator", ko="코디네이터 주소를 남긴 멤버"),
        remedy=Text(
            en="Give the logs of all members of one attempt.", ko="한 시도에 속한 모든 멤버의 로그를 주십시오."
        ),
    )
    last: dict[str, tuple[str, Line]] = {}
    for line in log.read(logs):
        match = ADDRESS.search(line.text)
        if match:
            log.spoke(line)
            last[line.file] = match[1], line
    counts = Counter(address for address, _ in last.values())
    if len(last) == 1:
        [file] = last
        log.doubt(file, Text(en=f"{file} is the only member given.", ko=f"멤버 로그가 {file} 하나뿐입니다."))
    if len(counts) > 1:
        most = counts.most_common(1)[0][0]
        for address, line in last.values():
            if address != most:
                log.find(line, address=address, most=most)
    return log.outcome()
