"""Registration of a GPU with the NVLink fabric, as nvidia-smi reports it."""

from kb.checks.contract import HostSource, Knobs, Outcome
from kb.checks.nvidia_smi import Gpu, judge_gpus

GOOD = {"completed", "success", "false", "not degraded", "healthy"}


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    return judge_gpus(source, unfinished, what="the state of the NVLink fabric")


def unfinished(gpu: Gpu) -> list[tuple[str, str]] | None:
    told = gpu.values(r"fabric/(state|status|health/.*)")
    if not told:
        return None
    return [(name, value) for name, value in told if value.lower() not in GOOD]
