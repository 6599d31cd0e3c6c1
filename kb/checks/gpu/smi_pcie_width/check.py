"""PCIe link of a GPU with fewer lanes than it can have, as nvidia-smi reports it."""

from kb.checks.contract import HostSource, Knobs, Outcome
from kb.checks.nvidia_smi import Gpu, judge_gpus

WIDTH = r"(pci/)?(pci )?gpu link info/link widths?/{which}( link width)?"


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    return judge_gpus(source, narrower, what="the PCIe link width")


def narrower(gpu: Gpu) -> list[tuple[str, str]] | None:
    most, now = (gpu.first(WIDTH.format(which=which)) for which in ("max", "current"))
    lanes = [int(text.removesuffix("x")) for text in (most, now) if text and text.removesuffix("x").isdigit()]
    if len(lanes) < 2:
        return None
    return [("PCIe lanes", f"{lanes[1]} of {lanes[0]}")] if lanes[1] < lanes[0] else []
