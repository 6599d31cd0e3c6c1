"""Ends of processes by a signal of their own making."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, rank_of, search_faults
from kb.checks.training_log import TrainingLog, step_of

WORDS = ("SIG", "Segmentation", "exit", "Bus error", "Illegal instruction")
FAULTS = (
    Fault("SIGSEGV", re.compile(r"SIGSEGV|Segmentation fault|exit(?:ed with)?(?: exit)? ?code:? 139\b")),
    Fault("SIGTRAP", re.compile(r"SIGTRAP|exit(?:ed with)?(?: exit)? ?code:? 133\b|\bexit 133\b")),
    Fault("SIGBUS", re.compile(r"SIGBUS|\(Bus error\)|exit(?:ed with)?(?: exit)? ?code:? 135\b")),
    Fault("SIGILL", re.compile(r"SIGILL|Illegal instruction \(core dumped\)")),
    Fault("SIGABRT", re.compile(r"Signal 6 \(SIGABRT\)|exit(?:ed with)?(?: exit)? ?code:? 134\b")),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, TrainingLog(), step_of, FAULTS, rank_of, words=WORDS)
