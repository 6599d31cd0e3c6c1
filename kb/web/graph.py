"""The graph of a selection: each case is a thread through one value of every kind, drawn between five lists.

Pure computation: cases' slugs in, rows and SVG paths out; the template adds names and links. Columns follow the
order of diagnosis: symptoms, components, root causes, factors, then the cases (up to 12) or their
organisations. How the lines run is in `graph_lines`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise

from kb.web.graph_lines import Edge, Line, draw, foot

SINGLE_LINES = 12
MANY = 60
TOP = 9
STRONGEST = 24
SWEEPS = 12
COLUMNS = 5
TABLE_PAIRS = 6
#: The two rows that are no value: cases that state none, and the values beyond the ninth.
NONE, MORE = "-", "+"

Values = tuple[str, ...]
Flow = Counter[tuple[str, str]]


class Style(StrEnum):
    """How a graph is drawn, by the number of its cases."""

    threads = "threads"
    bands = "bands"
    strongest = "strongest"


@dataclass(frozen=True)
class GraphCase:
    """A case's slugs; `values` holds symptoms, components, root causes, factors, each main value first."""

    id: str
    org: str
    values: tuple[Values, Values, Values, Values]


@dataclass(frozen=True)
class Node:
    """A row: a value, or `MORE`, or `NONE`.

    hidden: how many values are folded into `MORE`.
    keys: what the row stands for, for the script: cases, or in a large graph the row itself.
    """

    slug: str
    count: int
    hidden: int
    keys: str


@dataclass(frozen=True)
class Column:
    nodes: tuple[Node, ...]
    distinct: int
    """Number of different values, folded ones included."""


@dataclass(frozen=True)
class Pair:
    """Two values of neighbouring columns and the number of cases that run through both."""

    column: int
    left: str
    right: str
    count: int


@dataclass(frozen=True)
class Graph:
    style: Style
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    rows: int
    """Rows of the longest column."""
    hidden_share: int
    """Per cent of the threads between columns that are not drawn."""
    pairs: tuple[Pair, ...]
    """The strongest pairs, for the table."""


@dataclass
class _Sheet:
    """One column being worked out: what each case states, which values have a row, which row each case takes."""

    stated: list[Values]
    shown: frozenset[str]
    main: list[str]
    rows: list[str]

    def fold(self, value: str) -> str:
        return value if value in self.shown or value == NONE else MORE


def build(cases: Sequence[GraphCase], applied: Iterable[str] = ()) -> Graph:
    """Lay out the graph of `cases`; `applied` are the slugs that are filtered on. Deterministic.

    A case runs through its first value that is not filtered on: what all share tells nothing.
    """
    style = _style(len(cases))
    chosen = frozenset(applied)
    sheets = [_sheet([_stated(case, c, style) for case in cases], chosen, _limit(c, style)) for c in range(COLUMNS)]
    flows = [Counter(zip(a.main, b.main, strict=True)) for a, b in pairwise(sheets)]
    _arrange(sheets, flows)
    edges = [_edges(a, b, style) for a, b in pairwise(sheets)]
    drawn = edges
    if style is Style.strongest:
        drawn = [sorted(g, key=lambda e: (-len(e.cases), e.left, e.right))[:STRONGEST] for g in edges]
    total, shown = (sum(len(edge.cases) for gutter in g for edge in gutter) for g in (edges, drawn))
    columns = tuple(_column(sheet, c, style) for c, sheet in enumerate(sheets))
    keys = [{node.slug: node.keys for node in column.nodes} for column in columns]
    return Graph(
        style=style,
        columns=columns,
        lines=tuple(draw(drawn, [s.rows for s in sheets], keys if style is Style.strongest else None)),
        rows=max(len(sheet.rows) for sheet in sheets),
        hidden_share=round(100 * (total - shown) / total) if total else 0,
        pairs=_pairs(flows),
    )


def _style(cases: int) -> Style:
    if cases <= SINGLE_LINES:
        return Style.threads
    return Style.bands if cases <= MANY else Style.strongest


def _limit(column: int, style: Style) -> int:
    return SINGLE_LINES if style is Style.threads and column == COLUMNS - 1 else TOP


def _stated(case: GraphCase, column: int, style: Style) -> Values:
    if column < COLUMNS - 1:
        return case.values[column]
    return (case.id,) if style is Style.threads else (case.org,)


def _sheet(stated: list[Values], chosen: frozenset[str], limit: int) -> _Sheet:
    """Count the values, keep the most frequent, fold the rest; leftovers and silence stand at the foot."""
    counts = Counter(chain.from_iterable(map(frozenset, stated)))
    if len(counts) == limit + 1:
        limit += 1  # "1 more" would take the row of the value itself
    ranked = sorted(counts, key=lambda slug: (-counts[slug], slug))
    rows = ranked[:limit] + ([MORE] if len(ranked) > limit else [])
    rows += [NONE] if any(not values for values in stated) else []
    sheet = _Sheet(stated, frozenset(ranked[:limit]), [], rows)
    known = {slug: slug for slug in (*ranked[:limit], NONE)}
    for values in stated:
        first = values[0] if values else NONE
        if first in chosen:
            first = next((value for value in values if value not in chosen), first)
        sheet.main.append(known.get(first, MORE))
    return sheet


