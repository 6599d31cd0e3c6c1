"""The operations inside one process: each question new, then a question asked again."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from kb.library import Library
from kb.model import Kind
from kb.questions import GetIncident, GetTopic, ListIncidents, MatchEvidence, SearchIncidents, Vocab, ask
from tests.bench import questions
from tests.bench.timing import Call, Times, one_by_one


def operations(library: Library, rounds: int) -> Iterable[tuple[str, Times]]:
    """Every operation by name; no question is put twice, so that none is answered from memory."""
    library.search_incidents(ask(SearchIncidents, {"symptoms": "anything at all"}))
    once = [*questions.ENGLISH, *questions.KOREAN]
    yield "search, words met for the first time", one_by_one(searches(library, once, 1))
    yield "search, known words, more hits asked for", one_by_one(searches(library, once, 1, limit=6))
    yield "search, a question never asked before", one_by_one(searches(library, once, rounds, first=1))
    yield "search, a log of 2,000 characters", one_by_one(searches(library, [questions.PASTE], 6))
    again = ask(SearchIncidents, {"symptoms": once[0], "limit": "1"})
    library.search_incidents(again)
    yield "search, asked again", one_by_one([lambda: library.search_incidents(again)] * 200)
    yield "get a case", one_by_one(_gets(library, 40 * rounds))
    yield "list with facets", one_by_one(_lists(library, 10 * rounds))
    yield "topic", one_by_one(_topics(library, 20 * rounds))
    yield "vocabulary by meaning", one_by_one(_vocab(library, once, 20 * rounds))
    yield "match evidence", one_by_one(_evidence(library, 10 * rounds))


def asked_twice(library: Library, rounds: int) -> Iterable[tuple[str, Times]]:
    """Questions whose words have been met, each new; then one of them again."""
    once = [*questions.ENGLISH, *questions.KOREAN]
    one_by_one(searches(library, once, 1))
    yield "search, never asked before", one_by_one(searches(library, once, rounds, first=1))
    again = ask(SearchIncidents, {"symptoms": once[0], "limit": "1"})
    library.search_incidents(again)
    yield "search, asked again", one_by_one([lambda: library.search_incidents(again)] * 200)


def searches(library: Library, texts: Sequence[str], rounds: int, *, first: int = 0, limit: int = 5) -> list[Call]:
    """Each round puts another number behind each text, so that no question is known when it is asked."""
    return [
        _call(
            library.search_incidents,
            ask(SearchIncidents, {"symptoms": questions.anew(text, first + extra), "limit": str(limit)}),
        )
        for extra in range(rounds)
        for text in texts
    ]


def _call(operation: Callable[..., object], question: object) -> Call:
    return lambda: operation(question)


def _gets(library: Library, count: int) -> list[Call]:
    ids = library.complete("id", "")
    pairs = ((case_id, lang) for lang in ("en", "ko") for case_id in ids)
    return [_call(library.get_incident, ask(GetIncident, {"id": i, "lang": lang})) for i, lang in islice(pairs, count)]


def _lists(library: Library, count: int) -> list[Call]:
    return [_call(library.list_incidents, ask(ListIncidents, {"limit": str(20 + i)})) for i in range(min(count, 80))]


def _topics(library: Library, count: int) -> list[Call]:
    known = ((kind, slug) for kind in Kind for slug in library.vocabulary.values[kind])
    return [
        _call(library.get_topic, ask(GetTopic, {"kind": kind, "slug": slug})) for kind, slug in islice(known, count)
    ]


def _vocab(library: Library, texts: Sequence[str], count: int) -> list[Call]:
    return [_call(library.vocab, ask(Vocab, {"query": text})) for text in texts[:count]]


def _evidence(library: Library, count: int) -> list[Call]:
    return [
        _call(library.match_evidence, ask(MatchEvidence, {"text": f"{questions.LOG}\nattempt {i}"}))
        for i in range(count)
    ]
