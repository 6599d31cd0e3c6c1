"""The switch that each port of each host hears, against the same port of the other hosts."""

import re
from collections import Counter

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

#: `lldp.eth0.chassis.name=leaf-1`
NEIGHBOUR = re.compile(r"^lldp\.([\w-]+)\.chassis\.name=(\S+)")
HOSTS = 3


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = ProgramLog(
        name=Text(en="neighbours heard through LLDP", ko="LLDP로 들은 이웃"),
        remedy=Text(
            en="Give lldpcli show neighbors -f keyvalue of three hosts or more.",
            ko="호스트 세 대 이상의 lldpcli show neighbors -f keyvalue 출력을 주십시오.",
        ),
    )
    ports: dict[str, dict[str, tuple[str, Line]]] = {}
    for line in log.read(logs):
        match = NEIGHBOUR.match(line.text)
        if match:
            log.spoke(line)
            ports.setdefault(match[1], {})[line.file] = match[2], line
    for interface, hosts in ports.items():
        switch, number = Counter(name for name, _ in hosts.values()).most_common(1)[0]
        if len(hosts) < HOSTS or number <= len(hosts) / 2:
            for file in hosts:
                told = Text(en=f"{interface}: no majority.", ko=f"{interface}: 다수가 없습니다.")
                log.doubt(file, told)
            continue
        for name, line in hosts.values():
            if name != switch:
                log.find(line, interface=interface, switch=name, most=switch)
    return log.outcome()
