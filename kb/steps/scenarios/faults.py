"""The faults (and the harmless troubles) that a job can be given, each with what would be right to say about it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kb.steps.records import Coded, EventTable, Floats, Kind, PhaseTable
from kb.steps.scenarios.recording import edge_table, joined, phase_table, sequence_table
from kb.steps.scenarios.simulate import Job, Loads, Run, run
from kb.steps.scenarios.trace import Setting, Trace, Truth
from kb.steps.verdict import VerdictKind

Maker = Callable[[Setting], Trace]


def _traced(setting: Setting, played: Run, truth: Truth, skew: Floats | None = None) -> Trace:
    single = bool(setting.get("single", float(setting.job.pp == 1)))
    return Trace(
        "",
        truth,
        phase_table(played, skew=skew, single=single),
        sequences=sequence_table(played, skew=skew),
        iteration=played.iteration,
    )


def _healthy(setting: Setting) -> Trace:
    return _traced(setting, run(setting.job, Loads.none(setting.job), setting.rng), Truth())


def _slow_rank(setting: Setting) -> Trace:
    dp, pp = setting.culprit
    loads = Loads.none(setting.job)
    for part in (loads.forward, loads.backward):
        part[setting.onset :, dp, pp] *= setting.get("factor", 1.8)
    kinds = (
        VerdictKind.compute_straggler,
        VerdictKind.bubble_amplification,
        VerdictKind.non_comm_slow,
        VerdictKind.iteration_step,
    )
    truth = Truth(kinds, setting.ranks_of(dp, pp), True, (), setting.onset)
    return _traced(setting, run(setting.job, loads, setting.rng), truth)


def _bubble(setting: Setting) -> Trace:
    dp, pp = setting.culprit
    loads = Loads.none(setting.job)
    loads.backward[setting.onset :, dp, pp] *= setting.get("factor", 1.9)
    kinds = (
        VerdictKind.bubble_amplification,
        VerdictKind.compute_straggler,
        VerdictKind.non_comm_slow,
        VerdictKind.iteration_step,
    )
    return _traced(
        setting, run(setting.job, loads, setting.rng), Truth(kinds, setting.ranks_of(dp, pp), True, (), setting.onset)
    )


def _slow_loader(setting: Setting) -> Trace:
    dp, _ = setting.culprit
    loads = Loads.none(setting.job)
    job = setting.job
    healthy = job.microbatches * (job.forward + job.backward)
    loads.data[setting.onset :, dp, 0] += (setting.get("factor", 1.5) - 1) * healthy
    kinds = (
        VerdictKind.host_stall,
        VerdictKind.non_comm_slow,
        VerdictKind.iteration_step,
        VerdictKind.compute_straggler,
    )
    return _traced(
        setting, run(job, loads, setting.rng), Truth(kinds, setting.ranks_of(dp, 0), True, (), setting.onset)
    )


def _network_dip(setting: Setting) -> Trace:
    loads = Loads.none(setting.job)
    until = int(setting.get("until", setting.onset + setting.job.steps // 4))
    loads.reduce[setting.onset : until] *= setting.get("factor", 4.0)
    kinds = (VerdictKind.iteration_step, VerdictKind.comm_group_slow, VerdictKind.drift)
    return _traced(setting, run(setting.job, loads, setting.rng), Truth(kinds, (), False, (), setting.onset))


def _thermal_drift(setting: Setting) -> Trace:
    """Clocks of one GPU sink steadily from the onset to the end."""
    dp, pp = setting.culprit
    loads = Loads.none(setting.job)
    rise = np.linspace(1.0, setting.get("factor", 1.3), setting.job.steps - setting.onset)
    for part in (loads.forward, loads.backward):
        part[setting.onset :, dp, pp] *= rise
    kinds = (
        VerdictKind.drift,
        VerdictKind.compute_straggler,
        VerdictKind.non_comm_slow,
        VerdictKind.iteration_step,
        VerdictKind.bubble_amplification,
    )
    return _traced(
        setting, run(setting.job, loads, setting.rng), Truth(kinds, setting.ranks_of(dp, pp), False, (), setting.onset)
    )


def _imbalance_sequence(setting: Setting) -> Trace:
    """Batches of uneven length, dealt anew in every step: somebody is slow each time, and never the same."""
    job, loads = setting.job, Loads.none(setting.job)
    tokens = np.exp(setting.get("spread", 0.15) * setting.rng.standard_normal((job.steps, job.dp, 1)))
    loads.forward *= tokens
    loads.backward *= tokens
    if setting.get("covariates", 0.0):
        loads.tokens = np.repeat(tokens * 4096, job.pp, axis=2)
    return _traced(setting, run(job, loads, setting.rng), Truth((VerdictKind.workload_imbalance,)))


def _imbalance_stage(setting: Setting) -> Trace:
    """The last stage holds more work in every replica; 2.07 is what the public trace of such a job shows."""
    loads = Loads.none(setting.job)
    for part in (loads.forward, loads.backward):
        part[:, :, -1] *= setting.get("factor", 2.07)
    return _traced(setting, run(setting.job, loads, setting.rng), Truth((VerdictKind.stage_imbalance,)))


def _resize(setting: Setting) -> Trace:
    """The job goes on with fewer replicas, which share the same global batch: every step is longer, and nobody is
    slow.
    """
    before = replace(setting.job, steps=setting.onset)
    left = int(setting.get("after_dp", max(1, 3 * before.dp // 4)))
    after = replace(
        setting.job,
        dp=left,
        steps=setting.job.steps - setting.onset,
        microbatches=-(-before.microbatches * before.dp // left),
    )
    runs = [run(job, Loads.none(job), setting.rng) for job in (before, after)]
    tables = [phase_table(played, single=True) for played in runs]
    later = tables[1]
    ranks = {axis: values for axis, values in later.axes.items() if axis in tables[0].axes}
    gap = float(runs[0].iteration.sum()) + 600.0
    moved = replace(later, step=later.step + setting.onset, start=later.start + gap, axes=ranks)
    iteration = np.concatenate([played.iteration for played in runs])
    return Trace("", Truth(), joined(tables[0], moved), iteration=iteration)


def _clock_skew(setting: Setting) -> Trace:
    skew = setting.get("skew", 0.5) * setting.rng.standard_normal(setting.job.ranks)
    return _traced(setting, run(setting.job, Loads.none(setting.job), setting.rng), Truth(), skew)


def _missing_ranks(setting: Setting) -> Trace:
    """Healthy, but a part of the ranks writes nothing, and others lose records now and then."""
    trace = _healthy(setting)
    assert trace.phases is not None
    gone = setting.rng.random(setting.job.ranks) < setting.get("missing", 0.25)
    gone[0] = False
    lost = setting.rng.random(len(trace.phases)) < 0.02
    return replace(trace, phases=trace.phases.take(~gone[trace.phases.rank] & ~lost), sequences=None)


def _degraded_link(setting: Setting) -> Trace:
    """One connection between two nodes takes longer; 3.8 is Greyhound's measurement of a degraded RDMA link."""
    job, factor = setting.job, setting.get("factor", 3.8)
    src, dst = (int(end) for end in setting.rng.choice(job.dp, 2, replace=False))
    loads = Loads.none(job)
    loads.reduce[setting.onset :] *= factor
    played = run(job, loads, setting.rng)
    kinds = (VerdictKind.comm_straggler_edge, VerdictKind.iteration_step, VerdictKind.comm_group_slow)
    truth = Truth(kinds, (), True, ((src, dst),), setting.onset)
    hot = np.ones((job.steps, job.dp, job.dp))
    hot[setting.onset :, src, dst] = factor
    return replace(_traced(setting, played, truth), edges=edge_table(job, hot, setting.rng))


