"""Step lines of Megatron-LM and DeepSpeed.

Megatron prints the time of an iteration on the last rank, and with `--timing-log-option all` the timers of each rank;
of the minimum and maximum that it prints otherwise nobody can be named, so they are not used. DeepSpeed prints the
timers of the rank that logs with `wall_clock_breakdown`, and the iteration time of its pipeline engine.
"""

import re

import numpy as np

from kb.steps.records import Coded, PhaseTable, Table

#: torchrun's `[default3]:` is no rank of the job: it counts the processes of one server.
_RANK = re.compile(r"\[Rank (\d+)\]|^\s*(\d+): ", re.I)
_MEGATRON = re.compile(r"iteration\s+(\d+)/\s*\d+ \|.*?elapsed time per iteration \(ms\): ([0-9.]+)")
_EACH_RANK = re.compile(r"^\s*(?:\[?default\d+\]?:)?\s*times across ranks \(ms\):")
_TIMER = re.compile(r"^\s*(?:\[?default\d+\]?:)?\s+([a-z][\w/-]*)\s*[.:]*:?\s*$")
_TIMER_OF_RANK = re.compile(r"^\s*(?:\[?default\d+\]?:)?\s+rank\s+(\d+): ([0-9.]+)")
_PIPELINE = re.compile(r"steps: (\d+) .*?iter time \(s\): ([0-9.]+)")
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
        if "(ms)" not in line and "iter time" not in line and "step=" not in line and not self._in_timers:
            return False
        return self._timers(line) or self._megatron(line) or self._deepspeed(line)

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

    def _megatron(self, line: str) -> bool:
        match = _MEGATRON.search(line)
        if match is None:
            return False
        self._step = int(match[1])
        self._rows.append((_rank(line), self._step, "iteration", float(match[2]) / 1e3))
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
        if match := _PIPELINE.search(line):
            self._rows.append((_rank(line), int(match[1]), "iteration", float(match[2])))
            return True
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
