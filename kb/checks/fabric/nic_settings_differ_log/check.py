"""Firmware settings of adapters that differ from those of most hosts."""

import re
from collections import Counter

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

#: `         SRIOV_EN                            True(1)`
SETTING = re.compile(r"^\*?\s+([A-Z][A-Z0-9_]{3,}(?:\[[\d.]+\])?)\s{2,}(\S+)\s*$")
HOSTS = 3


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = ProgramLog(
        name=Text(en="mlxconfig", ko="mlxconfig"),
        remedy=Text(en="Give mlxconfig q of three hosts or more.", ko="호스트 세 대 이상의 mlxconfig q를 주십시오."),
    )
    settings: dict[str, dict[str, tuple[str, Line]]] = {}
    for line in log.read(logs):
        match = SETTING.match(line.text)
        if match:
            log.spoke(line)
            settings.setdefault(match[1], {})[line.file] = match[2], line
    if len(log.files) < HOSTS:
        for file, told in log.files.items():
            if told.spoken:
                log.doubt(file, Text(en="Fewer than three hosts.", ko="호스트가 세 대보다 적습니다."))
        return log.outcome()
    for setting, hosts in settings.items():
        most, number = Counter(value for value, _ in hosts.values()).most_common(1)[0]
        if number > len(hosts) / 2:
            for value, line in hosts.values():
                if value != most:
                    log.find(line, setting=setting, told=value, most=most)
    return log.outcome()
