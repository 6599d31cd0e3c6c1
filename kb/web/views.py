"""What the library page shows, worked out of an answer: chips, facets, graph, pager. No markup, no words."""

from collections import Counter
from dataclasses import dataclass

from kb import links
from kb.answers import CaseBrief, Facet, SearchAnswer
from kb.library import Library
from kb.model import Domain, Kind, Lang
from kb.questions import Sort
from kb.vocabulary import Vocabulary
from kb.web import graph, mine, rows
from kb.web.asking import Asked, Found, Mode
from kb.web.chart_scale import percent
from kb.web.next_view import NextView, next_views

FACET_VALUES = 6
KIND_OF = {kind.filter_name: kind for kind in Kind}


@dataclass(frozen=True)
class Step:
    """From this list to another: a link, or a button of the posted question where the text is kept out of addresses."""

    href: str | None
    toggle: str


@dataclass(frozen=True)
class Chip:
    """A filter that is on, is proposed, or could be taken away; `kind` is the filter's name."""

    kind: str
    name: str
    step: "Step"
    count: int | None = None

    @property
    def mark(self) -> Kind | None:
        return KIND_OF.get(self.kind)


@dataclass(frozen=True)
class FacetRow:
    name: str
    count: int
    step: Step
    on: bool
    share: str
    """Width of the bar, as `24.1%`."""


@dataclass(frozen=True)
class FacetView:
    kind: Kind
    values: tuple[FacetRow, ...]
    distinct: int
    hidden: int
    not_stated: int
    more: str


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


@dataclass(frozen=True)
class LibraryView:
    asked: Asked
    found: Found
    chips: tuple[Chip, ...]
    clear: Step
    suggested: tuple[Chip, ...]
    take_away: tuple[Chip, ...]
    nearby: tuple[Chip, ...]
    next_checks: tuple[NextView, ...]
    rows: tuple[rows.Row, ...]
    facets: tuple[FacetView, ...]
    domains: tuple[FacetRow, ...]
    graph: GraphView | None
    mine: mine.Mine
    sorts: tuple[tuple[str, str, bool], ...]
    newer: Step | None
    older: Step | None
    as_list: str
    """The same filters as a list without a search."""


def library_view(library: Library, lang: Lang, found: Found) -> LibraryView:
    asked, vocabulary = found.asked, library.vocabulary
    query = asked.query
    return LibraryView(
        asked=asked,
        found=found,
        chips=tuple(_chip(vocabulary, lang, asked, name, value) for name, value in _on(asked)),
        clear=Step(
            links.library(lang, {"symptoms": asked.text} if asked.text else {}) if asked.linkable else None, "clear=all"
        ),
        suggested=_suggested(found, lang),
        take_away=tuple(_chip(vocabulary, lang, asked, name, query[name], count=n) for name, n in found.without if n),
        nearby=tuple(Chip(m.kind.filter_name, m.name, Step(m.page, "")) for m in found.nearby if m.cases),
        next_checks=next_views(getattr(found.answer, "next_checks", ()), vocabulary, lang),
        rows=rows.rows(found.cases, vocabulary, lang),
        facets=tuple(facet_view(facet, lang, asked, found.answer.count) for facet in found.facets),
        domains=_domains(lang, found),
        graph=graph_view(vocabulary, lang, found),
        mine=mine.for_selection(library, lang, found.facets),
        sorts=_sorts(lang, asked),
        newer=_page(lang, found, getattr(found.answer, "previous_cursor", None)),
        older=_page(lang, found, getattr(found.answer, "next_cursor", None)),
        as_list=links.library(lang, asked.filters),
    )


def _on(asked: Asked) -> list[tuple[str, str]]:
    dates = [(name, asked.others[name]) for name in ("since", "until") if name in asked.others]
    return [*asked.filters.items(), *dates]


def _step(lang: Lang, asked: Asked, name: str, value: str) -> Step:
    """The same question with one filter more or less."""
    href = links.library(lang, links.toggle(asked.query, name, value)) if asked.linkable else None
    return Step(href, f"{name}={value}")


def _chip(vocabulary: Vocabulary, lang: Lang, asked: Asked, name: str, value: str, *, count: int | None = None) -> Chip:
    kind = KIND_OF.get(name)
    label = vocabulary.name(kind, value, lang) if kind else value
    return Chip(name, label, _step(lang, asked, name, value), count)


def _suggested(found: Found, lang: Lang) -> tuple[Chip, ...]:
    if not isinstance(found.answer, SearchAnswer):
        return ()
    return tuple(
        Chip(s.filter, s.name, _step(lang, found.asked, s.filter, s.slug), s.cases)
        for s in found.answer.suggested_filters
        if s.cases
    )


