"""GPU with ECC switched off, as nvidia-smi reports it."""

from kb.checks.contract import HostSource, Knobs, Outcome
from kb.checks.nvidia_smi import Gpu, judge_gpus

FIELDS = r"ecc mode/current( ecc)?"


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    return judge_gpus(source, wrong, what="the ECC mode")


def wrong(gpu: Gpu) -> list[tuple[str, str]] | None:
    found = gpu.values(FIELDS)
    return [(name, value) for name, value in found if value == "Disabled"] if found else None
