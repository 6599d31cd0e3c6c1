"""Cases over the years by root cause: what the drawing and its table twin show."""

from collections import Counter
from dataclasses import dataclass

from kb import links
from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import ListIncidents, ask
from kb.web.chart_scale import percent

ROWS = 12
BAR = 30
ROW = 58


@dataclass(frozen=True)
class Column:
    """One year of one cause. `x`, `width` in per cent; `height` in pixels of the bar."""

    year: int
    count: int
    x: str
    width: str
    height: float
    href: str


@dataclass(frozen=True)
class Cause:
    slug: str
    name: str
    page: str
    total: int
    undated: int
    y: int
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class TimelineView:
    causes: tuple[Cause, ...]
    years: tuple[tuple[int, str], ...]
    """Year, and the middle of its column in per cent."""
    totals: tuple[int, ...]
    count: int
    undated: int
    hidden: int
    """Causes that are not drawn because they have fewer cases."""
    height: int
    row: int = ROW


def timeline_view(library: Library, lang: Lang) -> TimelineView:
    """Every case under each of its root causes, as the lists that the numbers lead to; `totals` hold it once."""
    cases = library.outline(ask(ListIncidents, {"lang": lang, "sort": "oldest"}))
    by_year = Counter(_year(case.date) for case in cases)
    met = Counter((slug, _year(case.date)) for case in cases for slug in case.root_causes)
    by_cause = Counter(slug for case in cases for slug in case.root_causes)
    ranked = sorted(by_cause, key=lambda slug: (-by_cause[slug], slug))
    dated = [year for year in by_year if year]
    years = list(range(min(dated), max(dated) + 1)) if dated else []
    most = max((n for (_, year), n in met.items() if year), default=1)
    causes = tuple(
        Cause(
            slug=slug,
            name=library.vocabulary.name(Kind.root_causes, slug, lang),
            page=links.topic(lang, Kind.root_causes, slug),
            total=by_cause[slug],
            undated=met[slug, 0],
            y=number * ROW,
            columns=tuple(_column(met, slug, years, year, most, lang) for year in years),
        )
        for number, slug in enumerate(ranked[:ROWS])
    )
    return TimelineView(
        causes=causes,
        years=tuple((year, percent((i + 0.5) / len(years))) for i, year in enumerate(years)),
        totals=tuple(by_year[year] for year in years),
        count=len(cases),
        undated=by_year[0],
        hidden=max(0, len(ranked) - ROWS),
        height=len(causes) * ROW + 24,
    )


def _year(date: str | None) -> int:
    """0 where there is no date."""
    return int(date[:4]) if date else 0


def _column(met: Counter[tuple[str, int]], slug: str, years: list[int], year: int, most: int, lang: Lang) -> Column:
    count, width = met[slug, year], 1 / len(years)
    query = {"root_cause": slug, "since": str(year), "until": str(year)}
    return Column(
        year=year,
        count=count,
        x=percent(width * (years.index(year) + 0.08)),
        width=percent(width * 0.84),
        height=round(BAR * count / most, 1),
        href=links.library(lang, query),
    )
