"""C4D's delay matrix: who is slow when transfers are slow – a connection, a sender, a receiver, or a node.

Published (C4, arXiv 2406.04594, by its summaries): element (i, j) is the latency of transfers from i to j; one hot cell
is a bad connection, a hot row a bad sending side, a hot column a bad receiving side. No threshold was published; the
numbers here are ours, chosen on synthetic matrices (`tests/steps/test_delay_matrix.py` repeats that).

Cells are kept as a list of observed edges, so that a ring over 100,000 ranks costs 100,000 cells and not 10¹⁰.
"""

from dataclasses import dataclass

import numpy as np

from kb.steps.changepoint import MAD_TO_SIGMA
from kb.steps.records import Bools, Floats, Ints

#: Ours: a hot cell exceeds the median of comparable cells by this ratio and by this many robust deviations.
HOT_RATIO, HOT_DEVIATIONS = 1.5, 5.0
#: Ours: the deviation is at least this share of the median, so that a quiet fabric is not judged on its rounding.
LEAST_DEVIATION = 0.01
#: Ours: share of hot cells that makes a row or column hot, and how many it must have for that to mean anything.
LINE_SHARE, LINE_CELLS = 0.6, 3
#: Ours: consecutive windows that must agree.
AGREEING = 3
#: Ours: the median of a window against that of the first windows that makes the whole fabric slow.
FABRIC_RATIO = 1.5


@dataclass(frozen=True)
class Cells:
    """Delay of each observed edge in each window.

    src, dst: ranks, shape (edges,). delay: seconds net of waiting, shape (windows, edges), NaN where not observed.
    comparable: class of each edge, shape (edges,): cells are compared within a class only (same size of message, same
    kind of link), so that a hop over the network is not hot because another goes through the same board.
    windows: the number of each window in the records, shape (windows,).
    """

    src: Ints
    dst: Ints
    delay: Floats
    comparable: Ints
    windows: Ints

    def relative(self) -> Floats:
        """Delay over the median of the comparable cells of the same window; NaN where not observed."""
        out = np.full(self.delay.shape, np.nan)
        for one in np.unique(self.comparable):
            members = self.comparable == one
            seen = self.delay[:, members]
            rows = np.isfinite(seen).any(axis=1)
            out[np.ix_(rows, members)] = seen[rows] / np.nanmedian(seen[rows], axis=1, keepdims=True)
        return out


@dataclass(frozen=True)
class Hot:
    """What one window, or several that agree, says is slow. All ranks, in rising order."""

    nodes: tuple[int, ...] = ()
    senders: tuple[int, ...] = ()
    receivers: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    unsure: tuple[tuple[int, int], ...] = ()
    """Hot edges whose ends have too few other edges: the edge, its sender or its receiver."""

    def __bool__(self) -> bool:
        return bool(self.nodes or self.senders or self.receivers or self.edges or self.unsure)


@dataclass(frozen=True)
class Slow:
    """One place that was slow for at least `AGREEING` windows.

    what: `node`, `tx`, `rx`, `edge`, `edge_or_endpoint`. first, last: windows; declared: the window at which enough
    agreed. ratio: median delay of its cells over that of the comparable ones.
    """

    what: str
    ranks: tuple[int, ...]
    first: int
    declared: int
    last: int
    ratio: float


