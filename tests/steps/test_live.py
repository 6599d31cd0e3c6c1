import numpy as np

from kb.steps.live import Live
from kb.steps.records import PhaseTable, RemarkKind
from kb.steps.verdict import Confidence, Verdict, VerdictKind
from tests.steps.making import noisy, records

STEPS, RANKS = 70, 16


def phases(slow_from: int = 30) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    forward = noisy(rng, 0.1, STEPS, RANKS)
    forward[slow_from:, 6] *= 2.5
    whole = forward.max(axis=1, keepdims=True) + 0.05
    return {"forward": forward, "iteration": np.repeat(whole, RANKS, axis=1)}


def step_tables(values: dict[str, np.ndarray]) -> list[PhaseTable]:
    axes = {"dp": range(RANKS)}
    return [records({n: v[s : s + 1] for n, v in values.items()}, steps=[s], axes=axes) for s in range(STEPS)]


def fed(tables: list[PhaseTable], live: Live) -> list[tuple[int, Verdict]]:
    found = [(number, verdict) for number, table in enumerate(tables) for verdict in live.add(table)]
    return found + [(len(tables), verdict) for verdict in live.finish()]


def test_a_slow_rank_is_told_once_some_seven_steps_after_it_began() -> None:
    found = fed(step_tables(phases()), Live("llm"))
    stragglers = [(at, v) for at, v in found if v.kind is VerdictKind.compute_straggler]
    ((at, verdict),) = stragglers
    assert at <= 30 + 5 + 3
    assert (verdict.ranks, verdict.first_step, verdict.job) == ((6,), 30, "llm")
    assert verdict.confidence is Confidence.localised
    assert verdict.ratio > 2
    ((_, step),) = [(at, v) for at, v in found if v.kind is VerdictKind.iteration_step]
    assert abs(step.first_step - 30) <= 2


def test_a_healthy_job_is_silent() -> None:
    assert fed(step_tables(phases(slow_from=STEPS)), Live()) == []


def test_records_may_be_late_by_a_step_or_two_and_not_by_more() -> None:
    tables = step_tables(phases())
    rng = np.random.default_rng(1)
    pushed = [int(at) for at in np.argsort(np.arange(STEPS) + rng.uniform(0, 1.9, STEPS))]
    live = Live()
    assert [v.ranks for _, v in fed([tables[at] for at in pushed], live) if v.ranks] == [(6,)]
    assert live.remarks == ()
    live.add(tables[3])
    assert [(remark.kind, remark.count) for remark in live.remarks] == [(RemarkKind.late, 2 * RANKS)]


def test_a_rank_that_recovers_and_turns_slow_again_is_told_again() -> None:
    values = phases()
    values["forward"][45:55, 6] /= 2.5
    told = [v.first_step for _, v in fed(step_tables(values), Live()) if v.kind is VerdictKind.compute_straggler]
    assert told == [30, 55]


def test_a_spike_is_told_at_once() -> None:
    values = phases(slow_from=STEPS)
    values["iteration"][40] *= 3
    (found,) = fed(step_tables(values), Live())
    assert found[1].kind is VerdictKind.iteration_spike
    assert found[1].first_step == 40
    assert found[0] <= 43


def test_without_coordinates_nobody_is_named_live_either() -> None:
    tables = [records({n: v[s : s + 1] for n, v in phases().items()}, steps=[s]) for s in range(STEPS)]
    (verdict,) = [v for _, v in fed(tables, Live()) if v.kind is VerdictKind.compute_straggler]
    assert verdict.confidence is Confidence.detected_only


def test_ranks_that_join_later_are_taken_in() -> None:
    tables = step_tables(phases())
    few = [table.take(table.rank < 12) if number < 20 else table for number, table in enumerate(tables)]
    assert [v.ranks for _, v in fed(few, Live()) if v.ranks] == [(6,)]


def test_memory_holds_a_few_steps_only() -> None:
    live = Live()
    for table in step_tables(phases()):
        live.add(table)
        assert len(live._open) <= live.grace + 1
