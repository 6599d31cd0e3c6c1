"""The map of holes as a table: how long each bar is, and where each number leads."""

from collections.abc import Mapping
from dataclasses import dataclass

from kb import links
from kb.answers import Hole
from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import Holes, Show, ask
from kb.web.chart_scale import percent

#: Checks that fill the width, so that one or two do not look like plenty.
FULL = 8
KINDS = (Kind.symptoms, Kind.components, Kind.root_causes, Kind.factors)


@dataclass(frozen=True)
class HoleRow:
    """cases, proven, draft: lengths of the bars, in per cent of the longest of their side."""

    hole: Hole
    cases_bar: str
    caught_bar: str
    proven_bar: str
    checks_bar: str
    as_filter: str


@dataclass(frozen=True)
class HolesView:
    rows: tuple[HoleRow, ...]
    count: int
    shows: tuple[tuple[str, str, bool], ...]
    """Choice, address, whether it is the current one."""
    kinds: tuple[tuple[Kind | None, str, bool], ...]


def holes_view(library: Library, lang: Lang, given: Mapping[str, str]) -> HolesView:
    """
    Raises:
        UnknownArgument, UnknownValue: as `ask` refuses.
    """
    question = ask(Holes, {**given, "lang": lang})
    answer = library.holes(question)
    most_cases = max((hole.cases for hole in answer.holes), default=1) or 1
    most_checks = max(FULL, *(len(hole.checks) for hole in answer.holes)) if answer.holes else FULL
    return HolesView(
        rows=tuple(_row(hole, lang, most_cases, most_checks) for hole in answer.holes),
        count=answer.count,
        shows=tuple((s.value, _address(lang, s, question.kind), s is question.show) for s in Show),
        kinds=tuple((k, _address(lang, question.show, k), k is question.kind) for k in (None, *KINDS)),
    )


def _address(lang: Lang, show: Show, kind: Kind | None) -> str:
    query = {"show": "" if show is Show.all else show.value, "kind": kind.value if kind else ""}
    return links.with_query(links.holes(lang), query)


def _row(hole: Hole, lang: Lang, most_cases: int, most_checks: int) -> HoleRow:
    return HoleRow(
        hole=hole,
        cases_bar=percent(hole.cases / most_cases),
        caught_bar=percent(hole.caught / most_cases),
        proven_bar=percent(hole.proven / most_checks),
        checks_bar=percent(len(hole.checks) / most_checks),
        as_filter=links.library(lang, {hole.kind.filter_name: hole.slug}),
    )
