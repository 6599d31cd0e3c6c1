"""CUDA errors by kind, as PyTorch, XLA and the runtime print them."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, rank_of, search_faults
from kb.checks.training_log import TrainingLog, step_of

WORDS = ("CUDA", "cuda", "ECC", "NVLink error", "cuInit")
FAULTS = (
    Fault(
        "uncorrectable ECC",
        re.compile(r"uncorrectable ECC error encountered|cudaErrorECCUncorrectable|CUDA_ERROR_ECC_UNCORRECTABLE"),
    ),
    Fault(
        "contained or NVLink fault",
        re.compile(
            r"CUDA_ERROR_CONTAINED|cudaErrorContained|uncorrectable NVLink error|CUDA_ERROR_NVLINK_UNCORRECTABLE"
        ),
    ),
    Fault("illegal memory access", re.compile(r"CUDA error: an illegal memory access|CUDA_ERROR_ILLEGAL_ADDRESS")),
    Fault("device-side assert", re.compile(r"CUDA error: device-side assert triggered|CUDA_ERROR_ASSERT")),
    Fault("launch failure", re.compile(r"CUDA error: unspecified launch failure|CUDA_ERROR_LAUNCH_FAILED")),
    Fault(
        "device lost",
        re.compile(
            r"CUDA error: (?:no CUDA-capable device|GPU is lost|device not ready|"
            r"the launch timed out)|CUDA_ERROR_DEVICE_UNAVAILABLE"
        ),
    ),
    Fault(
        "initialisation failed",
        re.compile(
            r"CUDA driver initialization failed|CUDA error: initialization error|"
            r"CUDA_ERROR_NOT_INITIALIZED|cuInit\b.{0,40}(?:fail|error)"
        ),
    ),
    Fault("unknown error", re.compile(r"CUDA error: unknown error|CUDA_ERROR_UNKNOWN")),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, TrainingLog(), step_of, FAULTS, rank_of, words=WORDS)
