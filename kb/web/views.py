"""What the library page shows, worked out of an answer: chips, facets, graph, pager. No markup, no words."""

from collections import Counter
from dataclasses import dataclass

from markupsafe import Markup

from kb import links
from kb.answers import Facet, SearchAnswer
from kb.library import Library
from kb.model import Domain, Kind, Lang
from kb.questions import Sort
from kb.vocabulary import Vocabulary
from kb.web import mine
from kb.web.asking import Asked, Found, Mode
from kb.web.chart_scale import percent
from kb.web.graph_view import GraphView, graph_view
from kb.web.next_view import NextView, next_views
from kb.web.rows import CaseRows
from kb.web.steps import Step, Steps

FACET_VALUES = 6
KIND_OF = {kind.filter_name: kind for kind in Kind}


@dataclass(frozen=True)
class Chip:
    """A filter that is on, is proposed, or could be taken away; `kind` is the filter's name."""

    kind: str
    name: str
    step: Step
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
class LibraryView:
    asked: Asked
    found: Found
    chips: tuple[Chip, ...]
    clear: Step
    suggested: tuple[Chip, ...]
    take_away: tuple[Chip, ...]
    nearby: tuple[Chip, ...]
    next_checks: tuple[NextView, ...]
    rows: tuple[Markup, ...]
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
    query, steps = asked.query, Steps(lang, asked)
    return LibraryView(
        asked=asked,
        found=found,
        chips=tuple(_chip(vocabulary, lang, steps, name, value) for name, value in _on(asked)),
        clear=Step(
            links.library(lang, {"symptoms": asked.text} if asked.text else {}) if asked.linkable else None, "clear=all"
        ),
        suggested=_suggested(found, steps),
        take_away=tuple(_chip(vocabulary, lang, steps, name, query[name], count=n) for name, n in found.without if n),
        nearby=tuple(Chip(m.kind.filter_name, m.name, Step(m.page, "")) for m in found.nearby if m.cases),
        next_checks=next_views(getattr(found.answer, "next_checks", ()), vocabulary, lang),
        rows=library.part(CaseRows).of(found.cases, lang),
        facets=tuple(facet_view(facet, lang, steps, asked, found.answer.count) for facet in found.facets),
        domains=_domains(steps, found),
        graph=graph_view(library, lang, steps, found),
        mine=mine.for_selection(library, lang, found.facets),
        sorts=_sorts(lang, asked),
        newer=_page(steps, getattr(found.answer, "previous_cursor", None)),
        older=_page(steps, getattr(found.answer, "next_cursor", None)),
        as_list=links.library(lang, asked.filters),
    )


def _on(asked: Asked) -> list[tuple[str, str]]:
    dates = [(name, asked.others[name]) for name in ("since", "until") if name in asked.others]
    return [*asked.filters.items(), *dates]


def _chip(vocabulary: Vocabulary, lang: Lang, steps: Steps, name: str, value: str, *, count: int | None = None) -> Chip:
    kind = KIND_OF.get(name)
    label = vocabulary.name(kind, value, lang) if kind else value
    return Chip(name, label, steps.filter(name, value), count)


def _suggested(found: Found, steps: Steps) -> tuple[Chip, ...]:
    if not isinstance(found.answer, SearchAnswer):
        return ()
    return tuple(
        Chip(s.filter, s.name, steps.filter(s.filter, s.slug), s.cases)
        for s in found.answer.suggested_filters
        if s.cases
    )


def facet_view(facet: Facet, lang: Lang, steps: Steps, asked: Asked, total: int) -> FacetView:
    """The six most frequent values; one that is filtered on always shows."""
    chosen = asked.filters.get(facet.filter)
    shown = [v for i, v in enumerate(facet.values) if i < FACET_VALUES or v.slug == chosen]
    if len(facet.values) == len(shown) + 1:
        shown = list(facet.values)
    values = tuple(
        FacetRow(
            name=value.name,
            count=value.count,
            step=steps.filter(facet.filter, value.slug),
            on=value.slug == chosen,
            share=percent(value.count / max(1, total)),
        )
        for value in shown
    )
    hidden = len(facet.values) - len(shown)
    return FacetView(facet.kind, values, len(facet.values), hidden, facet.not_stated, links.topics(lang, facet.kind))


def _domains(steps: Steps, found: Found) -> tuple[FacetRow, ...]:
    """Both domains with their counts over the whole selection; a whole log has no filters."""
    if found.asked.mode is Mode.evidence:
        return ()
    counts = Counter(case.domain for case in found.graph_cases)
    on, total = found.asked.filters.get("domain"), max(1, found.answer.count)
    return tuple(
        FacetRow(d.value, counts[d], steps.filter("domain", d.value), d == on, percent(counts[d] / total))
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


def _page(steps: Steps, cursor: str | None) -> Step | None:
    return None if cursor is None else steps.page(cursor)
