"""How much of its budget each client has used: counted in this process, in windows that begin with a first request."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, Protocol

from kb.errors import MissingExtra

#: Clients remembered at once; the oldest windows are forgotten first.
MOST_CLIENTS = 100_000


class Spent(NamedTuple):
    """What came of a request: whether it is within the budget, points left, seconds until all are back."""

    allowed: bool
    left: int
    reset: int


class Budget(Protocol):
    """Counts the points of one client under one policy."""

    async def spend(self, key: str, points: int, quota: int) -> Spent: ...

    async def close(self) -> None: ...


class LocalBudget:
    """In the memory of this process; several workers count apart, so each client has one budget a worker.

    A refused request costs nothing, so a client that waits as told is answered.
    """

    def __init__(self, window: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._window = window
        self._clock = clock
        self._used: OrderedDict[str, tuple[float, int]] = OrderedDict()

    async def spend(self, key: str, points: int, quota: int) -> Spent:
        now = self._clock()
        ends, used = self._used.get(key, (0.0, 0))
        if ends <= now:
            self._used.pop(key, None)
            ends, used = now + self._window, 0
        allowed = used + points <= quota
        if allowed:
            used += points
            self._used[key] = (ends, used)
            self._forget(now)
        return Spent(allowed, max(0, quota - used), max(1, math.ceil(ends - now)))

    def _forget(self, now: float) -> None:
        """Windows are kept in the order in which they began, so the expired ones come first."""
        while self._used:
            oldest = next(iter(self._used))
            if self._used[oldest][0] > now and len(self._used) <= MOST_CLIENTS:
                return
            self._used.popitem(last=False)

    async def close(self) -> None:
        """Nothing is open."""


def budget_of(redis_url: str, window: int) -> Budget:
    """Shared where an address of Redis is given. Opens nothing before the first request.

    Raises:
        MissingExtra: Redis' client is not installed.
        InvalidValue: not an address of Redis.
    """
    if not redis_url:
        return LocalBudget(window)
    try:
        from kb.api.shared_budget import shared
    except ImportError as error:
        raise MissingExtra(
            "A budget shared through Redis needs its client.",
            field="KB_REDIS_URL",
            next_step="Install it: pip install 'incident-library[redis]'.",
        ) from error
    return shared(redis_url, window)
