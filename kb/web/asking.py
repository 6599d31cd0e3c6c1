"""What the library page was asked, and the cases that answer it: a search, a list, or the codes of a whole log."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from kb import links
from kb.answers import CaseBrief, EvidenceAnswer, Facet, Hit, ListAnswer, SearchAnswer, Verdict, VocabMatch
from kb.argument_names import judge_names
from kb.errors import InvalidValue
from kb.library import Library
from kb.model import Lang
from kb.questions import FILTER_NAMES, MAX_SYMPTOMS, ListIncidents, MatchEvidence, SearchIncidents, Vocab, ask
from kb.web.tracking import is_mark

TEXT_NAMES = ("symptoms", "query", "q")
PAGE = "20"
#: A sentence longer than this (UTF-8 bytes) is kept out of the addresses of the page's links.
LONGEST_IN_ADDRESS = 1500


class Mode(StrEnum):
    listing = "listing"
    search = "search"
    evidence = "evidence"


OF_LIST = (*FILTER_NAMES, "since", "until", "sort", "cursor")
#: What the page takes beside the text. The form of a whole log carries what stood there before; codes need none of it.
TAKEN = {Mode.listing: OF_LIST, Mode.search: (*FILTER_NAMES, "cursor"), Mode.evidence: OF_LIST}


@dataclass(frozen=True)
class Asked:
    """The raw question.

    text: the sentence or log, or nothing.
    filters: filter name → value, in the fixed order.
    others: `since`, `until`, `sort` and `cursor`, as given.
    private: whether the text was sent so that it stands in no address.
    """

    text: str | None
    filters: Mapping[str, str]
    others: Mapping[str, str]
    private: bool = False

    @property
    def mode(self) -> Mode:
        if self.text is None:
            return Mode.listing
        return Mode.search if len(self.text) <= MAX_SYMPTOMS else Mode.evidence

    @property
    def linkable(self) -> bool:
        """Whether links may carry the text."""
        return self.text is None or not (self.private or len(self.text.encode()) > LONGEST_IN_ADDRESS)

    @property
    def query(self) -> dict[str, str]:
        """What the page's own links carry: everything but the cursor."""
        text = {"symptoms": self.text} if self.text is not None and self.linkable else {}
        others = {name: value for name, value in self.others.items() if name != "cursor"}
        return {**text, **self.filters, **others}


@dataclass(frozen=True)
class Found:
    """The answer, whatever was asked; fields that an operation does not have are empty."""

    asked: Asked
    answer: SearchAnswer | ListAnswer | EvidenceAnswer
    graph_cases: tuple[CaseBrief, ...]
    nearby: tuple[VocabMatch, ...] = ()
    without: tuple[tuple[str, int], ...] = ()
    """For an empty answer: name of a filter or date → cases that would remain without it."""

    @property
    def verdict(self) -> Verdict | None:
        return None if isinstance(self.answer, ListAnswer) else self.answer.verdict

    @property
    def cases(self) -> tuple[CaseBrief, ...] | tuple[Hit, ...]:
        return self.answer.cases

    @property
    def facets(self) -> tuple[Facet, ...]:
        return () if isinstance(self.answer, EvidenceAnswer) else self.answer.facets

    @property
    def first(self) -> int:
        """Position of the first case, from 1; 0 where there is none."""
        if isinstance(self.answer, EvidenceAnswer):
            return 1 if self.answer.cases else 0
        return self.answer.first


def arguments(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names and values of an address or a form, without the marks of others.

    Raises:
        InvalidValue: one name twice with different values.
    """
    given: dict[str, str] = {}
    for name, value in pairs:
        if is_mark(name):
            continue
        if given.get(name, value) != value:
            raise InvalidValue(f"`{name[:80]}` is given twice with different values.", field=name[:80])
        given[name] = value
    return given


def toggled(form: Mapping[str, str]) -> dict[str, str]:
    """A posted question with the one change that its button stands for.

    `component=etcd` puts a filter on or takes it off, `cursor=…` turns the page, `clear=all` drops all but the text.
    """
    rest = {name: value for name, value in form.items() if name != "toggle"}
    name, _, value = form.get("toggle", "").partition("=")
    if name == "clear":
        return {n: v for n, v in rest.items() if n in TEXT_NAMES}
    return links.toggle(rest, name, value) if name else rest


def asked(raw: Mapping[str, str], *, private: bool = False) -> Asked:
    """Sort raw arguments into text, filters and the rest; blank ones are absent. Judges nothing."""
    given = {name: value for name, value in raw.items() if value.strip()}
    text = next((given[name].replace("\r\n", "\n") for name in TEXT_NAMES if name in given), None)
    filters = {name: given[name] for name in FILTER_NAMES if name in given}
    others = {n: v for n, v in given.items() if n not in (*TEXT_NAMES, *FILTER_NAMES)}
    return Asked(text, filters, others, private)


def find(library: Library, lang: Lang, question: Asked) -> Found:
    """Ask the library.

    Raises:
        BadQuestion, UnknownValue, BadCursor: as `judge_names`, `ask` and the library refuse.
    """
    judge_names((*question.filters, *question.others), TAKEN[question.mode], also=TEXT_NAMES)
    answer = _answer(library, lang, question)
    cases = answer.cases if answer.count == len(answer.cases) else _outline(library, lang, question, answer)
    without = _without(library, lang, question) if not answer.cases else ()
    nearby: tuple[VocabMatch, ...] = ()
    if question.text is not None and not answer.cases:
        nearby = library.vocab(ask(Vocab, {"query": question.text[:MAX_SYMPTOMS], "lang": lang, "limit": "4"})).matches
    return Found(question, answer, cases, nearby, without)


def _answer(library: Library, lang: Lang, question: Asked) -> SearchAnswer | ListAnswer | EvidenceAnswer:
    if question.mode is Mode.evidence:
        return library.match_evidence(ask(MatchEvidence, {"text": question.text, "lang": lang, "limit": PAGE}))
    common = {**question.filters, **question.others, "lang": lang, "limit": PAGE, "detail": "full"}
    if question.mode is Mode.search:
        return library.search_incidents(ask(SearchIncidents, {"symptoms": question.text, **common}))
    return library.list_incidents(ask(ListIncidents, common))


def _outline(
    library: Library, lang: Lang, question: Asked, answer: SearchAnswer | ListAnswer | EvidenceAnswer
) -> tuple[CaseBrief, ...]:
    """The whole selection, for the graph; a whole log has no more than its page."""
    common = {**question.filters, **question.others, "lang": lang, "cursor": None}
    if isinstance(answer, SearchAnswer):
        return library.outline(ask(SearchIncidents, {"symptoms": question.text, **common}))
    if isinstance(answer, ListAnswer):
        return library.outline(ask(ListIncidents, common))
    return answer.cases


def _without(library: Library, lang: Lang, question: Asked) -> tuple[tuple[str, int], ...]:
    """How many cases would remain if one filter or date were taken away."""
    if question.mode is Mode.evidence:
        return ()
    names = [*question.filters, *(name for name in ("since", "until") if name in question.others)]
    counts = []
    for name in names:
        filters = {n: v for n, v in question.filters.items() if n != name}
        others = {n: v for n, v in question.others.items() if n not in (name, "cursor")}
        counts.append((name, _answer(library, lang, Asked(question.text, filters, others)).count))
    return tuple(counts)
