"""Lines with which PyTorch's NCCL watchdog gives up on a collective."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, rank_of, search_faults
from kb.checks.training_log import TrainingLog, step_of

NCCL = re.compile(r"NCCL (?:INFO|WARN|version)|ProcessGroupNCCL")


def speaks(text: str) -> object:
    """A step, or a line of the communication library of this rank."""
    return NCCL.search(text) or step_of(text)


WORDS = ("Watchdog", "watchdog", "dump signal", "Heartbeat")
FAULTS = (
    Fault("watchdog time-out", re.compile(r"Watchdog caught collective operation timeout")),
    Fault("dump signal", re.compile(r"Received a dump signal due to a collective timeout")),
    Fault("heartbeat lost", re.compile(r"ProcessGroupNCCL's watchdog got stuck for|Heartbeat monitor timed out")),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, TrainingLog(), speaks, FAULTS, rank_of, words=WORDS)
