"""GPU memory row remap pending or failed, as nvidia-smi reports it."""

from kb.checks.contract import HostSource, Knobs, Outcome
from kb.checks.nvidia_smi import Gpu, judge_gpus

FIELDS = r"(retired pages|remapped rows)/.*(pending|failure).*"


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    return judge_gpus(source, wrong, what="the state of row remapping")


def wrong(gpu: Gpu) -> list[tuple[str, str]] | None:
    found = gpu.values(FIELDS)
    return [(name, value) for name, value in found if value == "Yes"] if found else None
