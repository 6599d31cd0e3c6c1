"""GPU held back by heat or power at this moment, as nvidia-smi reports it."""

from kb.checks.contract import HostSource, Knobs, Outcome
from kb.checks.nvidia_smi import Gpu, judge_gpus

FIELDS = (
    r"clocks (event|throttle) reasons/(hw slowdown/)?(clocks (event|throttle) reason )?"
    r"hw( thermal| power brake)? slowdown"
)


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    return judge_gpus(source, wrong, what="the reasons for lowered clocks")


def wrong(gpu: Gpu) -> list[tuple[str, str]] | None:
    found = gpu.values(FIELDS)
    return [(name, value) for name, value in found if value == "Active"] if found else None
