"""Messages about data loader workers that died."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, rank_of, search_faults
from kb.checks.training_log import TrainingLog, step_of

WORDS = ("DataLoader worker", "shared memory (shm)")
FAULTS = (
    Fault(
        "bus error, out of shared memory",
        re.compile(
            r"DataLoader worker \(pid\(?s?\)? [^)]*\) is killed by signal: Bus error|insufficient shared memory \(shm\)"
        ),
    ),
    Fault("killed", re.compile(r"DataLoader worker \(pid\(?s?\)? [^)]*\) is killed by signal: Killed")),
    Fault(
        "ended unexpectedly",
        re.compile(
            r"DataLoader worker \(pid.{0,40}exited unexpectedly|DataLoader worker \(pid .{0,20}is killed by signal"
        ),
    ),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, TrainingLog(), step_of, FAULTS, rank_of, words=WORDS)
