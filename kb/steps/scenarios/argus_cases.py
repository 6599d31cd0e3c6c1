"""ARGUS' published cases as records. What is published is named beside it; every other number is filled in.

Case 3 (bubble amplification) is the kind `bubble`: pipeline of four, one rank's backward 1.9 times as long.
"""

import numpy as np

from kb.steps.records import Coded, DistributionTable, EventTable, Floats, Ints, PhaseTable
from kb.steps.scenarios.trace import Setting, Trace, Truth
from kb.steps.verdict import VerdictKind

#: Case 1: healthy self-attention, slow self-attention, the slow replicas. Filled in: the slice of replicas around them.
HEALTHY_MS, SLOW_MS, SLOW_REPLICAS = (6.0, 16.0), 2252.0, (656, 657)
SLICE = np.arange(648, 664)
#: Case 2: ranks, and the shift of 2.73 (of a unit that was not published); inside the group 0.023 at most.
GROUP_RANKS, GROUP_SLOW, SHIFT, INSIDE = 512, 16, 2.73, 0.023
#: Case 4: how much longer a stalled backward is. Filled in: when, and on whom.
STALL, STALLS = 40.0, ((12, 3), (27, 1), (44, 6))
#: Case 5: stages, replicas a stage, healthy and slow mlp (ms), slow replicas of stage 7, their expert group, iteration
#: before and after (s). Filled in: the slice of replicas that is drawn, and the lengths of the other phases.
STAGES, REPLICAS, SLOW_STAGE = 9, 1440, 7
MLP_MS, MLP_SLOW_MS = (30.0, 50.0), (170.0, 280.0)
SLOW_DP, EXPERT_GROUP, ITERATION = (272, 279), (256, 287), (30.0, 92.0)
DRAWN = np.arange(240, 304)


def _uniform(setting: Setting, ends: tuple[float, float], shape: tuple[int, ...]) -> Floats:
    return setting.rng.uniform(ends[0], ends[1], shape) / 1e3


def _noisy(setting: Setting, seconds: float | Floats, shape: tuple[int, ...]) -> Floats:
    return np.asarray(seconds * np.exp(setting.get("noise", 0.01) * setting.rng.standard_normal(shape)))


def table(phases: dict[str, Floats], ranks: Ints, axes: dict[str, Ints]) -> PhaseTable:
    """Records of phases given as (steps, ranks) in seconds; NaN leaves a record out."""
    names = tuple(phases)
    values = np.stack([phases[name] for name in names])
    phase, step, column = (index.ravel() for index in np.indices(values.shape))
    kept = ~np.isnan(values.ravel())
    whole = PhaseTable(
        job=Coded.constant("job", values.size),
        rank=ranks[column],
        step=step,
        phase=Coded(phase, names),
        duration=values.ravel(),
        start=np.full(values.size, np.nan),
        microbatch=np.full(values.size, -1),
        axes={axis: numbers[column] for axis, numbers in axes.items()},
    )
    return whole.take(kept)


def compute_straggler(setting: Setting) -> Trace:
    """Case 1: two neighbouring replicas, self-attention over 150 times as long, a step in the iteration time."""
    steps, onset = int(setting.get("steps", 80)), int(setting.get("onset", 40))
    factor = setting.get("factor", 1.0)
    shape = (steps, len(SLICE))
    attention, mlp = _uniform(setting, HEALTHY_MS, shape), _uniform(setting, HEALTHY_MS, shape)
    slow = np.isin(SLICE, SLOW_REPLICAS)
    # The report names both phases and gives the time of the first.
    for part, share in ((attention, 1.0), (mlp, 0.5)):
        part[onset:, slow] = _noisy(setting, factor * share * SLOW_MS / 1e3, (steps - onset, int(slow.sum())))
    busy = attention + mlp
    whole = _noisy(setting, 1.0, (steps, 1)) + busy.max(axis=1, keepdims=True)
    phases = {"self_attention": attention, "mlp": mlp, "iteration": np.repeat(whole, len(SLICE), axis=1)}
    truth = Truth((VerdictKind.compute_straggler, VerdictKind.iteration_step), SLOW_REPLICAS, True, (), onset)
    return Trace("", truth, table(phases, SLICE, {"dp": SLICE}))


