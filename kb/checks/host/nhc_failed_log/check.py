"""Failed tests of Node Health Check."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(r"\bnhc:\s|Node Health Check")
WORDS = ("Health check failed",)
FAULTS = (Fault("failed", re.compile(r"ERROR:\s+nhc:\s+Health check failed:")),)
NAME = Text(en="Node Health Check", ko="Node Health Check")
REMEDY = Text(
    en="Give the log of nhc of that node (health.log).",
    ko="그 노드의 nhc 로그(health.log)를 주십시오.",
)


FAILED = re.compile(r"Health check failed:\s+(\w+)(?:.*FaultCode: (\w+))?")


def told(text: str) -> dict[str, str]:
    match = FAILED.search(text)
    return {"test": match[1], "code": match[2] or "no code"} if match else {}


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS, told, words=WORDS)
