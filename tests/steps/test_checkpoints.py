"""Checkpoint intervals, against the figures that reports and formulas give."""

from math import inf

import pytest

from kb.steps.checkpoints import budget, daly, judge, rate_of, waste, young

HOUR, DAY = 3600.0, 86_400.0


def test_intervals_of_published_failure_rates():
    # Meta: 6.50 failures per 1,000 node-days, 16,384 GPUs are 2,048 nodes; Llama 3: 419 in 54 days. Saving: 60 s.
    meta = 1000 * DAY / (2048 * 6.50)
    assert meta == pytest.approx(1.8 * HOUR, rel=0.01)
    assert young(60, meta) == pytest.approx(882, abs=1)
    assert young(60, rate_of(419, 54 * DAY).between) == pytest.approx(1156, abs=1)


def test_ten_minutes_are_best_for_fifty_minutes_between_failures():
    # C4's interval: best at 50 min where saving takes 60 s, at 8.3 h where it takes 6 s.
    assert young(60, 50 * 60) == pytest.approx(600)
    assert young(6, 8.33 * HOUR) == pytest.approx(600, rel=0.001)


def test_daly_is_below_young_and_never_above_the_time_between_failures():
    assert daly(60, 6490) < young(60, 6490)
    assert daly(60, 6490) == pytest.approx(842.9, abs=0.5)
    assert daly(100, 40) == 40


@pytest.mark.parametrize("save", [6, 60, 300])
def test_no_interval_wastes_less_than_youngs(save):
    between = 6490.0
    best = waste(young(save, between), save, between, 0)
    assert all(waste(interval, save, between, 0) >= best for interval in range(30, 20_000, 30))
    assert waste(2 * young(save, between), save, between, 0) == pytest.approx(1.25 * best)


def test_four_hours_between_checkpoints_cost_half_a_day_at_the_rate_of_llama_3():
    said = judge(4 * HOUR, 60, 600, rate_of(419, 54 * DAY))
    assert said.verdict == "too-long"
    assert said.lost_hours_a_day == pytest.approx(13.1, abs=0.1)


def test_the_band_round_the_best_interval_is_fine():
    rate = rate_of(30, 30 * DAY)
    best = daly(60, DAY)
    assert judge(best, 60, 600, rate).lost_hours_a_day == pytest.approx(0, abs=0.01)
    assert [judge(best * by, 60, 600, rate).verdict for by in (0.3, 0.4, 1.9, 2.1)] == [
        "too-short", "fine", "fine", "too-long",
    ]  # fmt: skip


def test_too_few_failures_judge_nothing():
    assert judge(4 * HOUR, 60, 600, rate_of(1, DAY)).verdict == "too-few-failures"
    none = judge(4 * HOUR, 60, 600, rate_of(0, DAY))
    assert (none.verdict, none.young, none.lost_hours_a_day) == ("too-few-failures", inf, 0.0)


@pytest.mark.parametrize(("failures", "low", "high"), [(1, 0.0253, 5.572), (3, 0.6187, 8.767), (10, 4.795, 18.39)])
def test_the_range_of_a_rate_is_the_exact_poisson_range(failures, low, high):
    # 95% limits of a Poisson mean as tables give them.
    said = rate_of(failures, 1.0)
    assert said.shortest == pytest.approx(1 / high, rel=0.001)
    assert said.longest == pytest.approx(1 / low, rel=0.005)
    assert rate_of(0, 1.0).shortest == pytest.approx(1 / 3.689, rel=0.001)


def test_the_published_downtime_falls_by_a_factor_of_thirty():
    # R-C5. Published totals: 31.19% → 1.16%. Filled in: the times that make the parts; half a day apart, then three.
    before = budget(6520, 1480, 8500, 260, between=0.5 * DAY)
    after = budget(600, 40, 630, 130, between=1 * DAY)
    assert before.total == pytest.approx(0.3119, abs=0.002)
    assert after.total == pytest.approx(0.0116, abs=0.002)
    assert before.diagnosis > before.since_checkpoint
