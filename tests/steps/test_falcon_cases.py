"""Published slowdowns of whole jobs, from the report's figures to the verdict."""

import pytest

from kb.steps.folding import GridBuilder
from kb.steps.iterations import series_of, verdicts
from kb.steps.scenarios import made
from kb.steps.scenarios.falcon_cases import CASES
from kb.steps.verdict import VerdictKind

STEP, DRIFT = VerdictKind.iteration_step, VerdictKind.drift


def judged(spec, seed=0):
    builder = GridBuilder()
    builder.add(made(spec, seed).phases)
    return verdicts(series_of(builder.grid()))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("case", "kind", "onsets", "ratio"),
    [
        ("falcon_a10g", STEP, [44], 1.18),
        ("falcon_congestion", STEP, [90, 265], 1.39),
        ("falcon_contention", STEP, [44, 110], 1.276),
        ("falcon_compound", STEP, [62, 80, 120], 5.0),
        ("aegis_lossy_link", STEP, [120], 1.26),
        ("venus_intermittent", STEP, [300], 1.34),
        ("bloom_slow_node", DRIFT, [201], 1.055),
        ("holmes_slow_gpu", DRIFT, [200], 1.061),
    ],
)
def test_each_onset_is_found_and_nothing_before_it(case, kind, onsets, ratio, seed):
    found = [verdict for verdict in judged(case, seed) if verdict.kind is kind]
    assert [verdict.first_step for verdict in found] == [pytest.approx(onset, abs=2) for onset in onsets]
    assert found[0].ratio == pytest.approx(ratio, rel=0.06)
    assert all(verdict.ranks == () for verdict in found)


@pytest.mark.parametrize("case", ["falcon_throttled_start", "llama_day_swing", "eroica_slow_throughout"])
def test_what_is_no_slowdown_alarms_nobody(case):
    assert judged(case) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_decay_over_the_whole_run_is_found_before_half_of_it_is_over(seed):
    (drift,) = judged("megascale_decay", seed)
    assert drift.kind is DRIFT
    assert drift.evidence["known_at"] < 400
    assert drift.ratio > 1.08


@pytest.mark.parametrize("case", sorted(CASES))
def test_without_its_effect_no_case_is_found(case):
    assert judged(f"{case} factor=0", 3) == []


@pytest.mark.parametrize("case", ["bloom_slow_node", "holmes_slow_gpu"])
def test_half_of_a_small_effect_is_below_what_is_reported(case):
    assert judged(f"{case} factor=0.5") == []
