"""Non-interleaved 1F1B in numbers: when each stage works, when it waits, and what one slow stage costs the whole.

ARGUS' automatic levels miss a fault whose effect the pipeline spreads: the slow rank is the busiest, its neighbours
wait, and gradient synchronisation makes all totals equal. The authors found it by hand on a timeline; this model is
ours and does it by comparison with what the schedule must give.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from kb.steps.records import Floats


@dataclass(frozen=True)
class Schedule:
    """iteration: (…,) seconds until the last stage is done. busy, idle: (…, stages); idle is the waiting between a
    stage's own first and last operation."""

    iteration: Floats
    busy: Floats
    idle: Floats


def one_f_one_b(forward: Floats, backward: Floats, microbatches: int, delay: float = 0.0) -> Schedule:
    """Run the schedule.

    forward, backward: (…, stages) seconds of one micro-batch; leading axes (replicas, steps) run side by side.
    delay: seconds that a transfer between neighbouring stages takes.
    """
    shape = np.broadcast_shapes(forward.shape, backward.shape)
    stages = shape[-1]
    forward, backward = np.broadcast_to(forward, shape), np.broadcast_to(backward, shape)
    done: dict[tuple[int, bool, int], Floats] = {}
    free = [np.zeros(shape[:-1]) for _ in range(stages)]
    begin: list[Floats | None] = [None] * stages
    for stage, ahead, number in _order(stages, microbatches):
        before = stage - 1 if ahead else stage + 1
        ready = free[stage]
        if 0 <= before < stages:
            ready = np.maximum(ready, done[before, ahead, number] + delay)
        end = ready + (forward if ahead else backward)[..., stage]
        if begin[stage] is None:
            begin[stage] = ready
        done[stage, ahead, number] = free[stage] = end
    ends = np.stack(free, axis=-1)
    starts = np.stack([start for start in begin if start is not None], axis=-1)
    busy = microbatches * (forward + backward)
    return Schedule(ends.max(axis=-1), busy, ends - starts - busy)


@cache
def _order(stages: int, microbatches: int) -> tuple[tuple[int, bool, int], ...]:
    """(stage, forward?, micro-batch) in an order in which everything an operation waits for comes before it."""
    queues = [_of_stage(stage, stages, microbatches) for stage in range(stages)]
    done: set[tuple[int, bool, int]] = set()
    order: list[tuple[int, bool, int]] = []
    at = [0] * stages
    while len(order) < 2 * stages * microbatches:
        for stage in range(stages):
            while at[stage] < len(queues[stage]):
                ahead, number = queues[stage][at[stage]]
                before = stage - 1 if ahead else stage + 1
                if 0 <= before < stages and (before, ahead, number) not in done:
                    break
                done.add((stage, ahead, number))
                order.append((stage, ahead, number))
                at[stage] += 1
    return tuple(order)


def _of_stage(stage: int, stages: int, microbatches: int) -> list[tuple[bool, int]]:
    """The operations of one stage: forwards that fill the pipeline, then one of each, then the backwards left."""
    first = min(microbatches, stages - stage - 1)
    order = [(True, number) for number in range(first)]
    for number in range(microbatches - first):
        order += [(True, first + number), (False, number)]
    return order + [(False, number) for number in range(microbatches - first, microbatches)]
