"""Containers whose device access was taken away while they ran."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(r"NVIDIA-SMI \d|Registered device plugin for|torch\.cuda\.device_count|loading NVIDIA UNIX")
WORDS = ("Failed to initialize NVML",)
FAULTS = (Fault("NVML unknown error", re.compile(r"Failed to initialize NVML: Unknown Error")),)
NAME = Text(en="the driver, asked from a container", ko="컨테이너에서 드라이버에 물은 흔적")
REMEDY = Text(
    en="Give the log of a container that runs nvidia-smi, or of the device plugin.",
    ko="nvidia-smi를 실행하는 컨테이너나 디바이스 플러그인의 로그를 주십시오.",
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS, words=WORDS)
