"""How many spare servers a pool needs, for any failure rate and repair time.

Published: Alibaba kept 8 backup servers per 128 (C4, arXiv 2406.04594, by its summaries); ByteRobust (SOSP 2025)
sizes its standby machines at the 99% quantile of a binomial, which gave it 4 per 1,024. Ours: that quantile for any
rate, repair time and certainty, the pool itself being able to fail.
"""

import numpy as np

from kb.steps.records import Floats


def out_of_service(failures_a_day: float, repair_days: float) -> float:
    """Share of the time that one server is away: λr/(1 + λr), with λ failures a day and r days until it is back."""
    load = failures_a_day * repair_days
    return load / (1 + load)


def pool_size(servers: int, failures_a_day: float, repair_days: float, chance: float = 0.99) -> int:
    """Smallest pool with which, at this chance, all `servers` places are filled at a given moment.

    failures_a_day: of one server. The number of servers away is binomial over `servers` and the pool together.
    """
    share = out_of_service(failures_a_day, repair_days)
    low, high = 0, 1
    while enough(high, servers, share) < chance:
        low, high = high, 2 * high
    if enough(0, servers, share) >= chance:
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle, servers, share) >= chance else (middle, high)
    return high


def pool_until(servers: int, failures_a_day: float, days: float, chance: float = 0.99) -> int:
    """Smallest pool that, at this chance, lasts `days` in which nothing comes back: a Poisson quantile."""
    mean = servers * failures_a_day * days
    # No quantile that matters lies beyond twenty deviations.
    most = int(mean + 20 * np.sqrt(mean) + 20)
    steps = np.log(np.maximum(mean, 1e-300)) - np.log(np.arange(1, most + 1))
    chances = _cumulated(-mean, steps)
    return int(np.searchsorted(chances, chance))


def enough(pool: int, servers: int, share: float) -> float:
    """Chance that at most `pool` of `servers + pool` servers are away at once."""
    if share <= 0:
        return 1.0
    number = servers + pool
    k = np.arange(pool)
    steps = np.log((number - k) / (k + 1)) + np.log(share / (1 - share))
    return float(_cumulated(number * np.log1p(-share), steps)[-1])


def _cumulated(first: float, steps: Floats) -> Floats:
    """Cumulated chances from the logarithm of the first and the logarithms of the ratios of each to the one before."""
    logs = np.concatenate([[first], first + np.cumsum(steps)])
    return np.cumsum(np.exp(logs))
