"""Spare servers, against published pools and plain simulation."""

import numpy as np
import pytest

from kb.steps.spares import enough, out_of_service, pool_size, pool_until


def test_eight_per_128_stand_a_fortieth_of_the_servers_away():
    # Published (C4): 8 per 128. At 99% that is good as long as 2.6% of the servers are away at once.
    assert enough(8, 128, 0.026) >= 0.99 > enough(8, 128, 0.027)
    assert enough(7, 128, 0.026) < 0.99


def test_four_per_1024_fit_a_server_that_fails_every_thousand_days():
    # Published (ByteRobust): 4 per 1,024 at the 99% quantile. Filled in: a day until a server is back.
    assert pool_size(1024, 0.001, 1.0) == 4


def test_three_per_cent_a_week_and_five_days_of_repair_need_seven_for_128():
    # About 3% of machines a week failed in the first weeks of a cluster of 511 (Imbue, recalled).
    assert pool_size(128, 0.03 / 7, 5) == 7


@pytest.mark.parametrize(("servers", "rate", "repair"), [(64, 0.01, 3), (511, 0.004, 5), (2048, 0.0065, 2)])
def test_the_pool_is_the_smallest_that_reaches_the_chance(servers, rate, repair):
    share = out_of_service(rate, repair)
    pool = pool_size(servers, rate, repair)
    assert enough(pool, servers, share) >= 0.99 > enough(pool - 1, servers, share)
    away = np.random.default_rng(0).binomial(servers + pool, share, 200_000)
    assert np.mean(away <= pool) == pytest.approx(enough(pool, servers, share), abs=0.002)


def test_a_pool_that_must_last_until_a_delivery_is_a_poisson_quantile():
    pool = pool_until(128, 0.01, 7)
    failures = np.random.default_rng(0).poisson(128 * 0.01 * 7, 200_000)
    assert np.mean(failures <= pool) >= 0.99 > np.mean(failures <= pool - 1)


def test_servers_that_never_fail_need_no_spare():
    assert pool_size(128, 0.0, 5) == 0
    assert pool_until(128, 0.0, 5) == 0


def test_a_hundred_thousand_servers_are_counted_too():
    share = out_of_service(0.0065, 2)
    assert pool_size(100_000, 0.0065, 2) == pytest.approx(100_000 * share, rel=0.1)
