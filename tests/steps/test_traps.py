"""The traps that make others raise false alarms, or miss what is there; each by its number."""

import numpy as np
import pytest

from kb.steps.argus import analyse
from kb.steps.level1 import iterations
from kb.steps.phases import kind_of, role_of, route
from kb.steps.records import Coded, EventTable, Kind
from kb.steps.verdict import Confidence, VerdictKind
from tests.steps.making import accused, grid_of, judged, noisy, of_kind, records, scenario


def flat(steps: int = 100, ranks: int = 8, noise: float = 0.01) -> np.ndarray:
    return noisy(np.random.default_rng(0), 1.126, steps, ranks, noise)


def iteration_only(values: np.ndarray, first: int = 100) -> object:
    return records({"iteration": values}, steps=range(first, first + len(values)), axes={"dp": range(values.shape[1])})


def test_t1_warm_up_is_neither_spike_nor_step() -> None:
    values = flat()
    values[:8] *= np.linspace(3, 1, 8)[:, None]
    assert judged(iteration_only(values, first=0)).verdicts == ()
    assert iterations(grid_of(iteration_only(values, first=0))).warm_up >= 10


def test_t2_periodic_spikes_are_somebody_s_schedule() -> None:
    values = flat()
    values[::25] *= 2.6
    assert judged(iteration_only(values)).verdicts == ()
    values[37] *= 2.6
    spikes = of_kind(judged(iteration_only(values)), VerdictKind.iteration_spike)
    assert 137 in {v.first_step for v in spikes}


def test_t2_a_step_that_records_its_checkpoint_is_no_spike() -> None:
    values = flat()
    values[37] *= 9
    saved = np.full(values.shape, np.nan)
    saved[37] = 9.0
    table = records({"iteration": values, "save_checkpoint": saved}, axes={"dp": range(8)})
    assert judged(table).verdicts == ()


def test_t3_an_announced_pause_is_masked() -> None:
    values = flat()
    values[60] = 18.003
    grid = grid_of(iteration_only(values, first=0))
    pause = EventTable(Coded.constant("", 1), np.array([-1]), np.array([60]), Coded.constant("pause", 1))
    assert analyse(grid, events=pause).verdicts == ()
    assert [v.kind for v in analyse(grid).verdicts] == [VerdictKind.iteration_spike]


def test_one_long_iteration_below_twice_the_usual_is_nothing() -> None:
    values = flat()
    values[50] = 1.6
    assert judged(iteration_only(values)).verdicts == ()


@pytest.mark.parametrize("replicas", [2, 4, 8])
def test_t4_a_longer_stage_is_named_as_a_stage_and_no_rank_of_it(replicas: int) -> None:
    analysis = scenario(f"imbalance_stage dp={replicas}")
    assert accused(analysis) == set()
    assert {v.kind for v in analysis.verdicts} == {VerdictKind.stage_imbalance}
    assert analysis.verdicts[0].group == "pp=3"
    assert analysis.verdicts[0].ratio == pytest.approx(2.07, rel=0.03)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("spread", [0.1, 0.16])
def test_t5_uneven_sequences_are_named_and_nobody_accused(seed: int, spread: float) -> None:
    analysis = scenario(f"imbalance_sequence dp=32 pp=2 spread={spread}", seed)
    assert accused(analysis) == set()
    assert {v.kind for v in analysis.verdicts} == {VerdictKind.workload_imbalance}


def test_t5_with_tokens_a_slow_rank_is_told_from_a_rank_with_more_to_do() -> None:
    rng = np.random.default_rng(3)
    tokens = np.exp(0.3 * rng.standard_normal((80, 16))) * 4096
    tokens[:, 2] *= 1.8
    work = {"forward": 2e-5 * tokens, "backward": 4e-5 * tokens}
    work = {name: values * np.exp(0.01 * rng.standard_normal(values.shape)) for name, values in work.items()}
    axes = {"dp": range(16)}
    assert accused(judged(records(work, axes=axes, covariates={"tokens": tokens, "sum_len_sq": tokens**2}))) == set()
    for values in work.values():
        values[:, 9] *= 1.4
    assert accused(judged(records(work, axes=axes, covariates={"tokens": tokens}))) == {9}


def test_t5_experts_are_compared_by_the_tokens_they_received() -> None:
    rng = np.random.default_rng(4)
    tokens = np.repeat(rng.uniform(500, 4000, (1, 8)), 40, axis=0)
    phases = {"moe_expert_mlp": 1e-5 * tokens * np.exp(0.01 * rng.standard_normal(tokens.shape))}
    assert accused(judged(records(phases, axes={"ep": range(8)}, covariates={"tokens": tokens}))) == set()


@pytest.mark.parametrize("size", [3, 4, 5, 8])
def test_t6_small_groups_name_their_slow_rank_where_z_cannot(size: int) -> None:
    analysis = scenario(f"slow_rank dp={size} factor=1.6 bad_dp=1")
    assert accused(analysis) == {1}
    if size <= 5:
        assert not of_kind(analysis, VerdictKind.compute_straggler)[0].published


