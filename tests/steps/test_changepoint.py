"""Change points on iteration times: the Falcon replays that need nothing but a series."""

import numpy as np
import pytest

from kb.steps.changepoint import (
    HAZARD_SPAN,
    LONGEST,
    Recursion,
    Rules,
    changes,
    logs_of,
    runs,
    start_of,
)

SEEDS = range(4)


def series(*levels: tuple[int, float], noise: float, seed: int) -> np.ndarray:
    """So many samples of each level, with log-normal noise."""
    flat = np.concatenate([np.full(count, level) for count, level in levels])
    return flat * np.exp(noise * np.random.default_rng(seed).standard_normal(len(flat)))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_published_a10g_log_changes_once_at_sample_44(seed):
    # R-F1. Published: 1.126 s, then 1.33 s from index 44. Filled in: noise 0.5%.
    found = changes(series((44, 1.126), (44, 1.33), noise=0.005, seed=seed))
    assert [change.index for change in found] == [44]
    assert found[0].ratio == pytest.approx(1.33 / 1.126, abs=0.01)
    # Greyhound's own measure of the same log, |left − right| / max, is 0.159–0.162 on its four ranks.
    assert 1 - found[0].before / found[0].after == pytest.approx(0.16, abs=0.015)
    assert 44 <= found[0].declared <= 47
    assert found[0].confirmed == 53


@pytest.mark.parametrize("seed", SEEDS)
def test_congestion_in_two_steps_is_two_events(seed):
    # R-F3. Published: 0.57 → 0.41 → 0.31 iterations a second. Filled in: lengths, 5% noise.
    found = changes(series((100, 1 / 0.57), (100, 1 / 0.41), (60, 1 / 0.31), noise=0.05, seed=seed))
    assert [change.index for change in found] == [pytest.approx(100, abs=2), pytest.approx(200, abs=2)]
    assert [change.ratio for change in found] == [pytest.approx(1.39, abs=0.07), pytest.approx(1.32, abs=0.07)]


@pytest.mark.parametrize("seed", SEEDS)
def test_cpu_contention_shows_both_onsets_and_both_reliefs(seed):
    # R-F4. Published: throughput 21.6% lower, twice. Filled in: 30 samples each, 2% noise.
    levels = ((60, 1.0), (30, 1.276), (60, 1.0), (30, 1.276), (60, 1.0))
    found = changes(series(*levels, noise=0.02, seed=seed))
    assert [change.index for change in found] == [60, 90, 150, 180]
    assert [change.ratio > 1 for change in found] == [True, False, True, False]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_compound_fault_shows_each_of_its_four_edges(seed):
    # R-F5. Published: −80% at minute 62, 10% of normal from about 80, −85% from 120. Filled in: back to 1.1 at 95.
    levels = ((62, 1.0), (18, 5.0), (15, 10.0), (25, 1.1), (120, 6.67))
    found = changes(series(*levels, noise=0.03, seed=seed))
    assert [change.index for change in found] == [62, 80, 95, 120]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ladder_of_small_steps_is_missed_as_the_paper_says(seed):
    # R-F6. Published: the single false negative was a run of steps below 10%.
    assert changes(series(*((60, 1.04**n) for n in range(6)), noise=0.02, seed=seed), Rules.paper()) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_jitter_checkpoints_and_warm_up_are_no_change(seed):
    # R-F7: one long sample, a checkpoint every 25 steps at 1.6 times, a warm-up from 3 to 1 over 8 steps.
    seconds = series((300, 1.126), noise=0.005, seed=seed)
    seconds[::25] *= 1.6
    seconds[137] = 1.6
    seconds[:8] *= np.linspace(3, 1, 8)
    assert changes(seconds, Rules.paper()) == []


def test_a_burst_of_four_samples_is_no_change_because_ten_must_follow():
    seconds = series((100, 1.0), noise=0.01, seed=0)
    seconds[50:54] *= 1.4
    assert changes(seconds, Rules.paper()) == []


def test_a_day_night_swing_of_two_per_cent_is_no_change():
    # Llama 3 publishes 1–2%.
    swing = 1 + 0.02 * np.sin(np.linspace(0, 8 * np.pi, 2000))
    assert changes(swing * series((2000, 1.0), noise=0.01, seed=1)) == []


def test_a_real_change_is_found_after_a_swing_and_beyond_the_longest_run():
    seconds = series((2 * LONGEST, 1.0), (40, 1.3), noise=0.02, seed=2)
    seconds[: 2 * LONGEST] *= 1 + 0.02 * np.sin(np.linspace(0, 4 * np.pi, 2 * LONGEST))
    assert [change.index for change in changes(seconds)] == [2 * LONGEST]


def test_run_length_zero_has_the_hazard_as_its_probability_at_every_step():
    # Why the paper's "run length zero above 0.9" cannot be meant literally.
    logs = logs_of(series((40, 1.0), (40, 3.0), noise=0.01, seed=0)[:, None])
    recursion = Recursion(start_of(logs))
    for row in logs:
        recursion.feed(row)
        assert np.exp(recursion._mass[:, 0]) == pytest.approx(1 / HAZARD_SPAN)
        assert np.exp(recursion._mass).sum() == pytest.approx(1.0)


def test_memory_is_bounded_by_the_longest_run():
    said = runs(series((LONGEST + 50, 1.0), noise=0.01, seed=0)[:, None])
    assert said.likeliest.max() == LONGEST - 1


def test_several_series_at_once_say_what_each_says_alone():
    left = series((60, 1.0), (60, 1.5), noise=0.02, seed=3)
    right = series((120, 2.0), noise=0.02, seed=4)
    both = runs(np.stack([left, right], axis=1))
    for column, seconds in enumerate((left, right)):
        alone = runs(seconds[:, None])
        assert both.recent[:, column] == pytest.approx(alone.recent[:, 0])
        assert (both.likeliest[:, column] == alone.likeliest[:, 0]).all()


def test_values_that_are_no_positive_number_say_nothing():
    seconds = series((60, 1.0), (60, 1.5), noise=0.02, seed=3)
    seconds[[5, 30, 70]] = [np.nan, -4.0, 0.0]
    assert [change.index for change in changes(seconds)] == [60]
    assert changes(np.full(50, np.nan)) == []
    assert changes(np.zeros(0)) == []


def test_the_unit_does_not_matter():
    seconds = series((60, 1.0), (60, 1.5), noise=0.02, seed=3)
    assert [change.index for change in changes(seconds * 1e6)] == [change.index for change in changes(seconds)]
