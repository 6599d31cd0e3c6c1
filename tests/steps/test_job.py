"""One job, all methods: each thing is told once, by whoever knows most of it."""

from kb.steps import job as jobs_module
from kb.steps.job import Job, jobs
from kb.steps.reading import Records
from kb.steps.scenarios import made
from kb.steps.verdict import Confidence, Verdict, VerdictKind


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