def _column(sheet: _Sheet, column: int, style: Style) -> Column:
    distinct = frozenset(chain.from_iterable(sheet.stated))
    hidden = len(distinct - sheet.shown)
    counts: Mapping[str, int]
    if style is Style.strongest:
        counts = _counts(sheet)
        keys = {row: f"{'abcde'[column]}{i}" for i, row in enumerate(sheet.rows)}
    else:
        members = _members(sheet)
        counts = {row: len(cases) for row, cases in members.items()}
        keys = {row: Edge("", "", members[row]).keys for row in sheet.rows}
    nodes = (Node(row, counts[row], hidden if row == MORE else 0, keys[row]) for row in sheet.rows)
    return Column(tuple(nodes), len(distinct))


def _members(sheet: _Sheet) -> dict[str, list[int]]:
    """Row → the cases that it stands for, by their place."""
    members: dict[str, list[int]] = defaultdict(list)
    for case, values in enumerate(sheet.stated):
        for row in dict.fromkeys(sheet.fold(value) for value in values or (NONE,)):
            members[row].append(case)
    return members


def _counts(sheet: _Sheet) -> Mapping[str, int]:
    """Row → how many cases it stands for; all that a large graph needs, and much cheaper than the cases themselves."""
    counts = Counter(chain.from_iterable(map(frozenset, sheet.stated)))
    counts[MORE] = sum(1 for values in sheet.stated if not sheet.shown.issuperset(values))
    counts[NONE] = sheet.stated.count(())
    return counts


def _arrange(sheets: list[_Sheet], flows: list[Flow]) -> None:
    """Sort rows by the mean row of their neighbours, forth and back; keep the order that crosses least."""
    best, least = [list(sheet.rows) for sheet in sheets], _crossings(sheets, flows)
    back = [{(b, a): n for (a, b), n in flow.items()} for flow in flows]
    before: list[list[str]] = []
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 0
        for c in range(1, COLUMNS) if forth else range(COLUMNS - 2, -1, -1):
            if forth:
                _pull(sheets[c], sheets[c - 1], flows[c - 1])
            else:
                _pull(sheets[c], sheets[c + 1], back[c])
        now = [list(sheet.rows) for sheet in sheets]
        crossings = _crossings(sheets, flows)
        if crossings < least:
            best, least = now, crossings
        if not forth:
            if now == before:
                break  # a whole sweep forth and back moved nothing
            before = now
    for sheet, rows in zip(sheets, best, strict=True):
        sheet.rows = rows


def _pull(sheet: _Sheet, near: _Sheet, flow: Mapping[tuple[str, str], int]) -> None:
    """Sort one column by where its neighbours stand, weighted by flow; `flow` runs from `near` to `sheet`."""
    there = {row: i for i, row in enumerate(near.rows)}
    weight, total = dict.fromkeys(sheet.rows, 0), dict.fromkeys(sheet.rows, 0)
    for (a, b), n in flow.items():
        weight[b] += n
        total[b] += n * there[a]
    mean = {row: total[row] / weight[row] if weight[row] else float(i) for i, row in enumerate(sheet.rows)}
    sheet.rows.sort(key=lambda row: (foot(row), mean[row], row))


def _crossings(sheets: list[_Sheet], flows: list[Flow]) -> int:
    """Weighted crossings in all gutters."""
    crossings = 0
    for c, flow in enumerate(flows):
        left = {row: i for i, row in enumerate(sheets[c].rows)}
        right = {row: i for i, row in enumerate(sheets[c + 1].rows)}
        landed = [0] * len(right)
        edges = sorted((left[a], right[b], n) for (a, b), n in flow.items())
        waiting: list[tuple[int, int]] = []
        for i, (row, end, n) in enumerate(edges):
            crossings += n * sum(landed[end + 1 :])
            waiting.append((end, n))
            if i + 1 == len(edges) or edges[i + 1][0] != row:
                for lands, weight in waiting:
                    landed[lands] += weight
                waiting.clear()
    return crossings


def _edges(a: _Sheet, b: _Sheet, style: Style) -> list[Edge]:
    """The lines of one gutter: a band a pair of rows, or a thread a case with its further values dotted."""
    if style is not Style.threads:
        grouped: dict[tuple[str, str], list[int]] = defaultdict(list)
        for case, pair in enumerate(zip(a.main, b.main, strict=True)):
            grouped[pair].append(case)
        return [Edge(*pair, cases, "o" if MORE in pair else "") for pair, cases in grouped.items()]
    edges = []
    for case, main in enumerate(zip(a.main, b.main, strict=True)):
        further = dict.fromkeys(_further(a, b, case, main))
        edges += [Edge(*main, [case]), *(Edge(*pair, [case], "d") for pair in further if pair != main)]
    return edges


def _further(a: _Sheet, b: _Sheet, case: int, main: tuple[str, str]) -> list[tuple[str, str]]:
    """A case's further values: second to second, and to the main one where there is no second."""
    lefts = [row for row in map(a.fold, a.stated[case]) if row != main[0]]
    rights = [row for row in map(b.fold, b.stated[case]) if row != main[1]]
    return [
        (lefts[k] if k < len(lefts) else main[0], rights[k] if k < len(rights) else main[1])
        for k in range(max(len(lefts), len(rights)))
    ]


def _pairs(flows: list[Flow]) -> tuple[Pair, ...]:
    out = []
    for column, flow in enumerate(flows[:-1]):
        known = [(pair, n) for pair, n in flow.items() if not foot(pair[0]) and not foot(pair[1])]
        known.sort(key=lambda item: (-item[1], item[0]))
        out += [Pair(column, left, right, n) for (left, right), n in known[:TABLE_PAIRS]]
    return tuple(out)
