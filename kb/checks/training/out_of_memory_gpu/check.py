"""Messages of GPU memory that has run out."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, rank_of, search_faults
from kb.checks.training_log import TrainingLog, step_of

WORDS = ("OutOfMemory", "out of memory", "RESOURCE_EXHAUSTED", "MemoryAllocation", "OUT_OF_MEMORY")
FAULTS = (
    Fault("PyTorch", re.compile(r"torch\.(?:cuda\.)?OutOfMemoryError|CUDA out of memory")),
    Fault("XLA", re.compile(r"RESOURCE_EXHAUSTED: (?:Out of memory|XLA)|RESOURCE_EXHAUSTED.{0,80}allocat")),
    Fault("CUDA runtime", re.compile(r"CUDA error: out of memory|cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY")),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, TrainingLog(), step_of, FAULTS, rank_of, words=WORDS)
