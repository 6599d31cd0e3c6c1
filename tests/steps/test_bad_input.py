"""Records that are wrong, and jobs that only look slow: a reason, or the right verdict, and nobody accused falsely."""

from collections.abc import Sequence

import numpy as np
import pytest

from kb.steps.columns import phase_table
from kb.steps.folding import GridBuilder
from kb.steps.records import Coded, Floats, PhaseTable, RemarkKind
from kb.steps.verdict import Confidence, VerdictKind
from tests.steps.making import accused, grid_of, judged, noisy, of_kind, records, scenario

STEPS, RANKS = 60, 16


def job(slow: int | None = None, factor: float = 1.8, seed: int = 0, ranks: int = RANKS) -> dict[str, Floats]:
    rng = np.random.default_rng(seed)
    forward, backward = noisy(rng, 0.1, STEPS, ranks), noisy(rng, 0.2, STEPS, ranks)
    if slow is not None:
        forward[:, slow] *= factor
        backward[:, slow] *= factor
    work = forward + backward
    reduce = work.max(axis=1, keepdims=True) - work + 0.05
    whole = np.repeat(work.max(axis=1, keepdims=True) + 0.08, ranks, axis=1)
    return {"forward": forward, "backward": backward, "dp_reduce_scatter": reduce, "iteration": whole}


def placed(phases: dict[str, Floats]) -> PhaseTable:
    return records(phases, axes={"dp": range(phases["forward"].shape[1])})


def remark_kinds(remarks: Sequence[object]) -> set[RemarkKind]:
    return {remark.kind for remark in remarks}


def test_a_slow_rank_is_named_whatever_the_order_of_records_and_however_often_they_come() -> None:
    table = placed(job(slow=7))
    rng = np.random.default_rng(1)
    twice = table.take(rng.permutation(np.tile(np.arange(len(table)), 2)))
    some_twice = table.take(rng.permutation(np.concatenate([np.arange(len(table)), rng.integers(0, len(table), 900)])))
    for records_ in (table, twice, some_twice):
        assert accused(judged(records_)) == {7}


def test_repeated_records_of_one_rank_accuse_nobody() -> None:
    table = placed(job())
    doubled = np.concatenate([np.arange(len(table)), np.flatnonzero(table.rank == 3), np.flatnonzero(table.rank == 3)])
    assert judged(table.take(doubled)).verdicts == ()


def test_lost_records_of_micro_batches_accuse_nobody() -> None:
    rng = np.random.default_rng(2)
    phases = [{"forward": noisy(rng, 0.1, STEPS, RANKS), "backward": noisy(rng, 0.2, STEPS, RANKS)} for _ in range(8)]
    builder = GridBuilder()
    for number, part in enumerate(phases):
        table = placed(part)
        builder.add(table if number < 3 else table.take(table.rank != 5))
    from kb.steps.argus import analyse

    assert accused(analyse(builder.grid())) == set()


@pytest.mark.parametrize(
    ("value", "kind"),
    [(np.nan, RemarkKind.not_a_number), (np.inf, RemarkKind.not_a_number), (-5.0, RemarkKind.negative),
     (1e9, RemarkKind.absurd)],
)  # fmt: skip
def test_impossible_durations_are_left_out_and_counted(value: float, kind: RemarkKind) -> None:
    durations = np.full(20, 100.0)
    durations[[3, 4]] = value
    raw = {"rank": np.arange(20), "step": np.zeros(20, int), "duration": durations}
    table = phase_table(raw, {"duration": "ms"})
    assert len(table) == 18
    assert [(remark.kind, remark.count) for remark in table.remarks] == [(kind, 2)]
    assert table.duration.max() == pytest.approx(0.1)


def test_records_without_rank_or_step_are_left_out() -> None:
    raw = {"rank": np.array(["0", "x", "2"], object), "step": np.array([1.0, 1.0, np.nan]), "duration": np.ones(3)}
    table = phase_table(raw, {"duration": "s"})
    assert table.rank.tolist() == [0]
    assert [(remark.kind, remark.count) for remark in table.remarks] == [(RemarkKind.unreadable, 2)]


