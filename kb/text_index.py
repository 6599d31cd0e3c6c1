"""The index of words; the only importer of PyStemmer, which cuts English words to their stems.

A replacement has to pass `tests/test_text_index.py`. Text is cut into tokens by `kb.words`; the query is built
from those tokens and never parsed, so `AND`, `*` and `field:` in a question are plain text.
"""

import json
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import Stemmer

from kb import spelling, words
from kb.bilingual import Dictionary
from kb.postings import FieldWeight, Table, table
from kb.spelling import Speller
from kb.weighing import MAX_TERMS, Choice, Weighed, add_up, choose
from kb.words import TokenKind

__all__ = ["FIELDS", "MAX_TERMS", "TextDocument", "TextIndex", "build", "plain_words", "spans", "terms"]

#: Fields of a document. The telling of a case holds many words in passing; `terms` holds the names and aliases of its
#: vocabulary values: labels, not its own words.
FIELDS: Mapping[str, FieldWeight] = {
    "title": FieldWeight(2.0, 1.0),
    "asked": FieldWeight(2.0, 1.0),
    "terms": FieldWeight(1.6, 0.9, own=False),
    "codes": FieldWeight(2.5, 1.0),
    "body": FieldWeight(1.0, 0.55),
}
#: Terms whose choices stay in memory, about 2 kB each with 300 documents.
KEPT_TERMS = 8192
#: Longer words are cut anew each time: they are seldom met twice, and a paste may be full of them.
KEPT_LENGTH = 40
#: Passages whose cut stays in memory, about 2 kB each.
KEPT_PASSAGES = 2048
#: How much a known word counts that is one slip away from an unknown one, and for how many it is looked for: a paste
#: holds hundreds of unknown words, and looking for what was meant takes longer than all the rest.
MEANT, SLIPS = 0.8, 4


@dataclass(frozen=True)
class TextDocument:
    id: str
    fields: Mapping[str, str]
    """Text by field name; both languages together, since their tokens do not meet."""


#: Snowball's stemmer of English, for one caller at a time; what it says is kept below.
_STEMMER, _STEMMING = Stemmer.Stemmer("english", 0), Lock()


def _stem(word: str) -> str:
    with _STEMMING:
        return str(_STEMMER.stemWord(word))


class Cut(NamedTuple):
    """A token: its index form, where it stands, whether it is a stop word, and whether a word or its part."""

    form: str
    start: int
    end: int
    stop: bool
    whole: bool
    """Not a pair of syllables, which is shown as the word it lies in."""


def cut(text: str) -> list[Cut]:
    """Every token of `text`, which must be normalised."""
    out = []
    for word, at in words.split(text):
        tokens = _cut(word) if len(word) <= KEPT_LENGTH else _cut.__wrapped__(word)
        out += [Cut(form, at + start, at + end, stop, whole) for form, start, end, stop, whole in tokens]
    return out


def terms(text: str, *, keep_stop: bool = False) -> list[tuple[str, int, int]]:
    """(index form, start, end) of every token of `text`, which must be normalised."""
    out = []
    for word, at in words.split(text):
        tokens = _cut(word) if len(word) <= KEPT_LENGTH else _cut.__wrapped__(word)
        out += [(form, at + start, at + end) for form, start, end, stop, _ in tokens if keep_stop or not stop]
    return out


@lru_cache(maxsize=50_000)
def _cut(word: str) -> tuple[Cut, ...]:
    """One word's tokens; texts repeat their words."""
    return tuple(
        Cut(
            _stem(token.text) if token.kind is TokenKind.word else token.text,
            token.start,
            token.end,
            token.text in words.STOP,
            token.kind is not TokenKind.pair,
        )
        for token in words.tokens(word)
    )


def weighing(cuts: Iterable[Cut]) -> dict[str, Cut]:
    """Index form → where it first stands, of all but stop words, by their last place."""
    first = {one.form: one for one in reversed([c for c in cuts if not c.stop])}
    return dict(reversed(first.items()))


