"""The checkpoint interval of a job from its records."""

import numpy as np
import pytest

from kb.model import Text
from kb.steps.folding import GridBuilder
from kb.steps.records import Coded, EventTable
from kb.steps.saving import Saving, failures_in, saving_of, verdict_of
from kb.steps.scenarios import made
from kb.steps.verdict import Confidence, VerdictKind


def judged(spec, seed=0):
    trace = made(spec, seed)
    builder = GridBuilder()
    builder.add(trace.phases)
    grid = builder.grid()
    saving = saving_of(grid, trace.events)
    assert isinstance(saving, Saving), saving
    return saving, verdict_of(grid, saving)


def test_what_the_records_say_is_read_from_them():
    saving, _ = judged("checkpoints iteration=105 every=250 save=40 failures=4 steps=6000")
    assert saving.iteration == pytest.approx(105, rel=0.01)
    assert (saving.every, saving.save) == (250, pytest.approx(40))
    assert saving.seconds == pytest.approx(6000 * 105 + 24 * 40, rel=0.01)
    assert saving.rate.failures == 4


def test_seven_hours_between_saves_are_too_long_and_three_are_not():
    # Published (BLOOM): 7.3 h lost, 40 s to save; then every 100 iterations, at most 3 h. Filled in: a failure every
    # 7 days.
    _, before = judged("checkpoints iteration=105 every=252 save=40 failures=4 steps=23000")
    assert before is not None
    assert (before.kind, before.level, before.confidence) == (
        VerdictKind.checkpoint_interval,
        "too-long",
        Confidence.detected_only,
    )
    assert before.ranks == ()
    assert before.evidence["interval_s"] == pytest.approx(7.35 * 3600, rel=0.01)
    assert judged("checkpoints iteration=105 every=100 save=40 failures=4 steps=23000")[1] is None


def test_an_interval_that_is_far_too_short_is_told_too():
    _, verdict = judged("checkpoints iteration=10 every=10 save=60 failures=4")
    assert verdict is not None
    assert verdict.level == "too-short"
    assert verdict.ratio < 1 / 3


def test_too_few_failures_judge_nothing():
    saving, verdict = judged("checkpoints failures=1 every=2000")
    assert saving.interval.verdict == "too-few-failures"
    assert verdict is None


def test_several_ranks_that_report_one_failure_are_one():
    events = made("checkpoints failures=3", 0).events
    assert failures_in(events) == 3
    assert failures_in(events.take([0, 0, 1, 1, 2])) == 3
    assert failures_in(None) == 0


def test_records_without_saves_say_why_nothing_can_be_told():
    trace = made("healthy steps=30", 0)
    builder = GridBuilder()
    builder.add(trace.phases)
    told = saving_of(builder.grid(), None)
    assert isinstance(told, Text)
    assert "checkpoint" in told.en
    assert isinstance(saving_of(GridBuilder().grid(), None), Text)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spec", ["every=20", "every=100", "every=1500", "save=400 every=5"])
def test_generated_histories_come_out_as_their_truth_says(spec, seed):
    _, verdict = judged(f"checkpoints {spec}", seed)
    truth = made(f"checkpoints {spec}", seed).truth
    assert (verdict is not None) == truth.faulty


def test_a_failure_and_the_restart_from_an_earlier_step_are_one():
    def told(*rows):
        steps, names = zip(*rows, strict=True)
        size = len(rows)
        return EventTable(Coded.constant("", size), np.full(size, 0), np.array(steps), Coded.of(names))

    assert failures_in(told((120, "failure"), (100, "restart"), (260, "crash"), (250, "resumed"))) == 2
    assert failures_in(told((100, "restart"), (250, "resume"), (260, "failure"))) == 2
