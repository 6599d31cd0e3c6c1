"""Work that is not equal, and work that only one rank has, are not slowness."""

from dataclasses import replace

import numpy as np

from kb.checks.sources.steps import step_tables
from kb.checks.step_needs import compared_ranks
from kb.steps.argus import analyse
from kb.steps.live import Live
from kb.steps.records import PhaseTable
from kb.steps.scenarios import made
from kb.steps.verdict import Confidence, Verdict, VerdictKind
from tests.steps.making import accused, grid_of, judged, noisy, of_kind, records

STEPS, RANKS = 60, 16


def uneven_tokens(seed: int = 1) -> np.ndarray:
    """Rank 2 has two fifths of the tokens of the others."""
    tokens = noisy(np.random.default_rng(seed), 4096, STEPS, RANKS, 0.1)
    tokens[:, 2] *= 0.4
    return tokens


def fed(table: PhaseTable) -> list[Verdict]:
    live = Live()
    steps = [table.take(table.step == step) for step in np.unique(table.step)]
    return [verdict for part in steps for verdict in live.add(part)] + live.finish()


def test_a_rank_with_fewer_tokens_is_not_slow_in_what_takes_as_long_for_few_as_for_many() -> None:
    rng = np.random.default_rng(0)
    tokens = uneven_tokens()
    work = {"forward": 2e-5 * tokens * noisy(rng, 1, STEPS, RANKS, 0.01), "optimizer": noisy(rng, 0.05, STEPS, RANKS)}
    table = records(work, axes={"dp": range(RANKS)}, covariates={"tokens": tokens})
    assert accused(judged(table)) == set()


def test_a_rank_that_is_slow_beside_the_constant_cost_is_still_named() -> None:
    rng = np.random.default_rng(0)
    tokens = uneven_tokens()
    forward = (0.05 + 2e-5 * tokens) * noisy(rng, 1, STEPS, RANKS, 0.01)
    forward[:, 9] *= 1.5
    table = records({"forward": forward}, axes={"dp": range(RANKS)}, covariates={"tokens": tokens})
    assert accused(judged(table)) == {9}


def test_a_pipeline_that_waits_for_a_rank_with_more_tokens_amplifies_no_slow_rank() -> None:
    trace = made("bubble bad_dp=3 bad_pp=2 factor=1.6", 1)
    table = trace.phases
    assert table is not None
    slow = np.isin(table.rank, trace.truth.accused) & (table.step >= trace.truth.onset)
    with_tokens = replace(table, covariates={"tokens": np.where(slow, 1.6 * 4096, 4096)})
    assert of_kind(analyse(grid_of(table)), VerdictKind.bubble_amplification)
    assert of_kind(analyse(grid_of(with_tokens)), VerdictKind.bubble_amplification) == []


def test_live_too_a_rank_with_more_tokens_is_told_without_a_name() -> None:
    tokens = np.full((STEPS, RANKS), 4096.0)
    tokens[30:, 6] *= 2.5
    work = {"forward": 2e-5 * tokens * noisy(np.random.default_rng(0), 1, STEPS, RANKS, 0.01)}
    axes = {"dp": range(RANKS)}
    named = [v.confidence for v in fed(records(work, axes=axes)) if v.ranks]
    assert named == [Confidence.localised]
    told = [v.confidence for v in fed(records(work, axes=axes, covariates={"tokens": tokens})) if v.ranks]
    assert told == [Confidence.detected_only]


def saved_by_one_rank() -> PhaseTable:
    """Every rank passes through the saving; rank 0 writes."""
    rng = np.random.default_rng(0)
    saving = noisy(rng, 0.01, STEPS, RANKS)
    saving[:, 0] = 3.0
    phases = {"forward": noisy(rng, 0.2, STEPS, RANKS), "save_checkpoint": saving}
    return records(phases, axes={"dp": range(RANKS)})


def test_the_rank_that_saves_the_checkpoint_is_no_host_that_stalls() -> None:
    assert accused(judged(saved_by_one_rank())) == set()
    assert [verdict for verdict in fed(saved_by_one_rank()) if verdict.ranks] == []


def test_ranks_of_which_only_the_saving_is_recorded_are_not_compared() -> None:
    table = saved_by_one_rank()
    (job,) = step_tables(lambda: [table]).jobs()
    assert compared_ranks(job) == RANKS
    (job,) = step_tables(lambda: [table.take(table.phase.where("save_checkpoint"))]).jobs()
    assert not isinstance(compared_ranks(job), int)


def test_live_a_step_that_records_its_checkpoint_is_no_spike() -> None:
    rng = np.random.default_rng(0)
    whole, saving = noisy(rng, 1.0, STEPS, RANKS, 0.01), np.full((STEPS, RANKS), np.nan)
    whole[40], saving[40] = 9.0, 8.0
    axes = {"dp": range(RANKS)}
    assert [v.first_step for v in fed(records({"iteration": whole}, axes=axes))] == [40]
    assert fed(records({"iteration": whole, "save_checkpoint": saving}, axes=axes)) == []


def experts(factor: float = 2.0) -> dict[str, np.ndarray]:
    work = noisy(np.random.default_rng(4), 0.1, STEPS, 8, 0.01)
    work[:, 5] *= factor
    return {"moe_expert_mlp": work}


def test_a_loaded_expert_is_told_without_a_name_unless_its_tokens_are_known() -> None:
    axes = {"ep": range(8)}
    (told,) = of_kind(judged(records(experts(), axes=axes)), VerdictKind.compute_straggler)
    assert (told.ranks, told.confidence) == ((5,), Confidence.detected_only)
    assert [v.confidence for v in fed(records(experts(), axes=axes)) if v.ranks] == [Confidence.detected_only]
    tokens = noisy(np.random.default_rng(5), 1000, STEPS, 8, 0.2)
    even = {"moe_expert_mlp": experts()["moe_expert_mlp"] * tokens / 1000}
    assert accused(judged(records(even, axes=axes, covariates={"tokens": tokens}))) == {5}


def test_a_loaded_expert_takes_no_name_from_a_rank_that_is_slow_in_other_work() -> None:
    forward = noisy(np.random.default_rng(6), 0.2, STEPS, 8, 0.01)
    forward[:, 3] *= 1.8
    table = records({"forward": forward, **experts()}, axes={"ep": range(8)})
    assert accused(judged(table)) == {3}
