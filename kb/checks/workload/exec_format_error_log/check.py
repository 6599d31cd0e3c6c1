"""Binaries of another architecture."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(
    r"Started container|Created container|container started|Pulled image|Container image .* already present"
)
WORDS = ("exec format error",)
FAULTS = (Fault("exec format error", re.compile(r"exec format error")),)
NAME = Text(en="a container that starts", ko="컨테이너 시작")
REMEDY = Text(
    en="Give the log of the pod or the kubelet of the node.",
    ko="파드나 노드 kubelet 로그를 주십시오.",
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS, words=WORDS)