def _bad_nic(setting: Setting, *, sends: bool, hears: bool) -> Trace:
    """The network card of one node is slow in one direction or both; 1.72 is drawn from the shares that EROICA
    publishes.
    """
    job, factor = setting.job, setting.get("factor", 1.72)
    bad, _ = setting.culprit
    loads = Loads.none(job)
    loads.reduce[setting.onset :] *= factor
    hot = np.ones((job.steps, job.dp, job.dp))
    if sends:
        hot[setting.onset :, bad, :] = factor
    if hears:
        hot[setting.onset :, :, bad] = factor
    both = VerdictKind.comm_straggler_node
    exact = both if sends and hears else VerdictKind.comm_straggler_tx if sends else VerdictKind.comm_straggler_rx
    kinds = (exact, VerdictKind.iteration_step, VerdictKind.comm_group_slow)
    truth = Truth(kinds, setting.ranks_of(bad, 0), True, (), setting.onset)
    return replace(_traced(setting, run(job, loads, setting.rng), truth), edges=edge_table(job, hot, setting.rng))


def _healthy_links(setting: Setting) -> Trace:
    return replace(
        _healthy(setting),
        edges=edge_table(setting.job, np.ones((setting.job.steps, setting.job.dp, setting.job.dp)), setting.rng),
    )


