import numpy as np
import pytest

from kb.steps.robust import (
    coefficient_of_variation,
    lower_quartile_ratio,
    median,
    modified_z,
    persistent,
    ratio,
    runs,
    sample_z,
)


@pytest.mark.parametrize(("size", "limit"), [(3, 1.15), (4, 1.50), (5, 1.79), (8, 2.47), (11, 3.02), (32, 5.48)])
@pytest.mark.parametrize("factor", [2.0, 50.0])
def test_the_sample_z_of_one_slow_rank_depends_on_the_size_of_the_group_alone(
    size: int, limit: float, factor: float
) -> None:
    values = np.ones(size)
    values[0] = factor
    assert sample_z(values)[0] == pytest.approx(limit, abs=0.006)


@pytest.mark.parametrize(("size", "factor", "cv"), [(8, 17.4, 1.78), (32, 6.7, 0.84), (64, 6.2, 0.59)])
def test_the_coefficient_of_variation_of_one_slow_rank(size: int, factor: float, cv: float) -> None:
    values = np.ones(size)
    values[0] = factor
    assert coefficient_of_variation(values) == pytest.approx(cv, abs=0.01)


def test_a_slow_half_hides_from_the_median_and_not_from_the_lower_quartile() -> None:
    values = np.array([3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0])
    assert modified_z(values).max() < 1
    assert ratio(values).max() == pytest.approx(1.5)
    assert lower_quartile_ratio(values).max() == pytest.approx(3.0)


def test_of_two_nobody_stands_out_by_the_modified_z() -> None:
    assert modified_z(np.array([1.0, 9.0])).max() == pytest.approx(0.6745)


def test_medians_leave_missing_values_out_along_any_axis() -> None:
    values = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan], [2.0, 4.0, 6.0]])
    assert median(values)[:, 0].tolist()[::2] == [2.0, 4.0]
    assert np.isnan(median(values)[1, 0])
    assert median(values, axis=0)[0].tolist() == [1.5, 4.0, 4.5]


def test_a_group_without_spread_is_given_one_hundredth_of_its_median() -> None:
    assert modified_z(np.array([1.0, 1.0, 1.0, 1.05])).tolist() == pytest.approx([0, 0, 0, 0.6745 * 5])


def test_a_missing_step_neither_ends_a_run_nor_lengthens_it() -> None:
    hits = np.array([[True], [False], [True], [True], [False], [True]])
    missing = np.array([[False], [True], [False], [False], [False], [False]])
    assert runs(hits, missing)[:, 0].tolist() == [1, 1, 2, 3, 0, 1]
    assert persistent(hits, 3, missing)[:, 0].tolist() == [True, False, True, True, False, False]
    assert not persistent(hits, 3).any()
