"""Rank × step as a heat map, phases as facets: what is drawn, folded to a bounded size. Drawing is `heat_drawing`.

A cell is the time of its rank over the median of the ranks that may be compared with it in that step; of the whole
iteration, over the job's own first steps. Where ranks or steps are folded together, the value furthest from 1 stays, so
that one slow rank among thousands is still seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kb.steps.grid import Grid
from kb.steps.groups import groups_of
from kb.steps.phases import route
from kb.steps.records import Floats, Ints, Kind
from kb.steps.robust import ratio
from kb.steps.verdict import Verdict

#: Cells of a facet at most, and facets.
ROWS, COLUMNS, FACETS = 48, 120, 4
#: First steps that an iteration is compared with.
PAST = 20
#: Limits of the shades: shorter than its peers, then longer in four steps.
SHORT, LONGER = 0.8, (1.15, 1.3, 2.0, 4.0)
#: Signs of the shades: nothing known, shorter, as its peers, longer.
UNKNOWN, SHORTER, USUAL, LONG = " ", "-", "0", "1234"
SHADES = UNKNOWN + SHORTER + USUAL + LONG


@dataclass(frozen=True)
class Mark:
    """A verdict on a facet: rows and columns, both ends included; all rows where nobody is named."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    kind: str
    named: bool


@dataclass(frozen=True)
class Facet:
    """One phase. shades: a text a row, one sign a column (`SHADES`); one row only for the whole iteration."""

    phase: str
    shades: tuple[str, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Heat:
    """facets: the most telling phase first. ranks, columns: first and last of each row and column.

    across: what columns are: `step`, `rank` (of a delay matrix: the receiver) or `operation`.
    """

    job: str
    facets: tuple[Facet, ...]
    ranks: tuple[tuple[int, int], ...]
    columns: tuple[tuple[int, int], ...]
    verdicts: tuple[Verdict, ...]
    across: str = "step"


def heat_of(grid: Grid, verdicts: Sequence[Verdict] = (), rows: int = ROWS, columns: int = COLUMNS) -> Heat:
    """The heat map of a job. Rows keep the order of ranks, so that neighbours on a server stay neighbours."""
    ranks, steps = blocks(len(grid.ranks), rows), blocks(len(grid.steps), columns)
    facets = tuple(_facet(grid, phase, verdicts, ranks, steps) for phase in _telling(grid, verdicts))
    return Heat(grid.job, facets, spans(grid.ranks, ranks), spans(grid.steps, steps), tuple(verdicts))


def _facet(grid: Grid, phase: int, verdicts: Sequence[Verdict], ranks: Ints, steps: Ints) -> Facet:
    # All ranks of a synchronous job take equally long: one row says it.
    rows = ranks[:1] if grid.kinds[phase] is Kind.total else ranks
    return Facet(
        grid.phases[phase],
        shaded(folded(_relative(grid, phase), rows, steps)),
        _marks(grid, phase, verdicts, rows, steps),
    )


def shaded(cells: Floats) -> tuple[str, ...]:
    """Each row of ratios as a text of shades."""
    with np.errstate(invalid="ignore"):
        place = 2 + np.sum([cells >= limit for limit in LONGER], axis=0)
        place = np.where(cells <= SHORT, 1, place)
    signs = np.array(list(SHADES))[np.where(np.isnan(cells), 0, place)]
    return tuple("".join(row) for row in signs)


def _telling(grid: Grid, verdicts: Sequence[Verdict]) -> list[int]:
    """Phases of verdicts first, then those that take the most time."""
    named = {verdict.phase for verdict in verdicts}
    time = [float(np.nansum(grid.sums(phase))) for phase in range(len(grid.phases))]
    order = sorted(range(len(grid.phases)), key=lambda phase: (grid.phases[phase] not in named, -time[phase]))
    return order[:FACETS]


def _relative(grid: Grid, phase: int) -> Floats:
    """Shape (ranks, steps)."""
    values = grid.mean(phase)
    kind = grid.kinds[phase]
    if kind is Kind.total:
        usual = np.nanmedian(values[:PAST]) if np.isfinite(values[:PAST]).any() else np.nan
        return np.asarray(values / usual, np.float64).T
    out = np.full(values.shape, np.nan)
    groups = groups_of(grid, route(grid.phases[phase], kind))
    if groups.members.size:
        relative = ratio(groups.gather(values))
        there = groups.members >= 0
        out[:, groups.members[there]] = relative[:, there]
    return out.T


def blocks(count: int, most: int) -> Ints:
    """Where each block of equal size begins."""
    size = max(1, -(-count // most))
    return np.arange(0, count, size)


def folded(values: Floats, ranks: Ints, steps: Ints) -> Floats:
    """Blocks of rows and columns as one cell each: the value furthest from 1."""
    if not values.size:
        return np.zeros((len(ranks), len(steps)))
    high = np.fmax.reduceat(np.fmax.reduceat(values, ranks, axis=0), steps, axis=1)
    low = np.fmin.reduceat(np.fmin.reduceat(values, ranks, axis=0), steps, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.log(high) >= -np.log(low), high, low)


def spans(numbers: Ints, starts: Ints) -> tuple[tuple[int, int], ...]:
    """First and last number of each block."""
    ends = np.append(starts, len(numbers))[1:] - 1
    return tuple((int(numbers[a]), int(numbers[b])) for a, b in zip(starts, ends, strict=True))


def _marks(grid: Grid, phase: int, verdicts: Sequence[Verdict], ranks: Ints, steps: Ints) -> tuple[Mark, ...]:
    name, whole = grid.phases[phase], grid.kinds[phase] is Kind.total
    found = []
    for verdict in verdicts:
        if verdict.phase != name and not (whole and not verdict.ranks):
            continue
        first, last = np.searchsorted(grid.steps, [verdict.first_step, verdict.last_step])
        columns = block_of(steps, int(first)), block_of(steps, min(int(last), len(grid.steps) - 1))
        named = tuple(rank for rank in verdict.ranks if rank in grid.ranks)
        places = sorted({block_of(ranks, int(np.searchsorted(grid.ranks, rank))) for rank in named})
        for top, bottom in stretches(places) or [(0, len(ranks) - 1)]:
            found.append(Mark((top, bottom), columns, verdict.kind.value, bool(named)))
    return tuple(found)


def block_of(starts: Ints, place: int) -> int:
    """The block that a place falls into."""
    return max(0, int(np.searchsorted(starts, place, side="right")) - 1)


def stretches(places: Sequence[int]) -> list[tuple[int, int]]:
    """Neighbouring rows as one."""
    out: list[tuple[int, int]] = []
    for place in places:
        if out and place == out[-1][1] + 1:
            out[-1] = (out[-1][0], place)
        else:
            out.append((place, place))
    return out
