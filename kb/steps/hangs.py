"""Hangs from operation sequences: who never came, and who came and does not get on.

Published: in a communicator some ranks never posted operation k while the others posted it and wait – the ranks with
the lower count are the suspects (C4D; the same rule in Aegis, NSDI 2025); or all posted k and none finishes –
compare the work posted and completed on each connection (Aegis). CCL-D (arXiv 2605.04478) adds a third: another
operation at the same number. Published time-out: 5 minutes (C4D by CCL-D's table, CCL-D itself).

Ours: three times the usual gap between operations, with those 5 minutes as upper bound and 10 seconds as lower one;
and following a wait from one communicator to the next, so that a rank that is missing because it waits elsewhere is
a victim.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from kb.steps.records import Bools, Floats, Ints, SequenceTable

#: Published: a hang is a hang after five minutes.
LONGEST_WAIT = 300.0
#: Ours: never before ten seconds, and not before three usual gaps.
SHORTEST_WAIT, USUAL_GAPS = 10.0, 3.0
#: Ours: share of an edge's work that is left undone, against the best edge, that names it.
BEHIND = 0.5


class HangKind(StrEnum):
    not_posted = "not-posted"
    """Some ranks never called the operation: no fault of the network."""
    not_finished = "not-finished"
    """All called it and it does not end: the network, or a peer within it."""
    another_operation = "another-operation"
    """A rank called something else at this number: a fault of the program."""
    circle = "circle"
    """Every missing rank itself waits: communicators called in different orders."""


@dataclass(frozen=True)
class Hang:
    """One stuck operation. `ranks` are suspects, `waiting` stand by; `waited` in seconds, NaN where no times are
    known.
    """

    kind: HangKind
    communicator: str
    sequence: int
    ranks: tuple[int, ...]
    waiting: tuple[int, ...]
    waited: float
    edges: tuple[tuple[int, int], ...] = ()
    operation: str = ""


@dataclass(frozen=True)
class Progress:
    """Work requests of each connection: posted and completed, one element an edge."""

    src: Ints
    dst: Ints
    posted: Floats
    completed: Floats


@dataclass(frozen=True)
class _Stuck:
    """The first operation of a communicator that somebody posted and has not finished.

    One element a member: whether it posted this operation, and finished it; when it entered it, what it called, how
    large.
    """

    communicator: str
    sequence: int
    members: Ints
    posted: Bools
    finished: Bools
    entered: Floats
    operation: tuple[str, ...]
    bytes: Floats

    @property
    def waits(self) -> Bools:
        return self.posted & ~self.finished


def hangs(
    table: SequenceTable,
    now: float | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
    *,
    standing: bool = False,
) -> list[Hang]:
    """Stuck operations of one job, those nearest to the cause only.

    now: moment of the last look at the job, seconds on the clock of the records; the last time in them where absent.
    timeout: seconds of waiting that make a hang; worked out from the usual gap where absent.
    progress: connections, to tell who of a stuck operation's members does not get on.
    standing: whether the caller knows that the job stands still: whatever is open then is stuck, unless `now` tells
        how long. Records without times say nothing otherwise: in a job that runs, some rank is always a call ahead.
    """
    times = np.concatenate([table.enter, table.leave])
    known = times[np.isfinite(times)]
    if not len(table) or not (len(known) or standing):
        return []
    asked = now if now is not None else float(known.max()) if len(known) else float("nan")
    limit = timeout if timeout is not None else usual_timeout(table)
    if standing and now is None:
        limit = 0.0
    stuck = []
    for code in np.unique(table.communicator.codes):
        held = _held(table, np.flatnonzero(table.communicator.codes == code))
        if held is not None and len(held.members) > 1 and _waited(held, asked) >= limit:
            stuck.append(_told(held, asked, progress))
    return _nearest_the_cause(stuck)


def usual_timeout(table: SequenceTable) -> float:
    """Seconds after which waiting is a hang, from the longest usual gap between operations of one rank."""
    order = np.lexsort((table.sequence, table.rank, table.communicator.codes))
    same = (np.diff(table.rank[order]) == 0) & (np.diff(table.communicator.codes[order]) == 0)
    gaps = np.diff(table.enter[order])[same]
    gaps = gaps[np.isfinite(gaps) & (gaps > 0)]
    if not len(gaps):
        return LONGEST_WAIT
    return float(np.clip(USUAL_GAPS * np.quantile(gaps, 0.99), SHORTEST_WAIT, LONGEST_WAIT))


def _held(table: SequenceTable, rows: Ints) -> _Stuck | None:
    """The first operation of one communicator that is not over, from its rows; None where all are."""
    members, who = np.unique(table.rank[rows], return_inverse=True)
    called = table.posted[rows] | table.started[rows] | table.finished[rows]
    calls, place = np.unique(np.stack([who[called], table.sequence[rows][called]], axis=1), axis=0, return_inverse=True)
    if not len(calls):
        return None
    # The same call may be recorded twice, when it began and when it ended: what is over in one is over.
    over = np.zeros(len(calls), bool)
    np.logical_or.at(over, place.ravel(), table.finished[rows][called])
    last = np.full(len(members), np.iinfo(np.int64).min)
    np.maximum.at(last, calls[:, 0], calls[:, 1])
    if not np.isfinite(table.leave).any():
        # A source that never sees an end (NCCL's log, RAS): only the furthest call can still be under way.
        over |= calls[:, 1] < last.max()
    if over.all():
        return None
    sequence = int(calls[~over, 1].min())
    first_row = np.full(len(members), -1)
    now = called & (table.sequence[rows] == sequence)
    first_row[who[now][::-1]] = rows[now][::-1]
    finished = (first_row < 0) & (last >= sequence)
    here = calls[:, 1] == sequence
    finished[calls[here & over, 0]] = True
    return _Stuck(
        table.communicator.names[table.communicator.codes[rows[0]]],
        sequence,
        members,
        last >= sequence,
        finished,
        np.where(first_row >= 0, table.enter[first_row], np.nan),
        tuple(table.operation.names[table.operation.codes[row]] if row >= 0 else "" for row in first_row),
        np.where(first_row >= 0, table.bytes[first_row], np.nan),
    )


def _waited(held: _Stuck, now: float) -> float:
    """Seconds for which the last to enter has waited; infinite where no time is known."""
    known = held.entered[held.waits & np.isfinite(held.entered)]
    return now - float(known.max()) if len(known) and np.isfinite(now) else float("inf")


def _told(held: _Stuck, now: float, progress: Progress | None) -> Hang:
    waiting = _sorted(held.members[held.waits])
    waited, operation = _waited(held, now), held.operation[int(np.flatnonzero(held.waits)[0])]

    def hang(kind: HangKind, ranks: tuple[int, ...], edges: tuple[tuple[int, int], ...] = ()) -> Hang:
        return Hang(kind, held.communicator, held.sequence, ranks, waiting, waited, edges, operation)

    if not held.posted.all():
        return hang(HangKind.not_posted, _sorted(held.members[~held.posted]))
    odd = _odd_ones(held)
    if odd:
        return hang(HangKind.another_operation, odd)
    edges = _least_progress(held.members, progress) if progress is not None else ()
    ends = tuple(sorted({end for edge in edges for end in edge}))
    return hang(HangKind.not_finished, ends or waiting, edges)


def _odd_ones(held: _Stuck) -> tuple[int, ...]:
    """The minority that called another operation, or another size of it; empty where nobody is in the majority."""
    known = np.array([bool(name) for name in held.operation])
    calls = np.array([f"{name} {size:g}" for name, size in zip(held.operation, np.nan_to_num(held.bytes), strict=True)])
    names, counts = np.unique(calls[known], return_counts=True)
    if len(names) < 2 or counts.max() * 2 <= known.sum():
        return ()
    return _sorted(held.members[known & (calls != names[counts.argmax()])])


def _least_progress(members: Ints, progress: Progress) -> tuple[tuple[int, int], ...]:
    """Edges among the members that still have work posted and have completed far less of it than the best edge."""
    inside = np.isin(progress.src, members) & np.isin(progress.dst, members) & (progress.posted > 0)
    if not inside.any():
        return ()
    share = progress.completed[inside] / progress.posted[inside]
    behind = (share < 1.0) & (share <= share.min() + 1e-9) & (share < BEHIND * max(float(share.max()), 1e-9))
    src, dst = progress.src[inside][behind], progress.dst[inside][behind]
    return tuple(sorted((int(a), int(b)) for a, b in zip(src, dst, strict=True)))


def _nearest_the_cause(stuck: list[Hang]) -> list[Hang]:
    """Drop what only follows from another hang: suspects who themselves wait in another communicator."""
    waiting = {(rank, hang.communicator) for hang in stuck for rank in hang.waiting}
    held = {rank for rank, _ in waiting}
    causes = []
    for hang in stuck:
        if hang.kind is not HangKind.not_posted:
            causes.append(hang)
            continue
        free = tuple(rank for rank in hang.ranks if rank not in held)
        if free:
            causes.append(
                Hang(hang.kind, hang.communicator, hang.sequence, free, hang.waiting, hang.waited, (), hang.operation)
            )
    if causes or not stuck:
        by_rank: dict[tuple[int, ...], Hang] = {}
        # A rank that has gone away is missing wherever it is a member: it is told once, where it is waited for longest.
        for hang in sorted(causes, key=lambda hang: (-hang.waited, hang.communicator)):
            by_rank.setdefault(hang.ranks, hang)
        return list(by_rank.values())
    first = max(stuck, key=lambda hang: hang.waited)
    ring = tuple(sorted({rank for hang in stuck for rank in hang.ranks}))
    return [Hang(HangKind.circle, first.communicator, first.sequence, ring, ring, first.waited, (), first.operation)]


def _sorted(ranks: Ints) -> tuple[int, ...]:
    return tuple(sorted(int(rank) for rank in ranks))