def test_every_record_may_declare_its_own_unit() -> None:
    raw = {
        "rank": np.arange(4), "step": np.zeros(4, int), "duration": np.array([0.1, 100.0, 1e5, 7.0]),
        "unit": Coded.of(["s", "ms", "µs", "fortnight"]),
    }  # fmt: skip
    table = phase_table(raw, {"duration": None})
    assert table.duration.tolist() == pytest.approx([0.1, 0.1, 0.1])
    assert RemarkKind.not_a_number in remark_kinds(table.remarks)


def test_a_file_without_a_unit_says_so_and_is_judged_by_ratios() -> None:
    raw = {"rank": np.arange(4), "step": np.zeros(4, int), "duration": np.ones(4)}
    assert remark_kinds(phase_table(raw, {"duration": None}).remarks) == {RemarkKind.no_unit}
    assert phase_table(raw, {"duration": None}, unit="ms").duration.tolist() == [1e-3] * 4


@pytest.mark.parametrize("factor", [1e3, 1e-3, 1e6])
def test_a_rank_that_counts_in_another_unit_is_not_slow(factor: float) -> None:
    phases = {name: values.copy() for name, values in job().items()}
    for values in phases.values():
        values[:, 4] *= factor
    analysis = judged(placed(phases))
    assert accused(analysis) == set()
    assert RemarkKind.absurd in remark_kinds(analysis.remarks)


def test_a_collective_faster_than_its_bytes_allow_was_timed_on_the_wrong_stream() -> None:
    raw = {
        "rank": np.arange(3), "step": np.zeros(3, int), "phase": Coded.of(["dp_all_gather", "dp_all_gather", "mlp"]),
        "duration": np.array([1e-6, 0.1, 1e-6]), "bytes": np.full(3, 1e9),
    }  # fmt: skip
    table = phase_table(raw, {"duration": "s"})
    assert table.rank.tolist() == [1, 2]
    assert remark_kinds(table.remarks) == {RemarkKind.wrong_stream}


def test_without_coordinates_nobody_is_named() -> None:
    analysis = judged(records(job(slow=7)))
    assert accused(analysis) == set()
    (straggler,) = of_kind(analysis, VerdictKind.compute_straggler)
    assert straggler.confidence is Confidence.detected_only
    assert RemarkKind.no_coordinates in remark_kinds(analysis.remarks)


def test_ranks_without_coordinates_are_left_out_and_the_others_judged() -> None:
    places = [-1 if rank in (3, 7) else rank for rank in range(RANKS)]
    analysis = judged(records(job(slow=7), axes={"dp": places}))
    assert accused(analysis) == set()
    assert RemarkKind.no_coordinates in remark_kinds(analysis.remarks)
    assert accused(judged(records(job(slow=6), axes={"dp": places}))) == {6}


def test_ranks_stated_at_two_places_are_compared_with_nobody() -> None:
    first = records(job(), axes={"dp": range(RANKS), "pp": [0] * RANKS})
    second = records(job(slow=2, factor=3), axes={"dp": range(RANKS), "pp": [1] * RANKS})
    grid = grid_of(first, second)
    assert remark_kinds(grid.remarks) == {RemarkKind.contradictory}
    from kb.steps.argus import analyse

    assert accused(analyse(grid)) == set()


def test_one_rank_alone_is_not_accused() -> None:
    analysis = judged(placed(job(slow=0, ranks=1)))
    assert analysis.verdicts == ()
    assert RemarkKind.too_few in remark_kinds(analysis.remarks)


def test_all_ranks_equally_slow_from_the_start_are_not_slow() -> None:
    assert judged(placed({name: 5 * values for name, values in job().items()})).verdicts == ()


def test_all_ranks_slow_together_from_some_step_on_is_a_step_and_nobody_s() -> None:
    phases = {name: values.copy() for name, values in job().items()}
    for values in phases.values():
        values[30:] *= 1.5
    analysis = judged(placed(phases))
    assert accused(analysis) == set()
    (step,) = of_kind(analysis, VerdictKind.iteration_step)
    assert step.first_step == 30
    assert step.ratio == pytest.approx(1.5, rel=0.03)


