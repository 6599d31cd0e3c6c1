"""Who keeps the others waiting in collectives: slow, but not in communication.

Published: the last to arrive waits least, so in a collective the late rank has the *shortest* duration (C4D, by its
summaries); a rank whose duration is below 0.8 of the mean of its peers has arrived last (Aegis, NSDI 2025). It needs no
synchronised clocks.

Ours: the share of operations in which the same rank must be last, the number of windows, and what the lag is held
against, so that a habit of a few microseconds accuses nobody.
"""

from dataclasses import dataclass

import numpy as np

from kb.steps.records import Bools, Floats, Ints, SequenceTable

#: Published (Aegis): own duration over the mean of the others.
SHORT = 0.8
#: Ours: lag over the operation's healthy duration.
LAG_SHARE = 0.5
#: Ours: share of a window's operations in which the same rank is last; operations a window; windows.
SAME_SHARE, WINDOW, WINDOWS = 0.8, 5, 3
#: Ours: lag over the usual gap between two operations of the communicator, where times are known.
LEAST_GAP_SHARE = 0.05


@dataclass(frozen=True)
class Late:
    """One rank that the others wait for. first, declared, last are operation numbers; lag in seconds (median)."""

    communicator: str
    rank: int
    first: int
    declared: int
    last: int
    lag: float
    own: float
    others: float


def late_ranks(table: SequenceTable) -> list[Late]:
    """Ranks that are last in one communicator again and again. Sends and receives, which wait by nature, do not
    count.
    """
    waits = np.array([not _paired(name) for name in table.operation.names], bool)
    usable = waits[table.operation.codes] & table.finished & np.isfinite(table.leave - table.enter)
    found = []
    for code in np.unique(table.communicator.codes[usable]):
        rows = usable & (table.communicator.codes == code)
        found += _in_communicator(table.communicator.names[code], table.take(rows))
    return found


def _paired(name: str) -> bool:
    return any(part in name.lower() for part in ("send", "recv", "receive"))


def grid(table: SequenceTable) -> tuple[Ints, Ints, Floats, Floats]:
    """Sequence numbers, ranks, and durations and entries of shape (operations, ranks); NaN where a record is
    missing.
    """
    sequences, at = np.unique(table.sequence, return_inverse=True)
    ranks, who = np.unique(table.rank, return_inverse=True)
    duration = np.full((len(sequences), len(ranks)), np.nan)
    enter = np.full(duration.shape, np.nan)
    duration[at, who] = table.leave - table.enter
    enter[at, who] = table.enter
    duration[duration < 0] = np.nan
    return sequences, ranks, duration, enter


def _in_communicator(name: str, table: SequenceTable) -> list[Late]:
    sequences, ranks, duration, enter = grid(table)
    whole = np.isfinite(duration).all(axis=1)
    sequences, duration, enter = sequences[whole], duration[whole], enter[whole]
    if len(ranks) < 2 or len(sequences) < WINDOW * WINDOWS:
        return []
    last, lag, short = _lags(duration)
    healthy = float(np.median(duration.min(axis=1)))
    gaps = np.diff(np.median(enter, axis=1))
    usual_gap = float(np.median(gaps)) if len(gaps) and (gaps > 0).all() else 0.0
    late = (lag > LAG_SHARE * healthy) & short & (lag >= LEAST_GAP_SHARE * usual_gap)
    return [
        _late(name, sequences, ranks, who, windows, last, lag, duration)
        for who in np.unique(last[late])
        for windows in _windows(late & (last == who))
    ]


def _lags(duration: Floats) -> tuple[Ints, Floats, Bools]:
    """Of each operation: who arrived last, how long the median of the others had waited, whether Aegis' rule holds."""
    last = duration.argmin(axis=1)
    own = duration[np.arange(len(duration)), last]
    rest = duration.copy()
    rest[np.arange(len(duration)), last] = np.nan
    others = np.nanmedian(rest, axis=1)
    return last, others - own, own < SHORT * np.nanmean(rest, axis=1)


def _windows(same: Bools) -> list[tuple[int, int]]:
    """First and last operation of each stretch of enough windows in which enough operations agree."""
    count = len(same) // WINDOW
    agreeing = same[: count * WINDOW].reshape(count, WINDOW).mean(axis=1) >= SAME_SHARE
    edges = np.flatnonzero(np.diff(np.concatenate([[0], agreeing.astype(np.int8), [0]])))
    pairs = edges.reshape(-1, 2)
    return [(int(a) * WINDOW, int(b) * WINDOW - 1) for a, b in pairs if b - a >= WINDOWS]


def _late(
    name: str,
    sequences: Ints,
    ranks: Ints,
    who: int,
    window: tuple[int, int],
    last: Ints,
    lag: Floats,
    duration: Floats,
) -> Late:
    first, end = window
    inside = slice(first, end + 1)
    own = last[inside] == who
    others = np.delete(duration[inside], who, axis=1)
    return Late(
        name,
        int(ranks[who]),
        int(sequences[first]),
        int(sequences[first + WINDOW * WINDOWS - 1]),
        int(sequences[end]),
        float(np.median(lag[inside][own])),
        float(np.median(duration[inside, who])),
        float(np.median(others)),
    )