def degraded_link(setting: Setting) -> Trace:
    """Case 2: one group's collectives are long on all its ranks, and the iteration time is flat."""
    steps = int(setting.get("steps", 20))
    ranks = np.arange(GROUP_RANKS)
    axes = {"dp": ranks // GROUP_SLOW, "ep": ranks % GROUP_SLOW}
    shape = (steps, GROUP_RANKS)
    iteration = np.repeat(_noisy(setting, 1.0, (steps, 1)), GROUP_RANKS, axis=1)
    phases = {"forward": _noisy(setting, 0.3, shape), "backward": _noisy(setting, 0.6, shape), "iteration": iteration}
    bad = int(setting.get("bad_dp", 11))
    slow = axes["dp"] == bad
    shift = np.where(slow, setting.get("factor", 1.0) * SHIFT, 0.0)
    kernels = ("ncclAllReduce", "ncclAllGather", "ncclReduceScatter")
    p50 = np.concatenate([2.0 + shift + setting.rng.uniform(0, INSIDE, GROUP_RANKS) for _ in kernels])
    rows = len(p50)
    laws = DistributionTable(
        job=Coded.constant("job", rows),
        rank=np.tile(ranks, len(kernels)),
        step=np.zeros(rows, np.int64),
        kernel=Coded(np.repeat(np.arange(len(kernels)), GROUP_RANKS), kernels),
        stream=np.full(rows, 7),
        count=np.full(rows, 200),
        p50=p50 / 1e3,
        p99=1.05 * p50 / 1e3,
        axes={axis: np.tile(numbers, len(kernels)) for axis, numbers in axes.items()},
    )
    truth = Truth((VerdictKind.comm_group_slow,), tuple(np.flatnonzero(slow).tolist()), True, (), 0)
    return Trace("", truth, table(phases, ranks, axes), distributions=laws)


def sparse_stalls(setting: Setting) -> Trace:
    """Case 4: kernels compiled for shapes not seen before: a backward 40 times as long, now here, now there."""
    steps, ranks = int(setting.get("steps", 60)), np.arange(8)
    shape = (steps, len(ranks))
    backward, host = _noisy(setting, 0.1, shape), _noisy(setting, 0.002, shape)
    for step, rank in STALLS:
        backward[step, rank] *= STALL * setting.get("factor", 1.0)
        host[step, rank] = backward[step, rank]
    whole = 0.2 + backward.max(axis=1, keepdims=True)
    phases = {"backward": backward, "iteration": np.repeat(whole, len(ranks), axis=1)}
    if setting.get("host", 0.0):
        phases["host_launch"] = host
    truth = Truth((VerdictKind.iteration_spike, VerdictKind.host_stall), (), False, (), STALLS[0][0])
    return Trace("", truth, table(phases, ranks, {"dp": ranks}))


def masked_straggler(setting: Setting) -> Trace:
    """Case 5: eight ranks of stage 7 compute slowly; their expert group's ReduceScatter is *shorter* than that of all
    others in every stage; and a port of one of their nodes is reported down."""
    steps, onset = int(setting.get("steps", 40)), int(setting.get("onset", 20))
    factor = setting.get("factor", 1.0)
    stage, replica = (index.ravel() for index in np.meshgrid(np.arange(STAGES), DRAWN, indexing="ij"))
    ranks = stage * REPLICAS + replica
    shape = (steps, len(ranks))
    after = np.arange(steps)[:, None] >= onset
    mlp = _uniform(setting, MLP_MS, shape)
    slow = (stage == SLOW_STAGE) & (replica >= SLOW_DP[0]) & (replica <= SLOW_DP[1])
    hit = after & slow[None] & (factor > 0)
    mlp = np.where(hit, factor * _uniform(setting, MLP_SLOW_MS, shape), mlp)
    late = (replica >= EXPERT_GROUP[0]) & (replica <= EXPERT_GROUP[1])
    wait = np.where(after & ~late[None] & (factor > 0), ITERATION[1] - ITERATION[0], 0.0)
    long = np.where(after[:, 0] & (factor > 0), ITERATION[1], ITERATION[0])
    phases = {
        "mlp": mlp,
        "self_attention": _uniform(setting, (20.0, 24.0), shape),
        "dp_reduce_scatter": _noisy(setting, 0.4, shape) + wait,
        "iteration": np.repeat(_noisy(setting, long[:, None], (steps, 1)), len(ranks), axis=1),
    }
    axes = {"dp": replica, "pp": stage, "ep": replica % 32}
    accused = tuple(int(rank) for rank in ranks[slow])
    port = EventTable(
        Coded.constant("job", 1), np.array([accused[0]]), np.array([onset]), Coded.constant("server port down", 1)
    )
    kinds = (VerdictKind.compute_straggler, VerdictKind.iteration_step)
    truth = Truth(kinds, accused, True, (), onset) if factor > 0 else Truth()
    return Trace("", truth, table(phases, ranks, axes), events=port)


def iteration_levels(setting: Setting) -> Trace:
    """Nothing but the iteration time of one job, at two or three levels, as most reports give it.

    before, after, later: seconds of an iteration; `after` begins with the onset, `later` with `until`.
    """
    steps, onset = int(setting.get("steps", 80)), int(setting.get("onset", 40))
    until = int(setting.get("until", steps))
    before, after = setting.get("before", 1.0), setting.get("after", 1.5)
    level = np.full(steps, before)
    level[onset:until] = after
    level[until:] = setting.get("later", before)
    ranks = np.arange(int(setting.get("dp", 4)))
    whole = np.repeat(_noisy(setting, level[:, None], (steps, 1)), len(ranks), axis=1)
    truth = Truth((VerdictKind.iteration_step,), (), False, (), onset) if after > before else Truth()
    return Trace("", truth, table({"iteration": whole}, ranks, {"dp": ranks}))


def slow_group(setting: Setting) -> Trace:
    """Tensor-parallel groups of four in two stages; the collectives of one group are slow on all its ranks."""
    steps, onset = int(setting.get("steps", 40)), int(setting.get("onset", 20))
    pp, dp, tp = (index.ravel() for index in np.indices((2, setting.job.dp, 4)))
    ranks = np.arange(len(pp))
    reduce = _noisy(setting, np.where(pp == 0, 0.05, 0.09), (steps, len(ranks)))
    bad = (dp == int(setting.get("bad_dp", 3))) & (pp == 0)
    reduce[onset:, bad] *= setting.get("factor", 2.5)
    phases = {
        "forward": _noisy(setting, 0.3, (steps, len(ranks))),
        "tp_all_reduce": reduce,
        "iteration": np.repeat(_noisy(setting, 0.5, (steps, 1)), len(ranks), axis=1),
    }
    truth = Truth((VerdictKind.comm_group_slow,), tuple(np.flatnonzero(bad).tolist()), False, (), onset)
    return Trace("", truth, table(phases, ranks, {"dp": dp, "pp": pp, "tp": tp}))


CASES = {
    "slow_group": slow_group,
    "iteration_levels": iteration_levels,
    "argus_compute_straggler": compute_straggler,
    "argus_degraded_link": degraded_link,
    "argus_sparse_stalls": sparse_stalls,
    "argus_masked_straggler": masked_straggler,
}
