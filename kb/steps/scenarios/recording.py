"""What the ranks of a simulated job would write down: phases, operation sequences, transfers."""

from dataclasses import dataclass

import numpy as np

from kb.steps.records import Coded, EdgeTable, Floats, Ints, Kind, PhaseTable, SequenceTable
from kb.steps.scenarios.simulate import Job, Run

KINDS = {
    "data_load": Kind.host,
    "forward": Kind.compute,
    "backward": Kind.compute,
    "dp_reduce_scatter": Kind.collective,
    "optimizer": Kind.compute,
    "iteration": Kind.total,
}


def phase_table(played: Run, name: str = "job", *, skew: Floats | None = None, single: bool = True) -> PhaseTable:
    """The records that the ranks would write.

    skew: seconds that each rank's clock is off, shape (ranks,). single: one row a phase and step; otherwise forward and
    backward have one row a micro-batch.
    """
    job = played.job
    rows = [
        _rows(played, "data_load", played.data[..., None], np.zeros((*played.data.shape, 1))),
        *(
            _rows(played, phase, np.repeat(length[..., None], job.microbatches, axis=3), starts)
            for phase, length, starts in (
                ("forward", played.forward, played.forward_start),
                ("backward", played.backward, played.backward_start),
            )
        ),
        _rows(
            played,
            "dp_reduce_scatter",
            (played.reduced[:, None, :] - played.arrival)[..., None],
            played.arrival[..., None],
        ),
        _rows(
            played,
            "optimizer",
            played.optimizer[..., None],
            np.broadcast_to(played.reduced[:, None, :, None], (*played.data.shape, 1)),
        ),
        _rows(
            played,
            "iteration",
            np.broadcast_to(played.iteration[:, None, None, None], (*played.data.shape, 1)),
            np.zeros((*played.data.shape, 1)),
        ),
    ]
    if single:
        rows = [_summed(block) for block in rows]
    return _table(played, rows, name, skew)


@dataclass(frozen=True)
class _Block:
    """Records of one phase; arrays of shape (steps, dp, pp, operations)."""

    phase: str
    duration: Floats
    start: Floats


def _rows(played: Run, phase: str, duration: Floats, start: Floats) -> _Block:
    return _Block(phase, duration, start + played.start[:, None, None, None])


def _summed(block: _Block) -> _Block:
    """One row a step: the time of all micro-batches together, from the start of the first."""
    if block.duration.shape[3] == 1:
        return block
    return _Block(block.phase, block.duration.sum(axis=3, keepdims=True), block.start.min(axis=3, keepdims=True))


def _table(played: Run, blocks: list[_Block], name: str, skew: Floats | None) -> PhaseTable:
    job = played.job
    steps, ranks, axes, phases, durations, starts, batches, tokens = [], [], [], [], [], [], [], []
    for code, block in enumerate(blocks):
        shape = (*block.duration.shape, job.tp)
        step, dp, pp, batch, tp = (index.ravel() for index in np.indices(shape))
        rank = (pp * job.dp + dp) * job.tp + tp
        steps.append(step)
        ranks.append(rank)
        axes.append((dp, pp, tp))
        phases.append(np.full(step.size, code))
        durations.append(np.repeat(block.duration.ravel(), job.tp))
        clock = 0.0 if skew is None else skew[rank]
        starts.append(np.repeat(block.start.ravel(), job.tp) + clock)
        batches.append(batch if shape[3] > 1 else np.full(step.size, -1))
        tokens.append(np.full(step.size, np.nan) if played.tokens is None else played.tokens[step, dp, pp])
    size = sum(len(part) for part in steps)
    names = tuple(block.phase for block in blocks)
    joined = [np.concatenate([part[axis] for part in axes]) for axis in range(3)]
    return PhaseTable(
        Coded.constant(name, size),
        np.concatenate(ranks),
        np.concatenate(steps),
        Coded(np.concatenate(phases), names),
        np.concatenate(durations),
        np.concatenate(starts),
        np.concatenate(batches),
        {
            axis: values
            for axis, values, width in zip(("dp", "pp", "tp"), joined, (job.dp, job.pp, job.tp), strict=True)
            if width > 1
        },
        {} if played.tokens is None else {"tokens": np.concatenate(tokens)},
        {phase: KINDS[phase] for phase in names},
    )


def sequence_table(played: Run, name: str = "job", skew: Floats | None = None) -> SequenceTable:
    """The reductions as operation sequences: one communicator a stage, one operation a step, all finished."""
    job = played.job
    step, dp, pp = (index.ravel() for index in np.indices(played.arrival.shape))
    rank: Ints = (pp * job.dp + dp) * job.tp
    clock = played.start[step] + (0.0 if skew is None else skew[rank])
    size = step.size
    done = np.ones(size, bool)
    return SequenceTable(
        Coded.constant(name, size),
        rank,
        Coded(pp, tuple(f"dp-of-stage-{stage}" for stage in range(job.pp))),
        step,
        Coded.constant("ReduceScatter", size),
        np.full(size, 1e9),
        done,
        done,
        done,
        clock + played.arrival.ravel(),
        clock + played.reduced[step, pp],
    )


def edge_table(job: Job, delay: Floats, rng: np.random.Generator, repeats: int = 5) -> EdgeTable:
    """Transfers between all pairs of replicas: several channels give every pair some, `repeats` in each step.

    delay: multiplier of each pair in each step, shape (steps, dp, dp).
    """
    step, src, dst, channel = (index.ravel() for index in np.indices((job.steps, job.dp, job.dp, repeats)))
    other = src != dst
    step, src, dst, channel = step[other], src[other], dst[other], channel[other]
    noise = np.exp(job.noise * rng.standard_normal(step.size))
    seconds = 0.8 / job.dp * delay[step, src, dst] * noise
    wait = rng.exponential(0.05, step.size)
    size = step.size
    return EdgeTable(
        Coded.constant("job", size),
        step,
        channel,
        src * job.tp,
        dst * job.tp,
        np.full(size, 64e6),
        seconds + wait,
        wait,
    )


def joined(first: PhaseTable, second: PhaseTable) -> PhaseTable:
    """Two parts of one job after another; both must name the same phases and axes."""
    return PhaseTable(
        Coded(np.concatenate([first.job.codes, second.job.codes]), first.job.names),
        np.concatenate([first.rank, second.rank]),
        np.concatenate([first.step, second.step]),
        Coded(np.concatenate([first.phase.codes, second.phase.codes]), first.phase.names),
        np.concatenate([first.duration, second.duration]),
        np.concatenate([first.start, second.start]),
        np.concatenate([first.microbatch, second.microbatch]),
        {axis: np.concatenate([values, second.axes[axis]]) for axis, values in first.axes.items()},
        {},
        first.kinds,
    )
