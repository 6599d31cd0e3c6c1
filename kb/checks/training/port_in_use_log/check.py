"""Failed binds of a job's own ports."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, search_faults
from kb.checks.training_log import TrainingLog, step_of

WORDS = ("No address added", "ddress already in use", "EADDRINUSE", "Errno 98")
FAULTS = (
    Fault("no address left to bind", re.compile(r"No address added out of total \d+ resolved")),
    Fault("address already in use", re.compile(r"[Aa]ddress already in use|EADDRINUSE|Errno 98")),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, TrainingLog(), step_of, FAULTS, words=WORDS)
