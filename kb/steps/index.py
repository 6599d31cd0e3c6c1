"""Positions of numbers (ranks, steps) as they turn up in a stream, by a table instead of a sort."""

import numpy as np

from kb.steps.records import Ints

#: Above this span a table of positions would cost more than sorting each chunk.
TABLE_SPAN = 1 << 22


class Positions:
    """number → position, in order of first appearance. Numbers that are close together cost one look-up each."""

    def __init__(self) -> None:
        self._base = 0
        self._table = np.full(0, -1, np.int64)
        self._rare: dict[int, int] = {}
        self._count = 0
        self._numbers = np.empty(16, np.int64)

    def __len__(self) -> int:
        return self._count

    @property
    def numbers(self) -> Ints:
        """The numbers, in the order of their positions."""
        return self._numbers[: self._count]

    def of(self, numbers: Ints) -> Ints:
        """Position of each number; new numbers are given the next ones."""
        if not len(numbers):
            return numbers.astype(np.int64)
        low, high = int(numbers.min()), int(numbers.max())
        if not self._fits(low, high):
            return self._by_sort(numbers)
        self._reach(low, high)
        places = numbers - self._base
        found = self._table[places]
        if found.min() < 0:
            fresh = np.flatnonzero(np.bincount(places[found < 0] - (low - self._base), minlength=1)) + low
            self._table[fresh - self._base] = self._append(fresh)
            found = self._table[places]
        return found

    def _fits(self, low: int, high: int) -> bool:
        if self._rare:
            return False
        if len(self._table):
            low, high = min(low, self._base), max(high, self._base + len(self._table) - 1)
        return high - low < TABLE_SPAN

    def _reach(self, low: int, high: int) -> None:
        if not len(self._table):
            self._base = low
        grown_low = min(low, self._base)
        grown_high = max(high + 1, self._base + len(self._table))
        if grown_high - grown_low == len(self._table):
            return
        if grown_high > self._base + len(self._table):
            grown_high = max(grown_high, min(grown_low + 2 * len(self._table), grown_low + TABLE_SPAN))
        table = np.full(grown_high - grown_low, -1, np.int64)
        start = self._base - grown_low
        table[start : start + len(self._table)] = self._table
        self._base, self._table = grown_low, table

    def _by_sort(self, numbers: Ints) -> Ints:
        if not self._rare:
            self._rare = {int(number): place for place, number in enumerate(self.numbers)}
            self._table = np.full(0, -1, np.int64)
        distinct, inverse = np.unique(numbers, return_inverse=True)
        fresh = [int(number) for number in distinct if int(number) not in self._rare]
        self._rare.update(zip(fresh, self._append(np.array(fresh, np.int64)).tolist(), strict=True))
        places = np.array([self._rare[int(number)] for number in distinct], np.int64)
        return places[inverse]

    def _append(self, fresh: Ints) -> Ints:
        first, self._count = self._count, self._count + len(fresh)
        if self._count > len(self._numbers):
            grown = np.empty(max(self._count, 2 * len(self._numbers)), np.int64)
            grown[:first] = self._numbers[:first]
            self._numbers = grown
        self._numbers[first : self._count] = fresh
        return np.arange(first, self._count)