def spans(text: str, matched: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Where the matched terms stand in `text`, merged, in order."""
    wanted = set(matched)
    merged: list[tuple[int, int]] = []
    forms, starts, ends = _passage(text)
    for start, end in sorted((s, e) for form, s, e in zip(forms, starts, ends, strict=True) if form in wanted):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


@lru_cache(maxsize=KEPT_PASSAGES)
def _passage(text: str) -> tuple[tuple[str, ...], "array[int]", "array[int]"]:
    """The terms of a passage, where they start and end: cases found are found again."""
    found = terms(text)
    starts, ends = array("I", [start for _, start, _ in found]), array("I", [end for _, _, end in found])
    return tuple(form for form, _, _ in found), starts, ends


def stemmer_version() -> str:
    """Of the package: other stems, another index."""
    return str(Stemmer.version())


def build(folder: Path, documents: Iterable[TextDocument], dictionary: Dictionary, real: Collection[str] = ()) -> None:
    """Write an index of `documents` into an empty folder, with the words they are written in and the dictionary.

    real: words in lower case that are no slips, though no document need hold them: `sitting` is no `setting`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known: Counter[str] = Counter()
    ids, texts = [], []
    for document in documents:
        fields = {name: words.normalise(text) for name, text in document.fields.items()}
        ids.append(document.id)
        texts.append({name: [form for form, _, _ in terms(text)] for name, text in fields.items()})
        known.update({word for text in fields.values() for word in plain_words(text)})
    table(texts, FIELDS).save(folder / _POSTINGS)
    more = {
        "ids": ids,
        "known": dict(sorted(known.items())),
        "dictionary": dict(dictionary),
        "surfaces": _surfaces(known),
        "real": sorted(spelling.could_be_slips(real, known) - known.keys()),
    }
    (folder / _MORE).write_text(json.dumps(more, ensure_ascii=False), encoding="utf-8")


#: Where each term stands, and all that the index holds beside.
_POSTINGS, _MORE = "postings.npz", "words.json"


def plain_words(text: str) -> set[str]:
    """The words of normalised text as they are written, in lower case, compounds whole and in parts.

    No pairs of syllables, no codes.
    """
    cut = (token for word, _ in words.split(text) if len(word) <= KEPT_LENGTH for token in words.tokens(word))
    return {
        t.text for t in cut if t.kind is not TokenKind.pair and t.text.isalpha() and len(t.text) <= spelling.LONGEST
    }


class TextIndex:
    """A read-only view of a built index; safe for concurrent readers.

    What a term says is worked out when it is first asked for and kept, since questions share most of their words.
    """

    def __init__(self, folder: Path) -> None:
        """Raises OSError, ValueError, KeyError or BadZipFile where the index is missing or damaged."""
        more = json.loads((folder / _MORE).read_text(encoding="utf-8"))
        self._dictionary: dict[str, list[tuple[str, float]]] = more["dictionary"]
        self._surfaces: dict[str, str] = more["surfaces"]
        self._table = Table.load(folder / _POSTINGS)
        #: Ids of the documents; a document's number is its place here.
        self.ids: list[str] = more["ids"]
        self.size = len(self.ids)
        self._meant = lru_cache(maxsize=KEPT_TERMS)(Speller(more["known"], frozenset(more["real"])).meant)
        self._choice = lru_cache(maxsize=KEPT_TERMS)(self._stands)

    def close(self) -> None:
        """Let go of what was worked out; who still holds the index is answered all the same."""
        self._choice.cache_clear()
        self._meant.cache_clear()

    def rarity(self, form: str) -> float:
        """ln(1 + N / n) over the documents that hold the term in any field; 0 for a term nobody holds."""
        return self._table.of(form).rarity

    def surface(self, form: str) -> str | None:
        """The most frequent written word of an index form; nothing for a pair of syllables."""
        return self._surfaces.get(form)

    def surely(self, form: str, other: str) -> float:
        """How surely `other` means the same, 0–1; 1 where it is no translation but the word that was meant."""
        return dict(self._dictionary.get(form, ())).get(other, 1.0)

    def suggest(self, word: str) -> str | None:
        """What was meant by a misspelt word, in lower case and with its particle; nothing where it is no slip."""
        if len(word) > KEPT_LENGTH:
            return None
        plain = words.normalise(word).lower()
        stem = words.bare(plain)
        better = self._meant(stem)
        return better and better + plain[len(stem) :]

    def weigh(self, text: str) -> Weighed:
        """What the words of `text` say about every document."""
        plain = words.normalise(text)
        return self.weigh_terms(weighing(cut(plain)), plain)

    def weigh_terms(self, asked: Mapping[str, Cut], text: str) -> Weighed:
        """The same of terms (index form → where it stands in the normalised text)."""
        choices: list[Choice] = []
        missing: list[str] = []
        guessed: list[Cut] = []
        tried = 0
        for form, one in asked.items():
            choice = self._kept(form)
            if choice is None and one.whole and tried < SLIPS:
                tried += 1
                choice = self._guess(form, text[one.start : one.end])
                if choice is not None:
                    guessed.append(one)
            if choice is not None:
                choices.append(choice)
            # A pair of syllables of a word that was guessed is as misspelt as the word, and no second one.
            elif one.whole or not any(whole.start <= one.start and one.end <= whole.end for whole in guessed):
                missing.append(form)
        return add_up(choices, missing, self.size)

    def _kept(self, form: str) -> Choice | None:
        return self._choice(form) if len(form) <= KEPT_LENGTH else self._stands(form)

    def _guess(self, form: str, word: str) -> Choice | None:
        """What the word that was meant by a misspelt one says."""
        better = self.suggest(word)
        if better is None:
            return None
        (meant, _, _), *_ = terms(better, keep_stop=True)
        return choose(form, [(meant, MEANT, self._table.of(meant))])

    def _stands(self, form: str) -> Choice | None:
        """The term itself and its translations, as far as anybody holds them."""
        said = [(form, 1.0), *self._dictionary.get(form, ())]
        stands = [(other, counts, self._table.of(other)) for other, counts in said]
        stands = [(other, counts, held) for other, counts, held in stands if held.rarity]
        return choose(form, stands) if stands else None


def _surfaces(known: Mapping[str, int]) -> dict[str, str]:
    """Index form → its most frequent written word."""
    found: dict[str, str] = {}
    for word in sorted(known.keys() - words.STOP, key=lambda word: (known[word], word)):
        found |= {form: word for form, _, _ in terms(word, keep_stop=True)[:1]}
    return found
