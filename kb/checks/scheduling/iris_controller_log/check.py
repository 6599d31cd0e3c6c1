"""Lines in which the controller and workers of Iris tell of a fault."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(r"\biris[./]|Scheduling cycle|apply_reconcile|RPC \w+ completed in \d+ms")
WORDS = ("crashed", "(slow)", "Slow provider", "outside the plan", "Coscheduling", "on_stop", "Task not found")
FAULTS = (
    Fault("a loop of the controller crashed", re.compile(r"scheduling-loop crashed|ManagedThread \S+ crashed")),
    Fault("a call took more than five seconds", re.compile(r"RPC \w+ completed in (?:[5-9]\d{3}|\d{5,})ms \(slow\)")),
    Fault("a phase took more than ten seconds", re.compile(r"Slow provider sync phase \d.*?\b\d{5,}\s?ms")),
    Fault("answers outside the plan", re.compile(r"sent \d+ observations outside the plan; dropping")),
    Fault(
        "too few workers in a group",
        re.compile(r"Coscheduling: need \d+ workers in same '[\w-]+' group, largest group has \d+"),
    ),
    Fault("a stop did not complete", re.compile(r"on_stop callback for \S+ did not complete")),
    Fault("task unknown to the worker", re.compile(r"Task not found on worker")),
)
NAME = Text(en="Iris", ko="Iris")
REMEDY = Text(
    en="Give the log of the Iris controller or worker.",
    ko="Iris 컨트롤러나 워커의 로그를 주십시오.",
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS, words=WORDS)
