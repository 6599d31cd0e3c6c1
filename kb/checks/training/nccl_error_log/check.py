"""Warnings in which NCCL tells an error of the network, the adapter or a peer."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, rank_of, search_faults
from kb.checks.training_log import TrainingLog, step_of

NCCL = re.compile(r"NCCL (?:INFO|WARN|version)|ProcessGroupNCCL")


def speaks(text: str) -> object:
    """A step, or a line of the communication library of this rank."""
    return NCCL.search(text) or step_of(text)


WORDS = ("NET/IB", "NCCL WARN", "ncclUnhandled", "ncclSystem", "ncclRemote", "Receiver got a completion")
FAULTS = (
    Fault("a failed completion", re.compile(r"NET/IB ?: ?Got completion from peer \S+ with status=")),
    Fault("an adapter event", re.compile(r"NET/IB ?: ?\S+:\d+ async fatal event|NET/IB : Got async event")),
    Fault(
        "a completion on an unused request",
        re.compile(r"Receiver got a completion for .{1,40} but retrieved an 'unused' request"),
    ),
    Fault(
        "a closed peer connection",
        re.compile(r"NCCL WARN .*(?:Connection closed by remote peer|Call to recv from .* failed|socketProgress)"),
    ),
    Fault(
        "an unhandled error",
        re.compile(r"ncclUnhandledCudaError|ncclSystemError: System call|ncclRemoteError: A call failed"),
    ),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, TrainingLog(), speaks, FAULTS, rank_of, words=WORDS)
