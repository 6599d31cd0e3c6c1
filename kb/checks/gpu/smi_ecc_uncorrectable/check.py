"""Uncorrectable ECC errors since the driver was loaded, as nvidia-smi reports it."""

import re

from kb.checks.contract import HostSource, Knobs, Outcome
from kb.checks.nvidia_smi import Gpu, judge_gpus

FIELDS = r"ecc errors/volatile/.*(uncorrectable|double bit/total).*"


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    return judge_gpus(source, wrong, what="uncorrectable ECC errors")


def wrong(gpu: Gpu) -> list[tuple[str, str]] | None:
    found = gpu.values(FIELDS)
    return [(name, value) for name, value in found if re.fullmatch(r"[0-9]*[1-9][0-9]*", value)] if found else None
