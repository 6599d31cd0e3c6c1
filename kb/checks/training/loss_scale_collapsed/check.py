"""A loss scale that has fallen far within a window of lines, or has reached its minimum."""

import re
from collections import deque

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.training_log import TrainingLog, step_of
from kb.model import Text

#: `OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768`
DEEPSPEED = re.compile(r"OVERFLOW! Rank \d+ Skipping step\. Attempted loss scale: [\d.]+, reducing to ([\d.]+)")
#: `NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: 0.03125`
METASEQ = re.compile(r"overflow detected.*setting loss scale to:? ([\d.eE+-]+)")
#: `Minimum loss scale reached (0.0001). Your loss is probably exploding.`; DeepSpeed says the second.
MINIMUM = re.compile(r"Minimum loss scale reached \(([\d.eE+-]+)\)|loss scale already at minimum")


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    window, fall = int(knobs.number("window")), knobs.number("fall")
    log = TrainingLog(name=Text(en="a dynamic loss scale", ko="동적 loss scale"))
    seen: dict[str, deque[float]] = {}
    last: dict[str, str] = {}
    falling: dict[str, str] = {}
    for line in log.read(logs):
        step = step_of(line.text)
        if step is not None and step.number is not None:
            last[line.file] = str(step.number)
        at = last.get(line.file, "?")
        minimum = MINIMUM.search(line.text)
        if minimum:
            log.spoke(line)
            log.find(line, value=float(minimum[1]) if minimum[1] else None, fault="minimum", step=at)
            continue
        told = DEEPSPEED.search(line.text) or METASEQ.search(line.text)
        scale = float(told[1]) if told else step.loss_scale if step else None
        if scale is None:
            continue
        log.spoke(line)
        known = seen.setdefault(line.file, deque(maxlen=window))
        if known and 0 < scale <= max(known) / fall:
            log.find(line, value=scale, fault="fall", step=falling.setdefault(line.file, at))
        else:
            falling.pop(line.file, None)
        known.append(scale)
    return log.outcome()
