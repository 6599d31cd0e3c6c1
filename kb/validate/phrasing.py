"""Phrases: in the words of somebody who does not know the cause, so neither title nor cause echo in them."""

from collections.abc import Iterator
from functools import cache

from kb.corpus import CaseFile
from kb.model import Kind, Lang, Text
from kb.text_index import terms
from kb.validate.rules import Finding, at
from kb.validate.walk import phrases
from kb.vocabulary import Vocabulary
from kb.words import normalise

SHARED = 2
#: Words that say nothing of an incident, beyond those that search leaves out.
_FUNCTION = (
    "about after again against also always another back both can cannot come could differ different during each even "
    "every few first give go good last like long make many more most much need never new next nothing now off often "
    "old one onto other over own part people put same see seem several show since start such take thing three time "
    "try turn two under until use used using way well while within without work "
    "같은 다른 있는 있다 있었다 없는 없다 없이 모든 모두 하나 여러 일부 동안 "
    "사이 이후 이전 다음 다시 함께 먼저 나중 시작 "
    "때문에 때문 통해 대해 위해 따라 경우 하지만 그리고 그런데 그래서 "
    "아무 전부 개까지 이런 그런 어떤 많은 됐다 했다 한다 된다"
)


def findings(case: CaseFile, vocabulary: Vocabulary) -> Iterator[Finding]:
    yield from _twice(case)
    yield from _echo(case)
    yield from _named(case, vocabulary)


def _twice(case: CaseFile) -> Iterator[Finding]:
    seen: set[str] = set()
    for place, _, phrase in phrases(case.incident):
        plain = " ".join(normalise(phrase).lower().split())
        if plain in seen:
            yield at(case, place, "phrase-twice", f"`{phrase[:60]}` stands twice.", "Write another one.")
        seen.add(plain)


def _echo(case: CaseFile) -> Iterator[Finding]:
    told = (("title", case.incident.title), ("cause", case.incident.narrative.cause))
    held = {(name, lang): content_words(_say(text, lang)) for name, text in told for lang in Lang}
    for place, lang, phrase in phrases(case.incident):
        said = content_words(phrase)
        for name, _ in told:
            shared = sorted(said & held[name, lang])
            if len(shared) > SHARED:
                message = f"Shares {', '.join(f'`{word}`' for word in shared)} with the {name}."
                mend = "Say it as somebody would who has not read the case."
                yield at(case, place, "phrase-echo", message, mend)


def _say(text: Text | None, lang: Lang) -> str:
    return (getattr(text, lang.value) or "") if text else ""


def content_words(text: str) -> set[str]:
    """Index forms of the whole words of a text: no stop words, numbers, or parts of longer tokens."""
    found: set[str] = set()
    reached = 0
    for form, start, end in terms(normalise(text)):
        if start < reached:
            continue
        reached = end
        if len(form) > 1 and any(letter.isalpha() for letter in form):
            found.add(form)
    return found - _function_words()


@cache
def _function_words() -> frozenset[str]:
    return frozenset(form for form, _, _ in terms(_FUNCTION))


def _named(case: CaseFile, vocabulary: Vocabulary) -> Iterator[Finding]:
    names = [
        name.lower()
        for slug in case.incident.root_causes
        if (value := vocabulary.get(Kind.root_causes, slug))
        for name in (value.name.en, value.name.ko or "")
        if name
    ]
    for place, _, phrase in phrases(case.incident):
        named = next((name for name in names if name in normalise(phrase).lower()), None)
        if named:
            yield at(
                case, place, "phrase-names-cause", f"Names the cause, `{named}`.",
                "Say what is seen before the cause is known.",
            )  # fmt: skip
