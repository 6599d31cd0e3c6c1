"""The period of a training loop from its calls."""

import numpy as np
import pytest

from kb.steps.job import jobs
from kb.steps.period import autocorrelation, iteration_times, period
from kb.steps.reading import Records
from kb.steps.records import Coded, SequenceTable
from kb.steps.verdict import VerdictKind

#: Published (Greyhound's artifact): calls of one iteration in its log; 2 is a broadcast to the pipeline, 6 an
#: all-reduce.
PATTERN = np.array([3, 2, 3, 2, 3, 2, 3, 2, 6, 3, 2, 3, 2, 3, 2, 3, 2])


def calls(count):
    return np.tile(PATTERN, 40)[:count]


@pytest.mark.parametrize("count", [68, 100, 200, 333])
def test_the_published_pattern_has_a_period_of_seventeen(count):
    # R-F2.
    assert period(calls(count)) == 17


@pytest.mark.parametrize(("count", "biased"), [(100, 0.832), (200, 0.916), (340, 0.950), (400, 0.958)])
def test_the_papers_form_needs_twenty_periods_and_the_unbiased_one_does_not(count, biased):
    # Trap T23.
    assert autocorrelation(calls(count), 17, unbiased=False)[17] == pytest.approx(biased, abs=0.0015)
    assert autocorrelation(calls(count), 17)[17] == pytest.approx(1.0, abs=0.005)


def test_shorter_lags_do_not_come_near():
    assert autocorrelation(calls(340), 16)[1:].max() < 0.2


def test_what_does_not_repeat_has_no_period():
    assert period(np.random.default_rng(0).permutation(calls(340))) is None
    assert period(np.full(100, 3)) is None
    assert period(calls(17 * 3)) is None, "three periods are too few"
    assert period(np.zeros(0, np.int64)) is None


def test_a_loop_that_has_just_changed_has_no_period_yet():
    assert period(np.concatenate([calls(340), np.array([9, 3, 9, 2, 9])])) is None


def test_iteration_times_are_right_to_the_published_error():
    # Published: the error is at most 1.2%. Calls come 17 to the iteration of 1.126 s, with 5% noise each.
    rng = np.random.default_rng(0)
    gaps = 1.126 / 17 * np.exp(0.05 * rng.standard_normal(17 * 60))
    seconds = iteration_times(np.concatenate([[0.0], np.cumsum(gaps)]), 17)
    assert len(seconds) == 60
    assert np.median(seconds) == pytest.approx(1.126, rel=0.012)


def called(seconds: np.ndarray, *, timed: bool = True) -> SequenceTable:
    """Calls of two ranks over iterations of so many seconds, in the published pattern; one communicator."""
    starts = np.concatenate([[0.0], np.cumsum(seconds)[:-1]])
    enter = (starts[:, None] + seconds[:, None] * np.arange(17) / 17).ravel()
    size = len(enter)
    names = [f"kind {code}" for code in np.tile(PATTERN, len(seconds))]
    yes = np.ones(2 * size, bool)
    return SequenceTable(
        Coded.constant("job", 2 * size), np.repeat([0, 1], size), Coded.constant("c", 2 * size),
        np.tile(np.arange(size), 2), Coded.of(names * 2), np.full(2 * size, np.nan), yes, yes, yes,
        np.tile(enter, 2) if timed else np.full(2 * size, np.nan), np.full(2 * size, np.nan),
    )  # fmt: skip


def test_a_job_that_records_calls_alone_is_judged_by_the_time_after_which_they_repeat() -> None:
    rng = np.random.default_rng(0)
    seconds = np.repeat([1.0, 1.4], 60) * np.exp(0.01 * rng.standard_normal(120))
    records = Records()
    records.add(called(seconds))
    (job,) = jobs(records)
    (step,) = job.of(VerdictKind.iteration_step)
    assert step.first_step == 60
    assert step.ratio == pytest.approx(1.4, abs=0.02)
    assert int(job.series.judged.sum()) > 100


def test_calls_without_times_give_no_iterations() -> None:
    records = Records()
    records.add(called(np.ones(60), timed=False))
    (job,) = jobs(records)
    assert (len(job.series.steps), job.of(VerdictKind.iteration_step)) == (0, [])
