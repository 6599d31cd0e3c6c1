"""What kube-proxy says when it cannot write its rules or clear the flows of endpoints that are gone."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(r"\bproxier\.go:\d+\]|\bserver_linux\.go:\d+\].*(?:[Pp]roxier|kube-proxy)|\bkube-proxy\b")
FAULTS = (
    Fault("rules it cannot write", re.compile(r"\bSync failed\b|Failed to execute iptables-restore")),
    Fault(
        "flows it cannot clear", re.compile(r"error deleting conntrack entries|Failed to delete endpoint connections")
    ),
)
NAME = Text(en="kube-proxy", ko="kube-proxy")
REMEDY = Text(en="Give the log of the kube-proxy pod of that node.", ko="그 노드의 kube-proxy 파드 로그를 주십시오.")


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS)
