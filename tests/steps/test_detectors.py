"""Detectors over generated traces, at the size that a test can afford; `make bench` does many more."""

import numpy as np
import pytest

from kb.steps.scenarios import made
from tests.bench import detectors
from tests.bench.detectors import KINDS, Judged, Said, judged, measure, ours, specification, taken, time_to_detect


@pytest.fixture(scope="module")
def scores():
    return {kind: measure(kind, 6, 1) for kind in KINDS}


def test_nobody_innocent_is_accused_and_no_healthy_trace_alarms(scores):
    assert {kind: score["ours"].wrong for kind, score in scores.items()} == dict.fromkeys(KINDS, 0)


def test_nearly_every_fault_is_found_and_its_place_named(scores):
    faulty = [kind for kind in KINDS if made(specification(kind, 0), 0).truth.faulty]
    found = sum(scores[kind]["ours"].found for kind in faulty) / sum(scores[kind]["ours"].traces for kind in faulty)
    assert found >= 0.97
    for kind in ("slow_rank", "bubble", "slow_loader", "degraded_link", "hang_non_comm"):
        assert scores[kind]["ours"].named >= 5, kind


def test_the_rules_of_today_do_worse_on_the_same_traces(scores):
    for name in ("1.2 x first", "mean + 3s", "CV >= 0.15"):
        assert sum(score[name].wrong for score in scores.values()) >= 6, name
        assert sum(score[name].named for score in scores.values()) < 0.5 * sum(s["ours"].named for s in scores.values())


def test_a_verdict_stands_a_few_steps_after_the_onset():
    given = taken(made("slow_rank dp=8 noise=0.02", 0))
    assert time_to_detect(given, ours) <= 6
    assert np.isnan(time_to_detect(taken(made("healthy dp=8 steps=60", 0)), ours))


def test_what_counts_as_wrong():
    given = taken(made("slow_rank dp=8 bad_dp=3", 0))
    kind = given.trace.truth.kinds[0]
    assert judged(given, [Said(kind, 60, (3,))]) == Judged(True, True, True, False)
    assert judged(given, [Said(kind, 60, (4,))]) == Judged(True, False, False, True)
    assert judged(given, [Said(kind, 40)]).wrong
    healthy = taken(made("healthy dp=8", 0))
    assert judged(healthy, [Said(kind, 60)]).wrong
    assert not judged(healthy, [Said(detectors.HARMLESS[0], 60)]).wrong


def test_the_table_is_printed(capsys):
    detectors.run(1, 1)
    printed = capsys.readouterr().out
    assert "recall" in printed
    assert "precision" in printed
    assert all(kind in printed for kind in KINDS)
