"""In which order the rows of the graph's columns stand, so that the lines between them cross little.

Barycentre sweeps over small matrices: each row moves to the mean place of the rows that it is joined to.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from kb.web.graph_lines import foot

SWEEPS = 12

Flow = Mapping[tuple[str, str], int]
"""Rows of two neighbouring columns → the number of cases that run through both."""
Places = npt.NDArray[np.intp]


def ordered(columns: Sequence[Sequence[str]], flows: Sequence[Flow]) -> list[list[str]]:
    """The same rows, sorted forth and back by the mean place of their neighbours; the order that crosses least."""
    sheets = [_Column(rows) for rows in columns]
    joined = _matrices(columns, flows)
    orders = [np.arange(len(rows)) for rows in columns]
    best, least = list(orders), _crossings(joined, orders)
    before: list[Places] = []
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 0
        for c in range(1, len(columns)) if forth else range(len(columns) - 2, -1, -1):
            near = c - 1 if forth else c + 1
            flow = joined[c - 1].T if forth else joined[c]
            size, beside = len(columns[c]), len(columns[near])
            orders[c] = sheets[c].pulled(orders[c], flow[:size, :beside], orders[near])
        crossings = _crossings(joined, orders)
        if crossings < least:
            best, least = list(orders), crossings
        if not forth:
            if before and all(map(np.array_equal, orders, before)):
                break  # a whole sweep forth and back moved nothing
            before = list(orders)
    return [[rows[place] for place in order.tolist()] for rows, order in zip(columns, best, strict=True)]


class _Column:
    """What the order of one column's rows depends on besides their neighbours."""

    def __init__(self, rows: Sequence[str]) -> None:
        self._feet = np.array([foot(row) for row in rows])
        self._by_name = np.argsort(np.argsort(np.array(rows)))

    def pulled(self, order: Places, flow: npt.NDArray[np.int64], near: Places) -> Places:
        """By where the neighbours stand, weighted by flow, which runs from these rows to those of `near`."""
        weight, total = flow.sum(axis=1), flow @ _places(near)
        mean = np.where(weight > 0, total / np.maximum(weight, 1), _places(order))
        return np.lexsort((self._by_name, mean, self._feet))


def _places(order: Places) -> Places:
    """Where each row stands."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places


def _matrices(columns: Sequence[Sequence[str]], flows: Sequence[Flow]) -> npt.NDArray[np.int64]:
    """The flows one above the other, filled up to one size with rows that nothing runs through."""
    size = max(map(len, columns))
    joined = np.zeros((len(flows), size, size), dtype=np.int64)
    numbers = [{row: i for i, row in enumerate(rows)} for rows in columns]
    for matrix, flow, (left, right) in zip(joined, flows, pairwise(numbers), strict=True):
        for (a, b), n in flow.items():
            matrix[left[a], right[b]] = n
    return joined


def _crossings(joined: npt.NDArray[np.int64], orders: Sequence[Places]) -> int:
    """Weighted crossings between all columns: each flow with those that begin above it and end below it."""
    size = joined.shape[1]
    filled = np.array([[*order, *range(len(order), size)] for order in orders])
    drawn = joined[np.arange(len(joined))[:, None, None], filled[:-1, :, None], filled[1:, None, :]]
    above = drawn.cumsum(axis=1) - drawn
    below = above[:, :, ::-1].cumsum(axis=2)[:, :, ::-1] - above
    return int((drawn * below).sum())
