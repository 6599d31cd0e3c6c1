"""Messages with which the JAX coordination service ends a job."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, rank_of, search_faults
from kb.checks.training_log import TrainingLog, step_of

JAX = re.compile(r"JAX distributed|coordination_service|CoordinationService")


def speaks(text: str) -> object:
    """A step, or the distributed service of JAX."""
    return JAX.search(text) or step_of(text)


WORDS = ("tried to connect", "heartbeat", "unhealthy", "Barrier")
FAULTS = (
    Fault("another incarnation", re.compile(r"tried to connect with a different incarnation")),
    Fault("a task in error", re.compile(r"tried to connect while it is already in error")),
    Fault(
        "missing heartbeats",
        re.compile(r"(?:heartbeat timeout|unhealthy or have failed|[Tt]asks? .{0,40}have not sent a heartbeat)"),
    ),
    Fault("a failed barrier", re.compile(r"Barrier (?:timed out|failed)|DEADLINE_EXCEEDED: Barrier")),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, TrainingLog(), speaks, FAULTS, rank_of, words=WORDS)
