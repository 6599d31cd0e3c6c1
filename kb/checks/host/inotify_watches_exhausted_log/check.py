"""Refusals of inotify, which speak of space or of files and mean watches or instances."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(r"(?i)inotify|fsnotify|\bwatch(?:er|ing)\b")
FAULTS = (
    Fault(
        "watches",
        re.compile(
            r"(?i)(?:inotify|fsnotify).*no space left on device|user limit on (?:total number of )?inotify watches"
        ),
    ),
    Fault("instances", re.compile(r"(?i)(?:inotify|fsnotify).*too many open files|user limit on inotify instances")),
)
NAME = Text(en="a program that watches files", ko="파일을 감시하는 프로그램")
REMEDY = Text(
    en="Give the log of the kubelet or of the log shipper of that node.",
    ko="그 노드의 kubelet이나 로그 수집기 로그를 주십시오.",
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS)
