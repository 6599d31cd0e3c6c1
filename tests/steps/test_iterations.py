"""From iteration times to verdicts: what is judged, and what is left out."""

import numpy as np
import pytest

from kb.steps.folding import GridBuilder
from kb.steps.iterations import Series, resets, series_from_times, series_of, verdicts
from kb.steps.scenarios import made
from kb.steps.verdict import Confidence, System, VerdictKind
from tests.steps.test_changepoint import series


def kinds(found):
    return [verdict.kind for verdict in found]


def grid_of(spec, seed=1):
    builder = GridBuilder()
    table = made(spec, seed).phases
    assert table is not None
    builder.add(table)
    return builder.grid()


def test_a_step_up_is_told_with_when_it_was_known_and_accuses_nobody():
    (step,) = verdicts(series_from_times(series((60, 1.126), (60, 1.33), noise=0.005, seed=0), ranks=4))
    assert (step.kind, step.system, step.confidence) == (
        VerdictKind.iteration_step, System.falcon, Confidence.detected_only,
    )  # fmt: skip
    assert (step.first_step, step.last_step, step.ranks) == (60, 119, ())
    assert step.evidence["known_at"] == 69
    assert step.ratio == pytest.approx(1.18, abs=0.01)


def test_a_relief_is_no_finding_but_ends_the_one_before():
    (step,) = verdicts(series_from_times(series((60, 1.0), (60, 1.5), (60, 1.0), noise=0.01, seed=0), ranks=4))
    assert (step.first_step, step.last_step) == (60, 119)


def test_a_ramp_is_one_drift_with_its_whole_ratio():
    seconds = np.concatenate([np.ones(100), np.linspace(1, 1.3, 300)]) * series((400, 1.0), noise=0.01, seed=0)
    (drift,) = verdicts(series_from_times(seconds, ranks=4))
    assert drift.kind is VerdictKind.drift
    assert drift.ratio > 1.2
    assert drift.first_step < 200


def test_the_monitors_own_pause_is_left_out():
    # R-F1 and trap T3. Published: one sample of 18,003 ms at the pause of Greyhound itself.
    seconds = series((44, 1.126), (80, 1.126), noise=0.005, seed=0)
    seconds[44] = 18.003
    seconds[45:47] *= 3
    paused = np.arange(len(seconds)) == 44
    assert verdicts(series_from_times(seconds, ranks=4, paused=paused)) == []


def test_warm_up_is_left_out():
    # Trap T1.
    seconds = series((200, 1.0), noise=0.01, seed=0)
    seconds[:30] *= np.linspace(6, 1, 30)
    assert verdicts(series_from_times(seconds, ranks=4)) == []


def test_going_on_in_another_size_begins_a_new_baseline():
    # Trap T21, as a whole trace: 8 replicas become 6, and every step is 1.3 times as long.
    grid = grid_of("resize steps=160")
    found = series_of(grid)
    assert resets(found) == (80,)
    assert verdicts(found) == []
    blind = Series(found.job, found.steps, found.seconds, found.judged, np.full(160, 8), 1)
    assert kinds(verdicts(blind)) == [VerdictKind.iteration_step]


def test_a_rank_that_falls_silent_resets_nothing():
    ranks = np.where(np.arange(160) < 80, 64, 63)
    found = series_from_times(series((80, 1.0), (80, 1.5), noise=0.01, seed=0), ranks=64)
    silent = Series("", found.steps, found.seconds, found.judged, ranks, 8)
    assert resets(silent) == ()
    assert kinds(verdicts(silent)) == [VerdictKind.iteration_step]
    assert resets(Series("", found.steps, found.seconds, found.judged, np.where(ranks == 64, 64, 56), 8)) == (80,)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("slow_rank", [VerdictKind.iteration_step]),
        ("slow_rank dp=16 tp=2 factor=1.4 noise=0.05", [VerdictKind.iteration_step]),
        ("bubble steps=160", [VerdictKind.iteration_step]),
        ("network_dip", [VerdictKind.iteration_step]),
        ("thermal_drift", [VerdictKind.drift]),
        ("healthy steps=400 noise=0.1", []),
        ("imbalance_sequence", []),
        ("imbalance_stage", []),
        ("clock_skew", []),
        ("missing_ranks", []),
    ],
)
def test_whole_traces_come_out_right(spec, expected):
    assert kinds(verdicts(series_of(grid_of(spec)))) == expected


def test_a_compound_fault_is_told_at_each_onset():
    levels = ((62, 1.0), (18, 5.0), (15, 10.0), (25, 1.1), (120, 6.67))
    found = verdicts(series_from_times(series(*levels, noise=0.03, seed=0), ranks=1024))
    assert [verdict.first_step for verdict in found if verdict.kind is VerdictKind.iteration_step] == [62, 80, 120]
