"""A GPU or driver that nvidia-smi cannot talk to."""

import re

from kb.checks.contract import Evidence, Finding, HostSource, Knobs, Outcome
from kb.checks.nvidia_smi import BROKEN, judge_gpus, outputs

#: What the tool says instead of a report, and what stands there when it said nothing in time.
FAILED = (
    r"Unable to determine the device handle for|NVIDIA-SMI has failed because|No devices were found|"
    r"GPU is lost|Failed to initialize NVML|kb: no answer within"
)


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    failed = tuple(
        Finding({"file": path}, Evidence(file=path, line=_line(text))) for path, text in source.outputs(FAILED)
    )
    seen = outputs(source)
    lost = tuple(
        Finding({"file": o.file, "gpu": "?"}, Evidence(value=len(o.gpus), threshold=f"of {o.attached}", file=o.file))
        for o in seen
        if o.attached is not None and not o.damaged and len(o.gpus) != o.attached
    )
    if failed and not any(output.gpus for output in seen):
        return Outcome(0, failed)
    outcome = judge_gpus(
        source, lambda gpu: [(k, v) for k, v in gpu.fields if BROKEN.search(v)], what="anything of a GPU"
    )
    return Outcome(outcome.looked_at, (*failed, *lost, *outcome.findings), outcome.unknown)


def _line(text: str) -> str:
    return next(line.strip()[:500] for line in text.splitlines() if re.search(FAILED, line))
