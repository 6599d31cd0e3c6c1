"""TPUs that a task cannot open."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(r"TpuDevice\(|TPU v\d|\bstep[ :=]+\d+.*loss")
WORDS = ("iommu group", "No accelerator", "in use")
FAULTS = (
    Fault("IOMMU group busy", re.compile(r"Couldn't open iommu group")),
    Fault("no accelerator", re.compile(r"RuntimeError: No accelerator found")),
    Fault(
        "in use by another process",
        re.compile(r"The TPU is already in use by process|libtpu\.so is already in use|TPU backend .*already in use"),
    ),
)
NAME = Text(en="a TPU that was opened", ko="열린 TPU")
REMEDY = Text(
    en="Give the log of a task that ran on the host.",
    ko="그 호스트에서 돈 태스크의 로그를 주십시오.",
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS, words=WORDS)
