"""The answers that are lists: search, list, topic, vocabulary, evidence; and the library's own status."""

from enum import StrEnum

from kb.answers.checks import CheckBrief, CheckLink
from kb.answers.common import AnswerModel, TermRef, Verdict
from kb.model import Domain, Kind, Lang, Precision, ReviewStatus


class Span(AnswerModel):
    """A passage without markup, and the parts of it that matched, as half-open character ranges."""

    text: str
    spans: tuple[tuple[int, int], ...]


class WhyKind(StrEnum):
    evidence = "evidence"
    words = "words"
    vocabulary = "vocabulary"
    meaning = "meaning"
    similar = "similar"


class Why(AnswerModel):
    """One reason for a hit: a code, words, a vocabulary value, nearness in meaning, or a better hit it resembles."""

    kind: WhyKind
    text: str
    """For a person: `the words step time`, `Xid 79`."""


class CaseDetails(AnswerModel):
    symptom: str
    cause: str | None
    detection: str | None
    actions: tuple[str, ...]
    follow_ups: tuple[str, ...]
    lessons: str | None
    lang_fallback: tuple[str, ...]


class CaseBrief(AnswerModel):
    """A case as it stands in any list."""

    id: str
    slug: str
    title: str
    org: str
    org_name: str
    date: str | None
    date_precision: Precision | None
    date_basis: str | None
    domain: Domain
    symptoms: tuple[str, ...]
    components: tuple[str, ...]
    root_causes: tuple[str, ...]
    factors: tuple[str, ...]
    status: ReviewStatus
    page: str
    details: CaseDetails | None = None
    """Only with `detail=full`."""


class Hit(CaseBrief):
    score: float
    why: tuple[Why, ...]
    highlights: dict[str, Span]
    """Field → passage with the words that matched."""
    checks: tuple[CheckLink, ...]


class SuggestedFilter(AnswerModel):
    """A vocabulary value found in the words typed, with the number of cases it would leave."""

    kind: Kind
    slug: str
    name: str
    filter: str
    cases: int


class NextCheck(AnswerModel):
    """A check that separates the candidate causes of this list; `gain` in bits."""

    check: str
    title: str
    separates: tuple[str, ...]
    """The main root causes of the cases that it finds."""
    gain: float
    page: str


class FacetValue(AnswerModel):
    slug: str
    name: str
    count: int


class Facet(AnswerModel):
    kind: Kind
    filter: str
    values: tuple[FacetValue, ...]
    """Most frequent first, then by slug."""
    not_stated: int
    """Cases of this selection without any value of this kind."""


class SearchAnswer(AnswerModel):
    verdict: Verdict
    count: int
    """Cases above the cut, over all pages."""
    first: int
    """Position of the first case of this page, from 1; 0 when there is none."""
    cases: tuple[Hit, ...]
    next_cursor: str | None
    previous_cursor: str | None
    near_misses_cut: int
    left_out_by_filters: int
    """Cases that answer the sentence and that do not carry all the filters."""
    suggested_filters: tuple[SuggestedFilter, ...]
    did_you_mean: tuple[str, ...]
    next_checks: tuple[NextCheck, ...]
    facets: tuple[Facet, ...]
    """Over all cases above the cut."""
    meaning: bool
    """Whether meaning took part; without a model the library searches by words alone and says so."""
    lang: Lang
    data_version: str


class ListAnswer(AnswerModel):
    count: int
    """The total, over all pages."""
    first: int
    """Position of the first case of this page, from 1; 0 when there is none."""
    cases: tuple[CaseBrief, ...]
    facets: tuple[Facet, ...]
    next_cursor: str | None
    previous_cursor: str | None
    undated_excluded: int
    lang: Lang
    data_version: str


class RelatedValue(AnswerModel):
    kind: Kind
    slug: str
    name: str
    count: int
    cases: tuple[str, ...]
    page: str


class ExampleCase(AnswerModel):
    """A case at the edge of a value, and half a sentence on why it falls to this side."""

    id: str
    title: str
    why: str
    instead: TermRef | None
    """The value that a case carries which does not belong."""
    page: str


class ExamplesAnswer(AnswerModel):
    belongs: ExampleCase | None
    does_not_belong: ExampleCase | None


class TopicAnswer(AnswerModel):
    kind: Kind
    slug: str
    name: str
    name_en: str
    name_ko: str
    definition: str | None
    examples: ExamplesAnswer | None
    """Where the line of the value runs; absent for organisations."""
    no_case: str | None
    """Why it is there although no case carries it."""
    aliases: tuple[str, ...]
    broader: tuple[TermRef, ...]
    narrower: tuple[TermRef, ...]
    home: str | None
    country: str | None
    symptoms: str | None
    """The sentence asked with, echoed."""
    verdict: Verdict | None
    count: int
    cases: tuple[CaseBrief, ...]
    near_misses_cut: int
    next_cursor: str | None
    related_terms: tuple[RelatedValue, ...]
    checks: tuple[CheckBrief, ...]
    no_check: str | None
    """Why no proven check is made for it, where that is said."""
    next_checks: tuple[NextCheck, ...]
    """Over all its cases, or all that the sentence finds, not only those of this page."""
    page: str
    lang: Lang
    lang_fallback: tuple[str, ...]
    data_version: str


class VocabMatch(AnswerModel):
    kind: Kind
    slug: str
    name: str
    name_en: str
    name_ko: str
    definition: str | None
    aliases: tuple[str, ...]
    similarity: float | None
    """Absent when nothing was asked for and all values are listed."""
    why: tuple[Why, ...]
    """The name or alias that shares words with the question, and nearness in meaning."""
    highlights: dict[str, Span]
    """`label`: that name or alias, with the words that matched."""
    cases: int
    page: str


class VocabAnswer(AnswerModel):
    verdict: Verdict | None
    count: int
    matches: tuple[VocabMatch, ...]
    near_misses_cut: int
    did_you_mean: tuple[str, ...]
    next_cursor: str | None
    lang: Lang
    data_version: str


class EvidenceKey(AnswerModel):
    """An exact key extracted from pasted text, as `xid:79`, `nccl:ncclSystemError`, `exit:137`."""

    kind: str
    value: str
    text: str
    """As it stood in the text."""
    cases: tuple[str, ...]


class EvidenceAnswer(AnswerModel):
    verdict: Verdict
    keys: tuple[EvidenceKey, ...]
    count: int
    cases: tuple[Hit, ...]
    checks: tuple[CheckBrief, ...]
    characters_used: int
    characters_given: int
    lang: Lang
    data_version: str


class StatusAnswer(AnswerModel):
    data_version: str
    schema_version: str
    cases: int
    """Cases that are served: those approved or provisional."""
    by_domain: dict[str, int]
    """The served cases."""
    records: int
    """All records of the files: the served cases, and drafts and withdrawn ones."""
    by_status: dict[str, int]
    """All records."""
    not_served: dict[str, int]
    """Those of them that are not served, by status: `records − cases`."""
    terms: dict[str, int]
    checks: dict[str, int]
    meaning: bool