def test_t8_equal_totals_hide_nothing_from_the_phases() -> None:
    analysis = scenario("slow_rank dp=16 bad_dp=4")
    assert np.ptp(analysis.series.per_rank, axis=1).max() < 1e-6
    assert accused(analysis) == {4}


def test_t9_the_shortest_collective_belongs_to_the_late_rank_and_the_long_ones_to_its_victims() -> None:
    analysis = scenario("slow_loader dp=16 bad_dp=4 data_load=0.0001", levels=("arrival",))
    assert accused(analysis) == {4}
    assert analysis.verdicts[0].kind is VerdictKind.non_comm_slow
    assert analysis.verdicts[0].evidence["own_share"] < 0.5


def test_t12_a_sparse_stall_shows_in_l1_and_not_in_the_medians_of_l2() -> None:
    kinds = {v.kind for v in scenario("argus_sparse_stalls").verdicts}
    assert kinds == {VerdictKind.iteration_spike}


def test_t13_clock_skew_changes_nothing() -> None:
    assert scenario("clock_skew skew=5").verdicts == ()
    assert accused(scenario("bubble bad_dp=3 bad_pp=2")) == {19}


def test_t17_pauses_that_hit_ranks_in_turn_accuse_nobody() -> None:
    rng = np.random.default_rng(6)
    backward = noisy(rng, 0.2, 200, 16)
    backward[np.arange(200), rng.integers(0, 16, 200)] *= 2.5
    analysis = judged(records({"backward": backward, "iteration": 0.1 + backward}, axes={"dp": range(16)}))
    assert accused(analysis) == set()


def test_t21_redone_steps_after_a_restart_change_nothing() -> None:
    phases = {"forward": flat(), "backward": 2 * flat()}
    whole = records(phases, axes={"dp": range(8)})
    redone = records({name: values[40:60] for name, values in phases.items()}, steps=range(40, 60))
    assert analyse(grid_of(whole, redone)).verdicts == ()


def test_t22_a_swing_of_two_percent_is_no_step() -> None:
    values = flat(400, noise=0.004)
    values[200:] *= 1.02
    assert judged(iteration_only(values)).verdicts == ()


@pytest.mark.parametrize("noise", [0.01, 0.05, 0.1, 0.2, 0.29])
@pytest.mark.parametrize("shape", ["dp=3", "dp=8", "dp=4 pp=4"])
def test_healthy_jobs_are_silent(noise: float, shape: str) -> None:
    assert scenario(f"healthy {shape} steps=600 noise={noise}").verdicts == ()


def test_the_verdict_says_when_it_began_and_when_it_ended() -> None:
    rng = np.random.default_rng(7)
    backward = noisy(rng, 0.2, 90, 8)
    backward[30:60, 5] *= 1.7
    (straggler,) = judged(records({"backward": backward}, axes={"dp": range(8)})).verdicts
    assert (straggler.first_step, straggler.last_step) == (30, 59)
    assert straggler.confidence is Confidence.localised


@pytest.mark.parametrize(
    ("phase", "kind"),
    [
        ("forward-compute", Kind.compute), ("backward", Kind.compute), ("self_attention", Kind.compute),
        ("optimizer", Kind.compute), ("mlp", Kind.compute), ("forward-recv", Kind.p2p), ("pp_send", Kind.p2p),
        ("grads-reduce-scatter", Kind.collective), ("params-all-gather", Kind.collective),
        ("optimizer-clip-main-grad", Kind.collective), ("ep_all_to_all", Kind.collective),
        ("grad_sync", Kind.collective), ("gc", Kind.host), ("data_load", Kind.host), ("batch-generator", Kind.host),
        ("iteration", Kind.total), ("forward-backward", Kind.total), ("ncclDevKernel_AllReduce", Kind.collective),
    ],
)  # fmt: skip
def test_a_phase_s_kind_is_told_by_its_name(phase: str, kind: Kind) -> None:
    assert kind_of(phase) is kind


def test_peers_differ_in_the_replica_and_agree_in_everything_that_changes_the_work() -> None:
    assert route("forward", Kind.compute).fixed == ("pp", "tp", "cp")
    assert "tp" in route("tp_all_reduce", Kind.collective).across
    assert role_of("forward-recv").value == "other"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_machine_a_tenth_slower_is_named_once_it_has_lasted(seed: int) -> None:
    spec = "slow_rank dp=16 bad_dp=5 factor=1.1 steps={} onset=0 noise=0.02"
    assert accused(scenario(spec.format(200), seed)) == {5}
    assert accused(scenario(spec.format(60), seed)) == set()


def test_a_twentieth_is_left_alone_however_long() -> None:
    assert scenario("slow_rank dp=16 factor=1.05 steps=400 onset=0").verdicts == ()
