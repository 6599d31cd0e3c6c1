"""The graph of a selection: each case is a thread through one value of every kind, drawn between five lists.

Pure computation: cases' slugs in, rows and SVG paths out; the template adds names and links. Columns follow the
order of diagnosis: symptoms, components, root causes, factors, then the cases (up to 12) or their
organisations. How the lines run is in `graph_lines`, in which order the rows stand in `graph_order`; a large graph is
counted in `graph_table`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise

import numpy as np

from kb.web.graph_lines import MORE, NONE, Edge, Line, draw, foot, keys_of
from kb.web.graph_order import Flow, ordered
from kb.web.graph_table import CaseTable, Counted, GraphCase, Numbers, Values

SINGLE_LINES = 12
MANY = 60
TOP = 9
STRONGEST = 24
COLUMNS = 5
TABLE_PAIRS = 6


class Style(StrEnum):
    """How a graph is drawn, by the number of its cases."""

    threads = "threads"
    bands = "bands"
    strongest = "strongest"


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
    style, chosen = style_of(len(cases)), frozenset(applied)
    if style is Style.strongest:
        return build_large(CaseTable(cases), np.arange(len(cases)), chosen)
    sheets = [_sheet([_stated(case, c, style) for case in cases], chosen, _limit(c, style)) for c in range(COLUMNS)]
    flows: list[Flow] = [Counter(zip(a.main, b.main, strict=True)) for a, b in pairwise(sheets)]
    rows = ordered([sheet.rows for sheet in sheets], flows)
    columns = tuple(_column(sheet, order) for sheet, order in zip(sheets, rows, strict=True))
    edges = [_edges(a, b, style) for a, b in pairwise(sheets)]
    return Graph(style, columns, tuple(draw(edges, rows, None)), max(map(len, rows)), 0, _pairs(flows))


def build_large(table: CaseTable, numbers: Numbers, chosen: Collection[str]) -> Graph:
    """The graph of more than `MANY` cases of a table; `chosen` are the slugs that are filtered on."""
    counted, flows = table.count(numbers, chosen, TOP)
    rows = ordered([column.rows for column in counted], flows)
    columns = tuple(_large_column("abcde"[c], *both) for c, both in enumerate(zip(counted, rows, strict=True)))
    strongest = [sorted(flow.items(), key=lambda item: (-item[1], item[0]))[:STRONGEST] for flow in flows]
    drawn = [[Edge(*pair, n, css="o" if MORE in pair else "") for pair, n in items] for items in strongest]
    total, shown = sum(sum(flow.values()) for flow in flows), sum(n for items in strongest for _, n in items)
    keys = [{node.slug: node.keys for node in column.nodes} for column in columns]
    return Graph(
        style=Style.strongest,
        columns=columns,
        lines=tuple(draw(drawn, rows, keys)),
        rows=max(map(len, rows)),
        hidden_share=round(100 * (total - shown) / total) if total else 0,
        pairs=_pairs(flows),
    )


def style_of(cases: int) -> Style:
    """By the number of cases."""
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


def _column(sheet: _Sheet, rows: Sequence[str]) -> Column:
    distinct = frozenset(chain.from_iterable(sheet.stated))
    hidden, members = len(distinct - sheet.shown), _members(sheet)
    nodes = (Node(row, len(members[row]), hidden if row == MORE else 0, keys_of(members[row])) for row in rows)
    return Column(tuple(nodes), len(distinct))


def _large_column(letter: str, counted: Counted, rows: Sequence[str]) -> Column:
    nodes = (
        Node(row, counted.counts[row], counted.hidden if row == MORE else 0, f"{letter}{place}")
        for place, row in enumerate(rows)
    )
    return Column(tuple(nodes), counted.distinct)


def _members(sheet: _Sheet) -> dict[str, list[int]]:
    """Row → the cases that it stands for, by their place."""
    members: dict[str, list[int]] = defaultdict(list)
    for case, values in enumerate(sheet.stated):
        for row in dict.fromkeys(sheet.fold(value) for value in values or (NONE,)):
            members[row].append(case)
    return members


def _edges(a: _Sheet, b: _Sheet, style: Style) -> list[Edge]:
    """The lines of one gutter: a band a pair of rows, or a thread a case with its further values dotted."""
    if style is not Style.threads:
        grouped: dict[tuple[str, str], list[int]] = defaultdict(list)
        for case, pair in enumerate(zip(a.main, b.main, strict=True)):
            grouped[pair].append(case)
        return [Edge(*pair, len(cases), cases, "o" if MORE in pair else "") for pair, cases in grouped.items()]
    edges = []
    for case, main in enumerate(zip(a.main, b.main, strict=True)):
        further = dict.fromkeys(_further(a, b, case, main))
        edges += [Edge(*main, 1, [case]), *(Edge(*pair, 1, [case], "d") for pair in further if pair != main)]
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
