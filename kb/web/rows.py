"""A case as a row of a list: what the template prints, worked out."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from kb import links
from kb.answers import CaseBrief, CaseDetails, Hit, Span, TermRef
from kb.model import Kind, Lang
from kb.vocabulary import Vocabulary
from kb.web.prose import excerpt, inline, marked, typo

DIAGNOSIS = (Kind.symptoms, Kind.components, Kind.root_causes, Kind.factors)
LISTED = 3
PASSAGE, ITEM = 250, 150


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
    terms: tuple[TermRef, ...]
    fields: tuple[Field, ...]
    open: bool

    @property
    def stated(self) -> tuple[str, ...]:
        """Keys of the fields that are there."""
        return tuple(field.key for field in self.fields if field.items)


def rows(cases: Sequence[CaseBrief], vocabulary: Vocabulary, lang: Lang) -> tuple[Row, ...]:
    """The first hit of a search stands open."""
    return tuple(row(case, vocabulary, lang, first=i == 0) for i, case in enumerate(cases))


def row(case: CaseBrief, vocabulary: Vocabulary, lang: Lang, *, first: bool) -> Row:
    hit = case if isinstance(case, Hit) else None
    return Row(
        case=case,
        hit=hit,
        title=_title(case, hit, lang),
        symptom=_symptom(case.details, hit, lang),
        terms=terms(case, vocabulary, lang),
        fields=_fields(case.details, lang) if case.details else (),
        open=first and hit is not None,
    )


def terms(case: CaseBrief, vocabulary: Vocabulary, lang: Lang) -> tuple[TermRef, ...]:
    """The values of a case in the order of diagnosis."""
    return tuple(
        TermRef(kind=kind, slug=slug, name=vocabulary.name(kind, slug, lang), page=links.topic(lang, kind, slug))
        for kind in DIAGNOSIS
        for slug in getattr(case, kind.value)
    )


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


def _fields(details: CaseDetails, lang: Lang) -> tuple[Field, ...]:
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
