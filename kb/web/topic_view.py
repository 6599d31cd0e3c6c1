"""What a topic's page shows: the value, what goes with it, and its cases as rows."""

from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from kb import links
from kb.answers import RelatedValue, TopicAnswer
from kb.library import Library
from kb.model import Kind, Lang
from kb.web.chart_scale import percent
from kb.web.next_view import NextView, next_views
from kb.web.rows import CaseRows

SHOWN = 8


@dataclass(frozen=True)
class RelatedColumn:
    """Values of one kind that occur with the topic: value, address of the two as filters, width of its bar."""

    kind: Kind
    values: tuple[tuple[RelatedValue, str, str], ...]


@dataclass(frozen=True)
class TopicView:
    answer: TopicAnswer
    related: tuple[RelatedColumn, ...]
    next_checks: tuple[NextView, ...]
    rows: tuple[Markup, ...]
    as_filter: str
    older: str | None
    whole: str
    """The page without a sentence and from its beginning."""


def topic_view(library: Library, lang: Lang, answer: TopicAnswer) -> TopicView:
    own = {answer.kind.filter_name: answer.slug}
    query = {"symptoms": answer.symptoms or "", "cursor": answer.next_cursor or ""}
    return TopicView(
        answer=answer,
        related=tuple(
            RelatedColumn(kind, tuple(_related(value, own, lang, answer.count) for value in list(values)[:SHOWN]))
            for kind, values in groupby(answer.related_terms, key=lambda value: value.kind)
        ),
        next_checks=next_views(answer.next_checks, library.vocabulary, lang),
        rows=library.part(CaseRows).of(answer.cases, lang),
        as_filter=links.library(lang, own),
        older=links.with_query(answer.page, query) if answer.next_cursor else None,
        whole=answer.page,
    )


def _related(value: RelatedValue, own: dict[str, str], lang: Lang, total: int) -> tuple[RelatedValue, str, str]:
    both = {**own, value.kind.filter_name: value.slug}
    return value, links.library(lang, both), percent(value.count / max(1, total))
