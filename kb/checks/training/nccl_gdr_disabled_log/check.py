"""Adapters for which NCCL says that GPU-direct RDMA is disabled."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

GDR = re.compile(r"GPU Direct RDMA (?:Enabled|Disabled) for ")
HCA = re.compile(r"'([\w.-]+)'")
LOG = Text(en="NCCL about GPU-direct RDMA", ko="GPUDirect RDMA에 관한 NCCL")
REMEDY = Text(
    en="Run the job with NCCL_DEBUG=INFO and give the logs from the start on.",
    ko="NCCL_DEBUG=INFO로 잡을 돌리고 시작부터의 로그를 주십시오.",
)


def adapter(text: str) -> dict[str, str]:
    match = HCA.search(text)
    return {"nic": match[1]} if match else {}


WORDS = ("GPU Direct RDMA",)
FAULTS = (Fault("disabled by NCCL", re.compile(r"GPU Direct RDMA Disabled for ")),)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(LOG, REMEDY), GDR.search, FAULTS, adapter, words=WORDS)
