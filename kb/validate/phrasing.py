"""Phrases: in the words of somebody who does not know the cause, so neither title nor cause echo in them."""

from collections.abc import Iterator

from kb.corpus import CaseFile
from kb.model import Kind, Lang, Text
from kb.text_index import terms
from kb.validate.rules import Finding, at
from kb.validate.walk import phrases
from kb.vocabulary import Vocabulary
from kb.words import normalise

SHARED = 2


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
    return found


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
