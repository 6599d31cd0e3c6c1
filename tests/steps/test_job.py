"""One job, all methods: each thing is told once, by whoever knows most of it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from kb.checks.card import Answer
from kb.checks.catalogue import Catalogue
from kb.checks.contract import Unknown
from kb.checks.report import fill_in
from kb.checks.step_check import Wanted, finding_of, outcome, steps_with_time
from kb.steps import c4d
from kb.steps import job as jobs_module
from kb.steps.job import Job, jobs
from kb.steps.level1 import judge
from kb.steps.reading import Records
from kb.steps.records import PhaseTable
from kb.steps.scenarios import made
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind
from tests.steps import making
from tests.steps.making import grid_of, noisy


def read(spec: str, seed: int = 1) -> Job:
    trace, records = made(spec, seed), Records()
    for table in (trace.phases, trace.edges, trace.sequences, trace.distributions, trace.events):
        if table is not None:
            records.add(table)
    (job,) = jobs(records, standing=True)
    return job


def kinds(job: Job) -> list[VerdictKind]:
    return [verdict.kind for verdict in job.verdicts]


def test_a_step_that_two_methods_find_is_told_once() -> None:
    job = read("slow_rank bad_dp=3")
    assert kinds(job).count(VerdictKind.iteration_step) == 1
    assert kinds(job).count(VerdictKind.compute_straggler) == 1


def test_a_late_rank_is_not_told_beside_the_slow_computing_that_makes_it_late() -> None:
    assert VerdictKind.non_comm_slow not in kinds(read("slow_rank bad_dp=3"))


def test_a_late_rank_is_told_where_only_the_calls_are_recorded() -> None:
    trace, records = made("slow_rank bad_dp=3", 1), Records()
    assert trace.sequences is not None
    records.add(trace.sequences)
    (job,) = jobs(records)
    (verdict,) = job.verdicts
    assert (verdict.kind, verdict.ranks) == (VerdictKind.non_comm_slow, (3,))


def test_a_slow_connection_and_the_step_it_causes_are_two_things() -> None:
    found = kinds(read("degraded_link"))
    assert VerdictKind.comm_straggler_edge in found
    assert VerdictKind.iteration_step in found


def test_a_hang_is_told_of_a_job_without_phases() -> None:
    job = read("hang_non_comm bad_dp=3")
    (verdict,) = job.verdicts
    assert (verdict.kind, verdict.ranks, verdict.confidence) == (
        VerdictKind.non_comm_hang,
        (3,),
        Confidence.localised,
    )
    assert job.remarks == ()


def test_a_healthy_job_has_nothing_to_tell() -> None:
    assert read("healthy dp=8").verdicts == ()


def test_of_two_verdicts_on_one_thing_the_one_that_says_more_stays(monkeypatch: object) -> None:
    def verdict(level: str, confidence: Confidence) -> Verdict:
        return Verdict(
            VerdictKind.non_comm_slow, jobs_module.c4d.System.c4d, level, confidence, 5, 9, job="j", ranks=(3,)
        )  # fmt: skip

    vague, sure = verdict("one", Confidence.group_only), verdict("two", Confidence.localised)
    assert jobs_module._without_repeats([vague, sure]) == [sure]
    assert jobs_module._without_repeats([sure, vague]) == [sure]


def told(kind: VerdictKind, **more: object) -> Verdict:
    return Verdict(kind, System.c4d, "one", Confidence.group_only, 5, 9, job="j", **more)  # type: ignore[arg-type]


def test_verdicts_without_ranks_on_different_groups_are_two() -> None:
    both = [told(VerdictKind.comm_group_slow, group=group) for group in ("pp=0", "pp=1")]
    assert jobs_module._without_repeats(both) == both
    assert jobs_module._without_repeats([both[0], both[0]]) == [both[0]]


def test_a_window_of_operations_meets_no_window_of_steps() -> None:
    both = [told(VerdictKind.non_comm_slow, ranks=(3,), operations=operations) for operations in (False, True)]
    assert jobs_module._without_repeats(both) == both


def test_late_ranks_are_told_by_the_operation_and_slow_ones_by_the_step() -> None:
    trace = made("slow_rank bad_dp=3", 1)
    assert trace.sequences is not None
    (late,) = c4d.late_verdicts(trace.sequences)
    wanted = Wanted((late.kind.value,), lambda _: 0)
    assert "steps" not in finding_of(late, wanted).where
    assert finding_of(late, wanted).where["operation"] == f"{late.first_step}-{late.last_step}"
    message = fill_in(Catalogue.load().cards["training/rank_arrives_late"].message, finding_of(late, wanted))
    assert "?" not in message.en + (message.ko or "")
    (slow,) = read("slow_rank bad_dp=3").of(VerdictKind.compute_straggler)
    assert "steps" in finding_of(slow, wanted).where


def test_a_hang_names_its_communicator_even_if_that_is_called_by_coordinates() -> None:
    hang = told(VerdictKind.comm_hang, ranks=(2, 5), group="pp=1", operations=True)
    wanted = Wanted((hang.kind.value,), lambda _: 0)
    assert finding_of(hang, wanted).where["group"] == "pp=1"
    assert "group" not in finding_of(replace(hang, operations=False), wanted).where


def test_a_finding_on_a_connection_names_the_connection_and_not_its_ends() -> None:
    edge = told(VerdictKind.comm_straggler_edge, ranks=(2, 5), edges=((2, 5),))
    where = finding_of(edge, Wanted((edge.kind.value,), lambda _: 0)).where
    assert where["link"] == "2→5"
    assert "ranks" not in where


def job_of(table: PhaseTable) -> Job:
    records = Records()
    records.add(table)
    (job,) = jobs(records)
    return job


def test_iterations_that_are_not_judged_are_not_counted_as_looked_at() -> None:
    whole = noisy(np.random.default_rng(0), 1.0, 60, 4)
    saved = np.full(whole.shape, np.nan)
    saved[20:25] = 1.0
    job = job_of(making.records({"iteration": whole, "checkpoint": saved}, axes={"dp": range(4)}))
    # Ten of the warm-up, five that save, two that follow.
    assert steps_with_time(40)(job) == 60 - 10 - 5 - 2
    assert isinstance(steps_with_time(44)(job), Unknown)


def test_the_iterations_of_one_rank_suffice_to_call_the_iteration_time_healthy() -> None:
    job = job_of(making.records({"iteration": noisy(np.random.default_rng(0), 1.0, 120, 1)}))
    wanted = Wanted(("iteration_step",), steps_with_time(40), nameless=True, peers=False)
    steps = SimpleNamespace(jobs=lambda: [job])
    assert outcome(steps, wanted).answer is Answer.clear
    assert outcome(steps, replace(wanted, peers=True)).answer is Answer.unknown


@pytest.mark.parametrize("away", [1, 3])
def test_only_a_tenth_of_the_ranks_makes_another_job_for_every_method(away: int) -> None:
    whole = noisy(np.random.default_rng(0), 1.0, 120, 20, 0.01)
    whole[60:] *= 1.4
    whole[60:, :away] = np.nan
    grew = [v for v in job_of(making.records({"iteration": whole})).verdicts if v.kind is VerdictKind.iteration_step]
    assert len(grew) == (away == 1)
    grid = grid_of(making.records({"iteration": whole}))
    assert len([v for v in judge(grid) if v.kind is VerdictKind.iteration_step]) == (away == 1)
