"""Taking times: of one call after another, and of several callers at once."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Call = Callable[[], object]


@dataclass(frozen=True)
class Times:
    """Milliseconds of each call, and the seconds that all of them took together."""

    each: tuple[float, ...]
    whole: float

    def percentile(self, share: float) -> float:
        ordered = sorted(self.each)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    @property
    def p50(self) -> float:
        return self.percentile(0.5)

    @property
    def p99(self) -> float:
        return self.percentile(0.99)

    @property
    def rate(self) -> float:
        """Calls a second."""
        return len(self.each) / self.whole


def one_by_one(calls: Sequence[Call]) -> Times:
    each = []
    started = time.perf_counter()
    for call in calls:
        before = time.perf_counter()
        call()
        each.append((time.perf_counter() - before) * 1000)
    return Times(tuple(each), time.perf_counter() - started)


def at_once(callers: Sequence[Sequence[Call]]) -> Times:
    """Each caller in a thread of its own; the first error of any is raised."""
    done: list[Times] = []
    wrong: list[BaseException] = []

    def work(calls: Sequence[Call]) -> None:
        try:
            done.append(one_by_one(calls))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(calls,)) for calls in callers]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = time.perf_counter() - started
    if wrong:
        raise wrong[0]
    return Times(tuple(ms for times in done for ms in times.each), whole)


def seconds(call: Call) -> float:
    before = time.perf_counter()
    call()
    return time.perf_counter() - before
