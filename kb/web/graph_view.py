"""The graph of a selection as the library page shows it: the layout with names and links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kb import links
from kb.answers import CaseBrief
from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import ListIncidents, ask
from kb.vocabulary import Vocabulary
from kb.web import graph
from kb.web.asking import Asked, Found
from kb.web.graph_lines import MORE, NONE
from kb.web.graph_table import CaseTable, GraphCase
from kb.web.rows import DIAGNOSIS
from kb.web.steps import Steps

#: Large graphs that are kept, some 80 kB each.
KEPT = 64


@dataclass(frozen=True)
class GraphRow:
    """A row with its label; `full` is the whole name where the label is the vocabulary's short form."""

    node: graph.Node
    name: str
    href: str | None
    on: bool
    full: str | None = None


@dataclass(frozen=True)
class GraphView:
    """columns: kind (nothing for the cases) and rows of each; pairs: kinds, names and count for the table."""

    graph: graph.Graph
    columns: tuple[tuple[Kind | None, tuple[GraphRow, ...]], ...]
    pairs: tuple[tuple[Kind, str, Kind, str, int], ...]
    cases: tuple[tuple[CaseBrief, tuple[tuple[str, ...], ...]], ...]
    count: int
    whole: bool
    """Whether all cases of the selection take part, not only those of the page."""


def graph_view(library: Library, lang: Lang, steps: Steps, found: Found) -> GraphView | None:
    """The graph of the selection, with names and links; none for a single case or an empty list."""
    cases, vocabulary = found.graph_cases, library.vocabulary
    if len(cases) < 2:
        return None
    drawn = _drawn(library, cases, found.asked.filters)
    threads = drawn.style is graph.Style.threads
    kinds: tuple[Kind | None, ...] = (*DIAGNOSIS, None if threads else Kind.orgs)
    named = _Named(vocabulary, lang, found.asked, steps, {case.id: case for case in cases} if threads else {})
    columns = tuple(
        (kind, tuple(named.row(node, kind) for node in column.nodes))
        for kind, column in zip(kinds, drawn.columns, strict=True)
    )
    pairs = tuple(
        (k, vocabulary.name(k, p.left, lang), other, vocabulary.name(other, p.right, lang), p.count)
        for p in drawn.pairs
        for k, other in [(DIAGNOSIS[p.column], DIAGNOSIS[p.column + 1])]
    )
    table = tuple(
        (case, tuple(tuple(vocabulary.name(k, s, lang) for s in getattr(case, k.value)) for k in DIAGNOSIS))
        for case in (cases if threads else ())
    )
    return GraphView(drawn, columns, pairs, table, len(cases), len(cases) == found.answer.count)


def _drawn(library: Library, cases: Sequence[CaseBrief], filters: Mapping[str, str]) -> graph.Graph:
    if graph.style_of(len(cases)) is graph.Style.strongest:
        return library.part(_LargeGraphs).of(frozenset(case.id for case in cases), frozenset(filters.values()))
    return graph.build([graph_case(case) for case in cases], filters.values())


class _LargeGraphs:
    """Those of one build. They do not depend on the order of the cases, so all pages and sorts of a list have one."""

    def __init__(self, library: Library) -> None:
        self._table = CaseTable([graph_case(case) for case in library.outline(ask(ListIncidents, {"sort": "id"}))])
        self.of = lru_cache(KEPT)(self._make)

    def _make(self, cases: frozenset[str], chosen: frozenset[str]) -> graph.Graph:
        numbers = np.array(sorted(self._table.number[case_id] for case_id in cases), dtype=np.intp)
        return graph.build_large(self._table, numbers, chosen)


def graph_case(case: CaseBrief) -> GraphCase:
    return GraphCase(case.id, case.org, (case.symptoms, case.components, case.root_causes, case.factors))


@dataclass(frozen=True)
class _Named:
    """Puts names and links to the rows. cases: those of a graph that ends in single cases, by id."""

    vocabulary: Vocabulary
    lang: Lang
    asked: Asked
    steps: Steps
    cases: Mapping[str, CaseBrief]

    def row(self, node: graph.Node, kind: Kind | None) -> GraphRow:
        if node.slug == NONE:
            return GraphRow(node, "", None, on=False)
        if node.slug == MORE:
            return GraphRow(node, "", links.topics(self.lang, kind) if kind else None, on=False)
        if kind is None:
            case = self.cases[node.slug]
            return GraphRow(node, f"{case.id} {case.org_name}", case.page, on=False)
        name, short = self.vocabulary.name(kind, node.slug, self.lang), self._short(kind, node.slug)
        on = self.asked.filters.get(kind.filter_name) == node.slug
        href = self.steps.filter(kind.filter_name, node.slug).href
        return GraphRow(node, short or name, href, on, name if short else None)

    def _short(self, kind: Kind, slug: str) -> str | None:
        """The vocabulary's name for narrow columns, if it has one."""
        short = getattr(self.vocabulary.get(kind, slug), "short", None)
        return short.say(self.lang)[0] if short else None
