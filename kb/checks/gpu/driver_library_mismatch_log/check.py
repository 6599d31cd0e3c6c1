"""Version mismatch of the NVIDIA driver and its libraries."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(r"NVIDIA-SMI \d|Registered device plugin for|torch\.cuda\.device_count|loading NVIDIA UNIX")
WORDS = ("version mismatch", "API mismatch", "NVIDIA-SMI has failed", "nvidia-persistenced")
FAULTS = (
    Fault(
        "driver and library of different versions", re.compile(r"Driver/library version mismatch|NVRM: API mismatch")
    ),
    Fault(
        "driver does not answer",
        re.compile(r"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver"),
    ),
    Fault("persistence daemon is gone", re.compile(r"/run/nvidia-persistenced/socket: no such file")),
)
NAME = Text(en="the driver, asked", ko="드라이버에 물은 흔적")
REMEDY = Text(
    en="Give the output of nvidia-smi or the log of a job that starts on the node.",
    ko="nvidia-smi 출력이나 그 노드에서 시작한 잡의 로그를 주십시오.",
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS, words=WORDS)
