"""Slow drift and ladders: what change points cannot see."""

import numpy as np
import pytest

from kb.steps.changepoint import changes
from kb.steps.drift import drifts, sigma_of
from tests.steps.test_changepoint import series


@pytest.mark.parametrize("seed", range(4))
def test_the_ladder_is_found_at_its_third_step_with_a_gate_of_ten_per_cent(seed):
    # R-F6: five steps of 4%, 60 samples each; the third brings 12.5%.
    seconds = series(*((60, 1.04**n) for n in range(6)), noise=0.02, seed=seed)
    first = drifts(seconds, gate=0.10)[0]
    assert 178 <= first.onset < 240
    assert first.declared < 240
    assert drifts(seconds)[0].onset >= 100, "the default gate of 5% sees it one step earlier, not before"


@pytest.mark.parametrize("seed", range(4))
def test_thirty_per_cent_spread_over_the_run_is_found_where_change_points_see_nothing(seed):
    seconds = np.linspace(1, 1.3, 300) * series((300, 1.0), noise=0.03, seed=seed)
    assert changes(seconds) == []
    assert drifts(seconds)


@pytest.mark.parametrize("noise", [0.005, 0.01, 0.02])
def test_a_culprit_of_six_per_cent_is_found(noise):
    # Holmes, published: 85.43 → 90.62 samples a second once GPU 2574 was gone, so +6.1%, below Greyhound's gate.
    seconds = series((200, 1 / 90.62), (300, 1 / 85.43), noise=noise, seed=1)
    assert changes(seconds) == []
    (found,) = drifts(seconds)
    assert found.onset == pytest.approx(200, abs=5)
    assert found.ratio == pytest.approx(90.62 / 85.43, abs=0.01)


def test_throttling_that_comes_and_goes_is_found():
    # VenusTrace, published: 404 → 330 TFLOPS because one GPU slowed down every few minutes. Filled in: half of the
    # time.
    rng = np.random.default_rng(0)
    slow = (np.arange(300) // 25) % 2 == 1
    seconds = np.where(np.arange(600) < 300, 1.0, np.where(np.tile(slow, 2), 404 / 330, 1.0))
    assert drifts(seconds * np.exp(0.01 * rng.standard_normal(600)))[0].onset >= 300


def test_spikes_bursts_and_a_swing_of_two_per_cent_are_no_drift():
    seconds = series((2000, 1.0), noise=0.01, seed=0) * (1 + 0.02 * np.sin(np.linspace(0, 8 * np.pi, 2000)))
    seconds[::25] *= 1.6
    seconds[500:512] *= 2
    assert drifts(seconds) == []


def test_a_job_that_has_become_faster_gets_a_new_baseline():
    seconds = series((200, 1.0), (200, 0.7), (200, 0.8), noise=0.01, seed=0)
    (found,) = drifts(seconds)
    assert found.onset == pytest.approx(400, abs=5)
    assert found.ratio == pytest.approx(0.8 / 0.7, abs=0.02)


def test_a_reset_begins_a_new_baseline():
    seconds = series((200, 1.0), (200, 1.5), noise=0.01, seed=0)
    assert drifts(seconds)
    assert drifts(seconds, resets=(200,)) == []


def test_short_and_empty_series_say_nothing():
    assert drifts(np.zeros(0)) == []
    assert drifts(np.full(30, 1.0)) == []
    assert drifts(np.full(300, np.nan)) == []


def test_the_scale_does_not_take_a_trend_for_noise():
    steep = np.linspace(0, 1, 500) + 0.01 * np.random.default_rng(0).standard_normal(500)
    assert sigma_of(steep) == pytest.approx(0.01, rel=0.2)
