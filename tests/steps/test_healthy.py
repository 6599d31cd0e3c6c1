"""Healthy traces of 10,000 steps alarm nobody, at five levels of noise."""

import numpy as np
import pytest

from kb.steps.changepoint import changes
from kb.steps.drift import drifts

#: 29% is the variation that Greyhound measured on RDMA links, 9% on PCIe switches.
NOISE = (0.01, 0.05, 0.10, 0.20, 0.29)
STEPS = 10_000


def healthy(seed: int, shape: str = "normal") -> np.ndarray:
    rng = np.random.default_rng(seed)
    draws = rng.standard_normal((STEPS, len(NOISE))) if shape == "normal" else rng.standard_t(5, (STEPS, len(NOISE)))
    scale = 1.0 if shape == "normal" else np.sqrt(3 / 5)
    return np.exp(np.array(NOISE) * scale * draws)


def disturbed(seed: int) -> np.ndarray:
    """A checkpoint every 500 steps, and a stray sample now and then."""
    seconds = healthy(seed)
    seconds[::500] *= 8
    seconds[np.random.default_rng(seed).integers(0, STEPS, 40)] *= 3
    return seconds


def test_no_change_point_in_ten_thousand_healthy_steps():
    both = np.concatenate([healthy(11), healthy(12, "heavy-tailed"), disturbed(13)], axis=1)
    assert [changes(column) for column in both.T] == [[]] * both.shape[1]


@pytest.mark.parametrize("made", [healthy, lambda seed: healthy(seed, "heavy-tailed"), disturbed])
def test_no_drift_in_ten_thousand_healthy_steps(made):
    alarms = [drifts(column) for seed in range(20) for column in made(seed).T]
    assert not any(alarms)