def cells_of(window: Ints, src: Ints, dst: Ints, net: Floats, comparable: Ints) -> Cells:
    """Transfers as cells: the median of each edge in each window, windows counted from the first.

    window, src, dst, net, comparable: one element a transfer. A transfer to oneself, and one whose time is no positive
    number, is left out. A class with repeated edges of both is kept apart by edge and class.
    """
    good = (src != dst) & np.isfinite(net) & (net > 0)
    window, src, dst, net, comparable = (column[good] for column in (window, src, dst, net, comparable))
    edges, edge = np.unique(np.stack([src, dst, comparable], axis=1).reshape(-1, 3), axis=0, return_inverse=True)
    windows, at = np.unique(window, return_inverse=True)
    delay = np.full((len(windows), len(edges)), np.nan)
    order = np.lexsort((net, edge, at))
    place = at[order] * len(edges) + edge[order]
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    counts = np.diff(np.append(starts, len(place)))
    sorted_net = net[order]
    middle = (sorted_net[starts + (counts - 1) // 2] + sorted_net[starts + counts // 2]) / 2
    delay.flat[place[starts]] = middle
    return Cells(edges[:, 0], edges[:, 1], delay, edges[:, 2], windows)


def hot_cells(relative: Floats, comparable: Ints) -> Bools:
    """Which cells of each window are hot; `relative` as `Cells.relative` gives it."""
    hot = np.zeros(relative.shape, dtype=bool)
    for one in np.unique(comparable):
        members = comparable == one
        seen = relative[:, members]
        known = np.isfinite(seen)
        rows = known.any(axis=1)
        off = np.abs(seen[rows] - 1.0)
        deviation = np.maximum(MAD_TO_SIGMA * np.nanmedian(off, axis=1, keepdims=True), LEAST_DEVIATION)
        limit = np.maximum(HOT_RATIO, 1.0 + HOT_DEVIATIONS * deviation)
        hot[np.ix_(rows, members)] = known[rows] & (np.nan_to_num(seen[rows]) > limit)
    return hot


def localise(src: Ints, dst: Ints, hot: Bools, observed: Bools) -> Hot:
    """What explains the hot cells of one window. All arguments of shape (edges,)."""
    if not hot.any():
        return Hot()
    size = int(max(src.max(), dst.max())) + 1
    sent, heard = np.bincount(src[observed], minlength=size), np.bincount(dst[observed], minlength=size)
    hot_row = _lines(src, hot, sent, size)
    hot_column = _lines(dst, hot, heard, size)
    if hot_row.any() and hot_column.any():
        # A hot column adds a hot cell to every row and the other way round: judge each without what the other explains.
        hot_row = hot_row & _lines(
            src, hot & ~hot_column[dst], sent - _explained(src, dst, observed, hot_column, size), size
        )
        kept = hot & ~hot_row[src]
        hot_column = hot_column & _lines(dst, kept, heard - _explained(dst, src, observed, hot_row, size), size)
    node = hot_row & hot_column
    left = np.flatnonzero(hot & ~hot_row[src] & ~hot_column[dst])
    sure = (sent[src[left]] >= LINE_CELLS) & (heard[dst[left]] >= LINE_CELLS)
    pairs = [(int(src[e]), int(dst[e])) for e in left]
    return Hot(
        _ranks(node),
        _ranks(hot_row & ~node),
        _ranks(hot_column & ~node),
        tuple(sorted(pair for pair, known in zip(pairs, sure, strict=True) if known)),
        tuple(sorted(pair for pair, known in zip(pairs, sure, strict=True) if not known)),
    )


def _lines(end: Ints, hot: Bools, seen: Ints, size: int) -> Bools:
    count = np.bincount(end[hot], minlength=size)
    line: Bools = (seen >= LINE_CELLS) & (count >= LINE_SHARE * np.maximum(seen, 1)) & (count > 0)
    return line


def _explained(end: Ints, other: Ints, observed: Bools, hot_line: Bools, size: int) -> Ints:
    return np.bincount(end[observed & hot_line[other]], minlength=size)


def _ranks(mask: Bools) -> tuple[int, ...]:
    return tuple(int(rank) for rank in np.flatnonzero(mask))


def slow_places(cells: Cells) -> list[Slow]:
    """Places that stay slow, by the window in which each first was; nothing that shows in fewer windows than
    `AGREEING`.
    """
    relative = cells.relative()
    hot = hot_cells(relative, cells.comparable)
    by_place: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for window in range(len(hot)):
        said = localise(cells.src, cells.dst, hot[window], np.isfinite(relative[window]))
        for place in _places(said):
            by_place.setdefault(place, []).append(window)
    found = [
        Slow(what, ranks, first, first + AGREEING - 1, last, _ratio(cells, relative, what, ranks, first, last))
        for (what, ranks), windows in by_place.items()
        for first, last in _stretches(windows)
    ]
    return sorted(found, key=lambda slow: (slow.first, slow.what, slow.ranks))


def fabric_slow(cells: Cells) -> tuple[int, float] | None:
    """First window since which everything is slow against the first windows, and by how much; None where it is not.

    What makes more than half of the cells slow moves their median and shows in no cell, so time is the only measure.
    """
    if len(cells.delay) < 2 * AGREEING:
        return None
    own = np.nanmedian(cells.delay[:AGREEING], axis=0)
    good = np.isfinite(own) & np.isfinite(cells.delay).all(axis=0)
    if not good.any():
        return None
    level = np.median(cells.delay[:, good] / own[good], axis=1)
    for first, last in _stretches([int(w) for w in np.flatnonzero(level >= FABRIC_RATIO)]):
        return first, float(np.median(level[first : last + 1]))
    return None


def _places(said: Hot) -> list[tuple[str, tuple[int, ...]]]:
    single = (("node", said.nodes), ("tx", said.senders), ("rx", said.receivers))
    places: list[tuple[str, tuple[int, ...]]] = [(what, (rank,)) for what, ranks in single for rank in ranks]
    places += [("edge", edge) for edge in said.edges]
    return places + [("edge_or_endpoint", edge) for edge in said.unsure]


def _stretches(windows: list[int]) -> list[tuple[int, int]]:
    """First and last of each run of consecutive windows that is long enough."""
    if not windows:
        return []
    breaks = np.flatnonzero(np.diff(windows) > 1) + 1
    parts = np.split(np.asarray(windows), breaks)
    return [(int(part[0]), int(part[-1])) for part in parts if len(part) >= AGREEING]


def _ratio(cells: Cells, relative: Floats, what: str, ranks: tuple[int, ...], first: int, last: int) -> float:
    if what == "tx":
        chosen = cells.src == ranks[0]
    elif what == "rx":
        chosen = cells.dst == ranks[0]
    elif what == "node":
        chosen = (cells.src == ranks[0]) | (cells.dst == ranks[0])
    else:
        chosen = (cells.src == ranks[0]) & (cells.dst == ranks[1])
    return float(np.nanmedian(relative[first : last + 1, chosen]))
