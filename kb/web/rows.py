"""A case as a row of a list: what the template prints, worked out, and kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup, escape

from kb import links
from kb.answers import CaseBrief, CaseDetails, Hit, Span
from kb.library import Library
from kb.model import Kind, Lang
from kb.web.prose import excerpt, inline, marked, typo
from kb.web.render import macros, term_line

DIAGNOSIS = (Kind.symptoms, Kind.components, Kind.root_causes, Kind.factors)
LISTED = 3
PASSAGE, ITEM = 250, 150
TEMPLATE = "parts/rows.html"
#: Rows, and parts of rows, that are kept: some 5 kB each.
KEPT = 2_000


@dataclass(frozen=True)
class Field:
    """One field of the details; without `items` it is not stated.

    key: key of its label in the table of words.
    listed: whether the items are a list; else there is one passage.
    more: how many items were left out.
    """

    key: str
    items: tuple[Markup, ...]
    listed: bool = False
    more: int = 0


@dataclass(frozen=True)
class Row:
    case: CaseBrief
    hit: Hit | None
    """The same case with score and reasons, where the list is a search."""
    title: Markup
    symptom: Markup | None
    """The opening of what was seen; of a hit, the passage that matched."""


class CaseRows:
    """The cases of one build as HTML. What no question changes is made once and kept."""

    def __init__(self, library: Library) -> None:
        self._vocabulary = library.vocabulary
        #: By the brief itself, of which a library has one for each case, language and detail.
        self._listed: dict[int, tuple[CaseBrief, Markup]] = {}
        self._more = lru_cache(KEPT)(_more)
        self._term = lru_cache(KEPT)(self._make_term)

    def of(self, cases: Sequence[CaseBrief], lang: Lang) -> tuple[Markup, ...]:
        """A row each; the first hit of a search stands open."""
        return tuple(
            self._hit(case, lang, first=i == 0) if isinstance(case, Hit) else self._brief(case, lang)
            for i, case in enumerate(cases)
        )

    def _brief(self, case: CaseBrief, lang: Lang) -> Markup:
        brief, html = self._listed.get(id(case), (None, Markup()))
        if brief is not case:
            more = _more(case.details, case.page, lang)
            html = self._html(row(case, lang), more, lang, opened=False)
            if len(self._listed) >= KEPT:
                self._listed.clear()
            self._listed[id(case)] = case, html
        return html

    def _hit(self, case: Hit, lang: Lang, *, first: bool) -> Markup:
        return self._html(row(case, lang), self._more(case.details, case.page, lang), lang, opened=first)

    def _html(self, row: Row, more: Markup, lang: Lang, *, opened: bool) -> Markup:
        terms = [self._term(kind, slug, lang) for kind in DIAGNOSIS for slug in getattr(row.case, kind)]
        return macros(TEMPLATE, lang)["case_row"](row, terms, more, opened)

    def _make_term(self, kind: Kind, slug: str, lang: Lang) -> Markup:
        return term_line(kind, self._vocabulary.name(kind, slug, lang), links.topic(lang, kind, slug), lang)


def _more(details: CaseDetails | None, page: str, lang: Lang) -> Markup:
    """What a row shows when it is opened."""
    return macros(TEMPLATE, lang)["more"](fields(details, lang), page) if details else Markup()


def row(case: CaseBrief, lang: Lang) -> Row:
    hit = case if isinstance(case, Hit) else None
    return Row(case, hit, _title(case, hit, lang), _symptom(case.details, hit, lang))


def _title(case: CaseBrief, hit: Hit | None, lang: Lang) -> Markup:
    span = hit.highlights.get("title") if hit else None
    if span and span.text == case.title:
        return marked(span.text, span.spans, lang)
    return escape(typo(case.title, lang))


def _symptom(details: CaseDetails | None, hit: Hit | None, lang: Lang) -> Markup | None:
    span = hit.highlights.get("narrative.symptom") if hit else None
    if span:
        return _passage_of(span, details.symptom if details else span.text, lang)
    if details is None:
        return None
    return _said(excerpt(details.symptom, lang, PASSAGE), "narrative.symptom", details, lang)


def _passage_of(span: Span, whole: str, lang: Lang) -> Markup:
    """A passage cut out of `whole`, with its matches marked; code that the cut went through is closed again."""
    before, _, after = whole.partition(span.text)
    opened = before.count("`") % 2
    text = "`" * opened + span.text
    text += "`" * (text.count("`") % 2)
    said = marked(text, [(start + opened, end + opened) for start, end in span.spans], lang)
    return ("… " if before else "") + said + (" …" if after else "")


def fields(details: CaseDetails, lang: Lang) -> tuple[Field, ...]:
    """What a row shows when it is opened."""
    return (
        _passage("cause", details.cause, details, lang),
        _passage("detection", details.detection, details, lang),
        _list("actions", details.actions, details, lang),
        _list("follow_ups", details.follow_ups, details, lang),
        _passage("lessons", details.lessons, details, lang),
    )


def _passage(key: str, text: str | None, details: CaseDetails, lang: Lang) -> Field:
    if not text:
        return Field(key, ())
    return Field(key, (_said(excerpt(text, lang, PASSAGE), f"narrative.{key}", details, lang),))


def _list(key: str, items: tuple[str, ...], details: CaseDetails, lang: Lang) -> Field:
    said = tuple(_said(excerpt(item, lang, ITEM), key, details, lang) for item in items[:LISTED])
    return Field(key, said, listed=True, more=max(0, len(items) - LISTED))


def _said(text: str, name: str, details: CaseDetails, lang: Lang) -> Markup:
    """The passage, marked as English where English stands in for Korean."""
    if name in details.lang_fallback:
        return Markup('<span class="q" lang="en">{}</span>').format(inline(text, Lang.en))
    return inline(text, lang)
