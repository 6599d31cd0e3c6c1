"""One budget for several servers, in Redis; the only importer of `redis` (extra `redis`)."""

import logging
import math
import time
from collections.abc import Callable

from redis.asyncio import Redis
from redis.exceptions import RedisError

from kb.api.budgets import Budget, LocalBudget, Spent
from kb.errors import InvalidValue

logger = logging.getLogger(__name__)
#: Longer than any answer of a healthy Redis nearby; a request waits for a sick one no longer than this, once.
PATIENCE = 0.25
#: Seconds for which a Redis that failed is left alone.
PAUSE = 5.0
#: Count and begin the window in one step, so that no two servers spend the same points.
SCRIPT = """
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local left = redis.call('PTTL', KEYS[1])
if left < 0 then left = tonumber(ARGV[3]) * 1000 end
if used + tonumber(ARGV[1]) > tonumber(ARGV[2]) then return {0, used, left} end
redis.call('SET', KEYS[1], used + tonumber(ARGV[1]), 'PX', left)
return {1, used + tonumber(ARGV[1]), left}
"""


def shared(url: str, window: int, clock: Callable[[], float] = time.monotonic) -> Budget:
    """Opens nothing before the first request.

    Raises:
        InvalidValue: not an address of Redis.
    """
    try:
        client = Redis.from_url(url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)
    except ValueError as error:
        raise InvalidValue(
            "KB_REDIS_URL is not an address of Redis.",
            field="KB_REDIS_URL",
            next_step="Write it like redis://host:6379/0.",
        ) from error
    return SharedBudget(client, window, clock)


class SharedBudget:
    """While Redis does not answer, each server counts for itself: a sick counter turns nobody away."""

    def __init__(self, client: Redis, window: int, clock: Callable[[], float]) -> None:
        self._client = client
        self._script = client.register_script(SCRIPT)
        self._window = window
        self._clock = clock
        self._own = LocalBudget(window)
        self._rests_until = float("-inf")

    async def spend(self, key: str, points: int, quota: int) -> Spent:
        if self._clock() < self._rests_until:
            return await self._own.spend(key, points, quota)
        try:
            allowed, used, left = await self._script(keys=[f"kb:budget:{key}"], args=[points, quota, self._window])
        except (RedisError, OSError) as error:
            self._rests_until = self._clock() + PAUSE
            logger.warning("the shared budget does not answer (%s); counting alone", type(error).__name__)
            return await self._own.spend(key, points, quota)
        return Spent(bool(allowed), max(0, quota - used), max(1, math.ceil(left / 1000)))

    async def close(self) -> None:
        await self._client.aclose()