def _hang(setting: Setting, *, posted_by_all: bool) -> Trace:
    """The job stands still at the onset: one rank never calls the reduction, or nobody's call ends."""
    job = setting.job
    dp, pp = setting.culprit
    played = run(job, Loads.none(job), setting.rng)
    whole = sequence_table(played)
    bad = setting.ranks_of(dp, pp)[0]
    stuck = whole.sequence == setting.onset
    group = whole.communicator.codes == pp
    kept = (whole.sequence < setting.onset) | (stuck & group & (posted_by_all | (whole.rank != bad)))
    finished = whole.finished & ~stuck
    table = replace(whole, finished=finished, leave=np.where(finished, whole.leave, np.nan)).take(kept)
    kind = VerdictKind.comm_hang if posted_by_all else VerdictKind.non_comm_hang
    accused = tuple(int(r) for r in np.unique(whole.rank[group])) if posted_by_all else (bad,)
    truth = Truth((kind,), accused, True, (), setting.onset)
    return Trace("", truth, sequences=table, now=float(played.start[setting.onset]) + 600.0)


def _checkpoints(setting: Setting) -> Trace:
    """One rank's record of days of training: it saves every so many steps, and fails now and then."""
    steps, every, failures = setting.job.steps, int(setting.get("every", 250)), int(setting.get("failures", 4))
    seconds, save = setting.get("iteration", 100.0), setting.get("save", 40.0)
    number = np.arange(steps)
    saves = number[every - 1 :: every]
    noise = np.exp(setting.job.noise * setting.rng.standard_normal(steps))
    size = steps + len(saves)
    table = PhaseTable(
        Coded.constant("job", size),
        np.zeros(size, np.int64),
        np.concatenate([number, saves]),
        Coded(np.repeat([0, 1], [steps, len(saves)]), ("iteration", "checkpoint")),
        np.concatenate([seconds * noise, np.full(len(saves), save)]),
        np.full(size, np.nan),
        np.full(size, -1),
        kinds={"iteration": Kind.total, "checkpoint": Kind.host},
    )
    failed = np.sort(setting.rng.choice(steps, failures, replace=False))
    events = EventTable(
        Coded.constant("job", failures), np.full(failures, -1), failed, Coded.constant("failure", failures)
    )
    # Young's interval: the truth needs no more than that to know what is far off.
    best = np.sqrt(2 * save * steps * seconds / max(failures, 1))
    costly = failures > 2 and not best / 3 <= every * seconds <= 2 * best
    truth = Truth((VerdictKind.checkpoint_interval,), onset=0) if costly else Truth()
    return Trace("", truth, table, events=events)


MAKERS: dict[str, Maker] = {
    "healthy": _healthy,
    "healthy_links": _healthy_links,
    "slow_rank": _slow_rank,
    "degraded_link": _degraded_link,
    "bad_nic": lambda setting: _bad_nic(setting, sends=True, hears=True),
    "bad_nic_tx": lambda setting: _bad_nic(setting, sends=True, hears=False),
    "bad_nic_rx": lambda setting: _bad_nic(setting, sends=False, hears=True),
    "bubble": _bubble,
    "slow_loader": _slow_loader,
    "hang_comm": lambda setting: _hang(setting, posted_by_all=True),
    "hang_non_comm": lambda setting: _hang(setting, posted_by_all=False),
    "network_dip": _network_dip,
    "thermal_drift": _thermal_drift,
    "imbalance_sequence": _imbalance_sequence,
    "imbalance_stage": _imbalance_stage,
    "resize": _resize,
    "checkpoints": _checkpoints,
    "clock_skew": _clock_skew,
    "missing_ranks": _missing_ranks,
}
#: Shapes that differ from a plain data-parallel job.
SHAPES = {
    "bubble": Job(pp=4),
    "imbalance_stage": Job(dp=4, pp=4),
    "thermal_drift": Job(steps=300),
    "checkpoints": Job(steps=6000),
}
