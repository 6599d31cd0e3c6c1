"""Transfers and operation sequences as heat maps: the delay matrix, and who has come how far."""

from collections.abc import Sequence

import numpy as np

from kb.steps.c4d import PER_NODE, matrix_of
from kb.steps.heatmap import COLUMNS, ROWS, UNKNOWN, Facet, Heat, Mark, block_of, blocks, folded, shaded, spans
from kb.steps.records import EdgeTable, Ints, SequenceTable
from kb.steps.verdict import Verdict

#: Signs of a call: over, under way, called by others only.
OVER, OPEN, MISSING = "0", "4", UNKNOWN
#: Operations that are shown at most, the last ones.
LAST = 40


def matrix_heat(table: EdgeTable, verdicts: Sequence[Verdict] = (), per_node: int = PER_NODE) -> Heat:
    """Sender × receiver: the median delay of each connection since the fault began, over that of comparable ones."""
    cells = matrix_of(table, per_node)
    relative = cells.relative()
    first = min(
        (int(verdict.evidence.get("since", 0)) for verdict in verdicts if verdict.ranks or verdict.edges), default=0
    )
    windows = np.flatnonzero(cells.windows >= first)
    ranks = np.union1d(cells.src, cells.dst)
    plane = np.full((len(ranks), len(ranks)), np.nan)
    if len(windows):
        since = relative[windows]
        seen = np.isfinite(since).any(axis=0)
        middle = np.full(len(cells.src), np.nan)
        middle[seen] = np.nanmedian(since[:, seen], axis=0)
        np.fmax.at(plane, (np.searchsorted(ranks, cells.src), np.searchsorted(ranks, cells.dst)), middle)
    rows, columns = blocks(len(ranks), ROWS), blocks(len(ranks), COLUMNS)
    shades = shaded(folded(plane, rows, columns))
    marks = tuple(mark for verdict in verdicts for mark in _places(verdict, ranks, rows, columns))
    facets = (Facet("transfer", shades, marks),) if len(ranks) else ()
    job = table.job.names[0] if table.job.names else ""
    return Heat(job, facets, spans(ranks, rows), spans(ranks, columns), tuple(verdicts), "rank")


def _places(
    verdict: Verdict,
    ranks: Ints,
    rows: Ints,
    columns: Ints,
) -> list[Mark]:
    """The cell of an edge, the row of a sender, the column of a receiver, both of a node."""

    def at(rank: int) -> tuple[int, int]:
        place = int(np.searchsorted(ranks, rank))
        return block_of(rows, place), block_of(columns, place)

    whole_row, whole_column = (0, len(columns) - 1), (0, len(rows) - 1)
    kind = verdict.kind.value
    if verdict.edges:
        return [Mark((at(a)[0],) * 2, (at(b)[1],) * 2, kind, True) for a, b in verdict.edges]
    marks = []
    for rank in verdict.ranks:
        row, column = at(rank)
        if not kind.endswith("_rx"):
            marks.append(Mark((row, row), whole_row, kind, True))
        if not kind.endswith("_tx"):
            marks.append(Mark(whole_column, (column, column), kind, True))
    return marks


def calls_heat(table: SequenceTable, verdicts: Sequence[Verdict] = ()) -> Heat:
    """Rank × operation of the communicator that a verdict is about: over, under way, or not called.

    Where it is about several, of the one that it holds worst: they number their operations each by itself.
    """
    names = table.communicator.names
    told = (name for verdict in verdicts for name in (verdict.group, verdict.phase) if name in names)
    name = next(told, names[0] if names else "")
    chosen = table.take(table.communicator.where(name))
    ranks, sequences = np.unique(chosen.rank), np.unique(chosen.sequence)[-LAST:]
    state = np.full((len(ranks), len(sequences)), MISSING)
    shown = np.isin(chosen.sequence, sequences) & chosen.posted
    row, column = np.searchsorted(ranks, chosen.rank[shown]), np.searchsorted(sequences, chosen.sequence[shown])
    over = chosen.finished[shown]
    state[row[~over], column[~over]] = OPEN
    state[row[over], column[over]] = OVER
    rows = blocks(len(ranks), ROWS)
    # A block shows what is worst in it: a call that is missing, then one under way.
    worst = MISSING + OPEN + OVER
    shades = tuple(
        "".join(min(state[a:b, at], key=worst.index) for at in range(len(sequences)))
        for a, b in zip(rows, np.append(rows, len(ranks))[1:], strict=True)
    )
    marks = tuple(
        Mark(
            (block_of(rows, int(np.searchsorted(ranks, rank))),) * 2,
            (len(sequences) - 1,) * 2,
            verdict.kind.value,
            True,
        )
        for verdict in verdicts
        for rank in verdict.ranks
        if rank in ranks
    )
    columns = np.arange(len(sequences))
    job = table.job.names[0] if table.job.names else ""
    facets = (Facet(name, shades, marks),) if len(ranks) and len(sequences) else ()
    return Heat(job, facets, spans(ranks, rows), spans(sequences, columns), tuple(verdicts), "operation")