def test_fewer_steps_than_a_verdict_needs_are_said_to_be_too_few() -> None:
    phases = {name: values[:4] for name, values in job(slow=3).items()}
    analysis = judged(placed(phases))
    assert analysis.verdicts == ()
    assert RemarkKind.too_few in remark_kinds(analysis.remarks)


def test_of_two_the_slower_is_told_without_a_name() -> None:
    analysis = judged(placed(job(slow=1, factor=2.0, ranks=2)))
    assert accused(analysis) == set()
    assert {v.confidence for v in analysis.verdicts} == {Confidence.detected_only}


def test_a_slow_half_is_a_group_and_no_rank() -> None:
    phases = {name: values.copy() for name, values in job().items()}
    phases["forward"][:, : RANKS // 2] *= 3
    analysis = judged(placed(phases))
    assert accused(analysis) == set()
    (verdict,) = of_kind(analysis, VerdictKind.compute_straggler)
    assert verdict.confidence is Confidence.group_only
    assert verdict.evidence["slow"] == RANKS // 2


def test_ranks_that_miss_steps_are_remarked_and_a_slow_one_is_still_named() -> None:
    phases = {name: values.copy() for name, values in job(slow=7).items()}
    rng = np.random.default_rng(5)
    for values in phases.values():
        values[rng.random(values.shape) < 0.1] = np.nan
        values[: STEPS * 2 // 3, 11] = np.nan
    analysis = judged(placed(phases))
    assert accused(analysis) == {7}
    assert RemarkKind.missing_ranks in remark_kinds(analysis.remarks)


def test_two_jobs_of_one_file_are_judged_apart(tmp_path: object) -> None:
    from kb.steps.argus import analyse
    from kb.steps.reading import Records

    one, other = placed(job(slow=7)), placed({name: 4 * values for name, values in job().items()})
    together = PhaseTable(
        job=Coded(np.repeat([0, 1], [len(one), len(other)]), ("a", "b")),
        rank=np.concatenate([one.rank, other.rank]),
        step=np.concatenate([one.step, other.step]),
        phase=Coded(np.concatenate([one.phase.codes, other.phase.codes]), one.phase.names),
        duration=np.concatenate([one.duration, other.duration]),
        start=np.concatenate([one.start, other.start]),
        microbatch=np.concatenate([one.microbatch, other.microbatch]),
        axes={"dp": np.concatenate([one.axes["dp"], other.axes["dp"]])},
    )
    found = Records()
    found.add(together.take(np.random.default_rng(0).permutation(len(together))))
    assert sorted(found.jobs) == ["a", "b"]
    assert accused(analyse(found.jobs["a"].phases.grid())) == {7}
    assert analyse(found.jobs["b"].phases.grid()).verdicts == ()


def test_an_attempt_of_another_size_is_another_job() -> None:
    raw = {
        "rank": np.arange(4), "step": np.zeros(4, int), "duration": np.ones(4), "job": Coded.constant("llm", 4),
        "attempt": np.array([0, 0, 1, 1]),
    }  # fmt: skip
    assert phase_table(raw, {"duration": "s"}).job.values() == ["llm#0", "llm#0", "llm#1", "llm#1"]


def test_a_job_that_goes_on_with_fewer_ranks_has_another_healthy_level() -> None:
    assert scenario("resize").verdicts == ()


def test_what_does_not_fit_is_joined_and_a_slow_rank_still_named() -> None:
    table = placed({name: np.tile(values, (4, 1)) for name, values in job(slow=7).items()})
    order = np.random.default_rng(3).permutation(len(table))
    parts = [table.take(order[start : start + 4000]) for start in range(0, len(order), 4000)]
    grid = grid_of(*parts, max_cells=4 * RANKS * STEPS)
    assert grid.width == 4
    assert len(grid.steps) == STEPS
    assert RemarkKind.joined_steps in remark_kinds(grid.remarks)
    from kb.steps.argus import analyse

    assert accused(analyse(grid)) == {7}