def facet_view(facet: Facet, lang: Lang, asked: Asked, total: int) -> FacetView:
    """The six most frequent values; one that is filtered on always shows."""
    chosen = asked.filters.get(facet.filter)
    shown = [v for i, v in enumerate(facet.values) if i < FACET_VALUES or v.slug == chosen]
    if len(facet.values) == len(shown) + 1:
        shown = list(facet.values)
    values = tuple(
        FacetRow(
            name=value.name,
            count=value.count,
            step=_step(lang, asked, facet.filter, value.slug),
            on=value.slug == chosen,
            share=percent(value.count / max(1, total)),
        )
        for value in shown
    )
    hidden = len(facet.values) - len(shown)
    return FacetView(facet.kind, values, len(facet.values), hidden, facet.not_stated, links.topics(lang, facet.kind))


def _domains(lang: Lang, found: Found) -> tuple[FacetRow, ...]:
    """Both domains with their counts over the whole selection; a whole log has no filters."""
    if found.asked.mode is Mode.evidence:
        return ()
    counts = Counter(case.domain for case in found.graph_cases)
    on, total = found.asked.filters.get("domain"), max(1, found.answer.count)
    return tuple(
        FacetRow(d.value, counts[d], _step(lang, found.asked, "domain", d.value), d == on, percent(counts[d] / total))
        for d in Domain
        if counts[d] or d == on
    )


def _sorts(lang: Lang, asked: Asked) -> tuple[tuple[str, str, bool], ...]:
    if asked.mode is not Mode.listing:
        return ()
    current = asked.others.get("sort", Sort.newest.value)
    rest = {name: value for name, value in asked.query.items() if name != "sort"}
    return tuple(
        (s.value, links.library(lang, rest if s is Sort.newest else {**rest, "sort": s.value}), s.value == current)
        for s in Sort
    )


def _page(lang: Lang, found: Found, cursor: str | None) -> Step | None:
    if cursor is None:
        return None
    address = links.library(lang, {**found.asked.query, "cursor": cursor}) if found.asked.linkable else None
    return Step(address, f"cursor={cursor}")


def graph_view(vocabulary: Vocabulary, lang: Lang, found: Found) -> GraphView | None:
    """The graph of the selection, with names and links; none for a single case or an empty list."""
    cases = found.graph_cases
    if len(cases) < 2:
        return None
    drawn = graph.build([graph_case(case) for case in cases], found.asked.filters.values())
    kinds: tuple[Kind | None, ...] = (*rows.DIAGNOSIS, None if drawn.style is graph.Style.threads else Kind.orgs)
    by_id = {case.id: case for case in cases}
    columns = tuple(
        (kind, tuple(_graph_row(node, kind, vocabulary, lang, found.asked, by_id) for node in column.nodes))
        for kind, column in zip(kinds, drawn.columns, strict=True)
    )
    pairs = tuple(
        (k, vocabulary.name(k, p.left, lang), other, vocabulary.name(other, p.right, lang), p.count)
        for p in drawn.pairs
        for k, other in [(rows.DIAGNOSIS[p.column], rows.DIAGNOSIS[p.column + 1])]
    )
    table = tuple(
        (case, tuple(tuple(vocabulary.name(k, s, lang) for s in getattr(case, k.value)) for k in rows.DIAGNOSIS))
        for case in cases
        if drawn.style is graph.Style.threads
    )
    return GraphView(drawn, columns, pairs, table, len(cases), len(cases) == found.answer.count)


def graph_case(case: CaseBrief) -> graph.GraphCase:
    return graph.GraphCase(case.id, case.org, (case.symptoms, case.components, case.root_causes, case.factors))


def _graph_row(
    node: graph.Node, kind: Kind | None, vocabulary: Vocabulary, lang: Lang, asked: Asked, cases: dict[str, CaseBrief]
) -> GraphRow:
    if node.slug == graph.NONE:
        return GraphRow(node, "", None, on=False)
    if node.slug == graph.MORE:
        return GraphRow(node, "", links.topics(lang, kind) if kind else None, on=False)
    if kind is None:
        case = cases[node.slug]
        return GraphRow(node, f"{case.id} {case.org_name}", case.page, on=False)
    on = asked.filters.get(kind.filter_name) == node.slug
    name, short = vocabulary.name(kind, node.slug, lang), _short(vocabulary, kind, node.slug, lang)
    href = _step(lang, asked, kind.filter_name, node.slug).href
    return GraphRow(node, short or name, href, on, name if short else None)


def _short(vocabulary: Vocabulary, kind: Kind, slug: str, lang: Lang) -> str | None:
    """The vocabulary's name for narrow columns, if it has one."""
    short = getattr(vocabulary.get(kind, slug), "short", None)
    return short.say(lang)[0] if short else None
