"""A synchronous training job in numbers: pipeline, data-parallel reduction, optimizer, and what each rank would record.

It is the counterpart of the detectors and shares no code with them: forward and backward passes in the order of
non-interleaved 1F1B, a reduction that ends for all once the last rank of its data-parallel group has come, and a step
that ends once the last group is done. So a slow rank makes every iteration longer, its own collectives *shorter*, and
its neighbours in the pipeline idle, as the reports tell.
"""

from dataclasses import dataclass, field

import numpy as np

from kb.steps.records import Floats


@dataclass(frozen=True)
class Job:
    """Shape and healthy times. Times in seconds; forward and backward are of one micro-batch.

    45 and 90 ms, eight micro-batches and four stages are the filled-in values of ARGUS' third case.
    noise: standard deviation of the logarithm of each rank's time in each phase and step.
    """

    dp: int = 8
    pp: int = 1
    tp: int = 1
    steps: int = 120
    noise: float = 0.02
    microbatches: int = 8
    data_load: float = 0.010
    forward: float = 0.045
    backward: float = 0.090
    reduce: float = 0.200
    optimizer: float = 0.030

    @property
    def ranks(self) -> int:
        return self.dp * self.pp * self.tp

    def rank(self, dp: int, pp: int = 0, tp: int = 0) -> int:
        """Global rank; tensor slices next to each other, then replicas, then stages."""
        return (pp * self.dp + dp) * self.tp + tp


@dataclass
class Loads:
    """Multipliers (and seconds, for the loader) that make a fault. Shapes: (steps, dp, pp), for the reduction
    (steps, pp).
    """

    forward: Floats
    backward: Floats
    reduce: Floats
    data: Floats
    tokens: Floats | None = None
    """Tokens of each rank's batch, where sequences differ."""

    @classmethod
    def none(cls, job: Job) -> "Loads":
        shape = (job.steps, job.dp, job.pp)
        return cls(np.ones(shape), np.ones(shape), np.ones((job.steps, job.pp)), np.zeros(shape))


@dataclass(frozen=True)
class Run:
    """What happened, seconds from the start of each step. Shapes (steps, dp, pp)."""

    job: Job
    data: Floats
    forward: Floats
    backward: Floats
    forward_start: Floats
    backward_start: Floats
    arrival: Floats
    reduced: Floats
    """End of the reduction, shape (steps, pp)."""
    optimizer: Floats
    iteration: Floats
    """Shape (steps,)."""
    tokens: Floats | None = None
    start: Floats = field(default_factory=lambda: np.zeros(0))
    """When each step began, seconds from the start of the job."""


def run(job: Job, loads: Loads, rng: np.random.Generator) -> Run:
    """Play the job once."""
    shape = (job.steps, job.dp, job.pp)

    def noisy(base: float | Floats, size: tuple[int, ...] = shape) -> Floats:
        return np.asarray(base * np.exp(job.noise * rng.standard_normal(size)))

    data = noisy(job.data_load) + loads.data
    forward, backward = noisy(job.forward * loads.forward), noisy(job.backward * loads.backward)
    forward_start, backward_start, arrival = pipeline(job, data, forward, backward)
    reduced = arrival.max(axis=1) + noisy(job.reduce * loads.reduce, (job.steps, job.pp))
    optimizer = noisy(job.optimizer)
    iteration = (reduced[:, None, :] + optimizer).max(axis=(1, 2))
    start = np.concatenate([[0.0], np.cumsum(iteration)[:-1]])
    return Run(
        job,
        data,
        forward,
        backward,
        forward_start,
        backward_start,
        arrival,
        reduced,
        optimizer,
        iteration,
        loads.tokens,
        start,
    )


def pipeline(job: Job, ready: Floats, forward: Floats, backward: Floats) -> tuple[Floats, Floats, Floats]:
    """Starts of each forward and backward pass and the end of the last, in the order of 1F1B.

    ready, forward, backward: shape (steps, dp, pp). The starts have a last axis of micro-batches.
    """
    shape = (*ready.shape, job.microbatches)
    starts = {"F": np.full(shape, np.nan), "B": np.full(shape, np.nan)}
    length = {"F": forward, "B": backward}
    free = ready.copy()
    orders = [_order(job.pp, stage, job.microbatches) for stage in range(job.pp)]
    at = [0] * job.pp
    done: set[tuple[str, int, int]] = set()
    while any(at[stage] < len(orders[stage]) for stage in range(job.pp)):
        for stage in range(job.pp):
            while at[stage] < len(orders[stage]):
                what, batch = orders[stage][at[stage]]
                before = _before(job, what, stage, batch)
                if before is not None and before not in done:
                    break
                begin = free[:, :, stage]
                if before is not None:
                    kind, other, same = before
                    begin = np.maximum(begin, starts[kind][:, :, other, same] + length[kind][:, :, other])
                starts[what][:, :, stage, batch] = begin
                free[:, :, stage] = begin + length[what][:, :, stage]
                done.add((what, stage, batch))
                at[stage] += 1
    return starts["F"], starts["B"], free


def _order(stages: int, stage: int, microbatches: int) -> list[tuple[str, int]]:
    """Passes of one stage: a few forwards to fill the pipeline, then one forward and one backward in turn."""
    ahead = min(stages - stage - 1, microbatches)
    order = [("F", batch) for batch in range(ahead)]
    for batch in range(microbatches - ahead):
        order += [("F", ahead + batch), ("B", batch)]
    return order + [("B", batch) for batch in range(microbatches - ahead, microbatches)]


def _before(job: Job, what: str, stage: int, batch: int) -> tuple[str, int, int] | None:
    """The pass of another stage that must be over first."""
    if what == "F":
        return ("F", stage - 1, batch) if stage else None
    return ("B", stage + 1, batch) if stage < job.pp - 1 else None
