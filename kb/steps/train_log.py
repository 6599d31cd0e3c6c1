"""Step lines of Megatron-LM and DeepSpeed.

Megatron prints the time of an iteration on the last rank, and with `--timing-log-option all` the timers of each rank;
of the minimum and maximum that it prints otherwise nobody can be named, so they are not used. DeepSpeed prints the
timers of the rank that logs with `wall_clock_breakdown`, and the iteration time of its pipeline engine. The line of
an iteration is read by `step_lines`, as checks of logs read it.
"""

import re

import numpy as np

from kb.steps.records import Coded, PhaseTable, Table
from kb.steps.step_lines import measured

#: torchrun's `[default3]:` is no rank of the job: it counts the processes of one server.
_RANK = re.compile(r"\[Rank (\d+)\]|^\s*(\d+): ", re.I)
_EACH_RANK = re.compile(r"^\s*(?:\[?default\d+\]?:)?\s*times across ranks \(ms\):")
_TIMER = re.compile(r"^\s*(?:\[?default\d+\]?:)?\s+([a-z][\w/-]*)\s*[.:]*:?\s*$")
_TIMER_OF_RANK = re.compile(r"^\s*(?:\[?default\d+\]?:)?\s+rank\s+(\d+): ([0-9.]+)")
#: One of them is in every line that is read.
_WORDS = ("(ms)", "iter time", "step=", "iteration")
_STEP = re.compile(r"step=(\d+),")
_BREAKDOWN = re.compile(r"time \(ms\)((?: \| \w+: [0-9.]+)+)")
#: DeepSpeed's timers of one micro-step; the backward pass without its reduction, so that no time is counted twice.
_DEEPSPEED = {
    "fwd_microstep": "forward",
    "bwd_inner_microstep": "backward",
    "bwd_allreduce_microstep": "dp_all_reduce",
    "step_microstep": "optimizer",
}


class StepLines:
    """Gathers phase records; see `kb.steps.logs.Form`."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, str, float]] = []
        self._step = 0
        self._steps: dict[int, int] = {}
        self._timer = ""
        self._in_timers = False

    def take(self, line: str) -> bool:
        if not self._in_timers and not any(word in line for word in _WORDS):
            return False
        return self._timers(line) or self._iteration(line) or self._deepspeed(line)

    def tables(self, job: str, *, end: bool) -> list[Table]:
        rows, self._rows = self._rows, []
        if not rows:
            return []
        ranks, steps, phases, times = zip(*rows, strict=True)
        size = len(rows)
        return [
            PhaseTable(
                job=Coded.constant(job, size),
                rank=np.array(ranks, np.int64),
                step=np.array(steps, np.int64),
                phase=Coded.of(phases),
                duration=np.array(times, np.float64),
                start=np.full(size, np.nan),
                microbatch=np.full(size, -1),
            )
        ]

    def _iteration(self, line: str) -> bool:
        step = measured(line)
        if step is None or step.number is None or step.seconds is None:
            return False
        self._step = step.number
        self._rows.append((_rank(line), step.number, "iteration", step.seconds))
        return True

    def _timers(self, line: str) -> bool:
        if _EACH_RANK.match(line):
            self._in_timers, self._timer = True, ""
            return True
        if not self._in_timers:
            return False
        if match := _TIMER_OF_RANK.match(line):
            if self._timer:
                self._rows.append((int(match[1]), self._step, self._timer, float(match[2]) / 1e3))
            return True
        if match := _TIMER.match(line):
            self._timer = match[1]
            return True
        self._in_timers = False
        return False

    def _deepspeed(self, line: str) -> bool:
        rank = _rank(line)
        if match := _BREAKDOWN.search(line):
            step = self._steps.get(rank, 0)
            found = False
            for part in match[1].split(" | ")[1:]:
                name, _, value = part.partition(": ")
                if name in _DEEPSPEED:
                    self._rows.append((rank, step, _DEEPSPEED[name], float(value) / 1e3))
                    found = True
            return found
        if match := _STEP.search(line):
            # The line of a step comes before the timers of the next one.
            self._steps[rank] = int(match[1])
            return True
        return False


def _rank(line: str) -> int:
    match = _RANK.search(line)
    return int(next(group for group in match.groups() if group is not None)) if match else 0
