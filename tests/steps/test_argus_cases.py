"""The five published cases: each comes out as told, and only because of the level that catches it."""

import numpy as np
import pytest

from kb.steps.argus import LEVELS
from kb.steps.scenarios import made
from kb.steps.verdict import Confidence, VerdictKind
from tests.steps.making import accused, of_kind, scenario

SEEDS = (1, 2, 3)


def without(level: str) -> tuple[str, ...]:
    return tuple(one for one in LEVELS if one != level)


@pytest.mark.parametrize("seed", SEEDS)
def test_case_1_names_both_replicas_their_phase_and_the_step(seed: int) -> None:
    analysis = scenario("argus_compute_straggler", seed)
    (straggler,) = of_kind(analysis, VerdictKind.compute_straggler)
    assert straggler.ranks == (656, 657)
    assert straggler.phase == "self_attention"
    assert abs(straggler.first_step - 40) <= 2
    assert straggler.ratio > 150
    (step,) = of_kind(analysis, VerdictKind.iteration_step)
    assert abs(step.first_step - 40) <= 2


def test_case_1_is_silent_before_the_onset_though_its_healthy_range_has_a_cv_above_the_published_gate() -> None:
    analysis = scenario("argus_compute_straggler steps=40 onset=40")
    values = analysis.grid.mean(0)
    assert np.median(values.std(axis=1) / values.mean(axis=1)) > 0.15
    assert analysis.verdicts == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_case_2_is_found_by_distributions_alone(seed: int) -> None:
    analysis = scenario("argus_degraded_link", seed)
    (verdict,) = analysis.verdicts
    assert verdict.kind is VerdictKind.comm_group_slow
    assert verdict.level == "L3"
    assert verdict.ranks == made("argus_degraded_link", seed).truth.accused
    assert verdict.confidence is Confidence.localised
    assert verdict.published
    assert verdict.evidence["w1_inside_s"] / verdict.evidence["w1_outside_s"] < 0.02


def test_case_2_is_silent_without_the_slow_block_and_without_the_level() -> None:
    assert scenario("argus_degraded_link factor=0").verdicts == ()
    assert scenario("argus_degraded_link", levels=without("L3")).verdicts == ()


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_case_3_is_found_by_the_pipeline_model_in_every_stage(stage: int) -> None:
    analysis = scenario(f"bubble bad_pp={stage} bad_dp=5 steps=60")
    (bubble,) = of_kind(analysis, VerdictKind.bubble_amplification)
    assert bubble.ranks == made(f"bubble bad_pp={stage} bad_dp=5 steps=60", 1).truth.accused
    assert bubble.phase == "backward"
    assert abs(bubble.first_step - 30) <= 2
    assert bubble.ratio == pytest.approx(1.9, rel=0.05)


@pytest.mark.parametrize(("replicas", "cv"), [(8, 0.27), (16, 0.21), (32, 0.15)])
def test_case_3_stays_far_below_a_cv_of_0_8(replicas: int, cv: float) -> None:
    (straggler,) = of_kind(scenario(f"bubble dp={replicas} steps=60"), VerdictKind.compute_straggler)
    assert straggler.evidence["cv"] == pytest.approx(cv, abs=0.02)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_a_bubble_too_small_for_level_2_needs_the_model(stage: int) -> None:
    spec = f"bubble factor=1.22 bad_pp={stage} bad_dp=2 steps=60"
    analysis = scenario(spec)
    assert {verdict.level for verdict in analysis.verdicts} == {"1F1B"}
    assert accused(analysis) == set(made(spec, 1).truth.accused)
    assert scenario(spec, levels=without("1F1B")).verdicts == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_case_4_is_a_spike_at_exactly_the_stalled_steps_and_nothing_else(seed: int) -> None:
    analysis = scenario("argus_sparse_stalls", seed)
    assert [(v.kind, v.first_step) for v in analysis.verdicts] == [
        (VerdictKind.iteration_spike, 12),
        (VerdictKind.iteration_spike, 27),
        (VerdictKind.iteration_spike, 44),
    ]
    assert all(v.confidence is Confidence.detected_only and not v.ranks for v in analysis.verdicts)
    assert scenario("argus_sparse_stalls", seed, levels=without("L1")).verdicts == ()


def test_case_4_is_a_host_stall_where_host_time_is_recorded() -> None:
    kinds = {verdict.kind for verdict in scenario("argus_sparse_stalls host=1").verdicts}
    assert kinds == {VerdictKind.host_stall}


@pytest.mark.parametrize("seed", SEEDS)
def test_case_5_names_the_eight_ranks_although_reduce_scatter_is_faster_there_and_a_port_is_down(seed: int) -> None:
    analysis = scenario("argus_masked_straggler", seed)
    (straggler,) = of_kind(analysis, VerdictKind.compute_straggler)
    assert straggler.ranks == tuple(range(10352, 10360))
    assert straggler.phase == "mlp"
    assert straggler.evidence["own_collective_share"] < 0.1
    assert straggler.evidence["events_beside"] == 1
    assert straggler.evidence["cv"] > 0.8
    assert straggler.ratio == pytest.approx(5.7, rel=0.15)
    assert {v.kind for v in analysis.verdicts} == {VerdictKind.compute_straggler, VerdictKind.iteration_step}
    assert accused(scenario("argus_masked_straggler", seed, levels=without("L2"))) == set()


def test_a_port_event_alone_accuses_nobody() -> None:
    assert scenario("argus_masked_straggler factor=0").verdicts == ()


def test_the_way_goes_from_the_window_to_the_ranks_to_the_kernel() -> None:
    found = scenario("argus_compute_straggler").verdicts
    named = [verdict for verdict in found if verdict.confidence is Confidence.localised]
    assert next(verdict.first_step for verdict in found if verdict.level == "L1") == pytest.approx(40, abs=2)
    assert {verdict.ranks for verdict in named} == {(656, 657)}
    assert {verdict.phase for verdict in named if verdict.level != "L3"} == {"self_attention"}
    kernels = [verdict.phase for verdict in scenario("argus_degraded_link").verdicts if verdict.level == "L3"]
    assert kernels[0].startswith("nccl")
