"""Loss by packet size in the output of ping."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

#: `PING 10.0.3.8 (10.0.3.8) 1400(1428) bytes of data.`
HEAD = re.compile(r"^PING (\S+).* (\d+)\(\d+\) bytes of data")
#: `100 packets transmitted, 0 received, 100% packet loss, time 101ms`
TAIL = re.compile(r"packets transmitted, \d+ received,.* ([\d.]+)% packet loss")


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    loss_limit, small = knobs.number("loss"), knobs.number("small")
    log = ProgramLog(
        name=Text(en="ping with its size", ko="크기가 적힌 ping"),
        remedy=Text(en="Run ping with a small and a large -s.", ko="작은 -s와 큰 -s로 ping을 돌리십시오."),
    )
    told: dict[tuple[str, str], dict[int, tuple[float, Line]]] = {}
    head: dict[str, re.Match[str]] = {}
    for line in log.read(logs):
        begin, end = HEAD.match(line.text), TAIL.search(line.text)
        if begin:
            head[line.file] = begin
        elif end and line.file in head:
            log.spoke(line)
            asked = head.pop(line.file)
            told.setdefault((line.file, asked[1]), {})[int(asked[2])] = float(end[1]), line
    for (file, target), sizes in told.items():
        below = [loss for size, (loss, _) in sizes.items() if size <= small]
        above = {size: found for size, found in sizes.items() if size > small}
        if not below or not above:
            reason = Text(en=f"{target} was asked with one size only.", ko=f"{target}에 한 가지 크기로만 물었습니다.")
            log.doubt(file, reason)
            continue
        for size, (loss, line) in above.items():
            if loss - max(below) > loss_limit:
                log.find(line, value=loss, unit="%", threshold=f"> {loss_limit:g} %", target=target, size=str(size))
    return log.outcome()
