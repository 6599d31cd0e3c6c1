"""The index of words; the only importer of Whoosh (the fork `whoosh3`, same import name).

A replacement has to pass `tests/test_text_index.py`. Text is cut into tokens by `kb.words`; the query is built
from those tokens and never parsed, so `AND`, `*` and `field:` in a question are plain text.
"""

import string
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kb import words
from kb.words import TokenKind

#: Fields of a document and the weight of a match in each.
FIELDS: Mapping[str, float] = {"title": 2.0, "asked": 2.0, "terms": 1.6, "codes": 2.5, "body": 1.0}
#: How much a match in a field says about what a case is; the telling of it holds many words in passing.
TELLING: Mapping[str, float] = {"title": 1.0, "asked": 1.0, "terms": 0.9, "codes": 1.0, "body": 0.55}
#: The rarest terms of a long paste that are looked up; the rest serves evidence keys only.
MAX_TERMS = 40
#: Of a long question, only so many of its rarest words, and of those that nobody holds, make up its whole.
WEIGHED, MISSING = 16, 4
#: Terms whose postings stay in memory, about 1 kB each with 300 documents.
KEPT_TERMS = 8192
#: Longer words are cut anew each time: they are seldom met twice, and a paste may be full of them.
KEPT_LENGTH = 40
#: Every character that a term in Latin script can hold.
_LETTERS = string.ascii_lowercase + string.digits + "_.-/:+"
#: Whoosh's constants of BM25F.
K1, B = 1.2, 0.75

Numbers = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TextDocument:
    id: str
    fields: Mapping[str, str]
    """Text by field name; both languages together, since their tokens do not meet."""


@dataclass(frozen=True)
class TextHit:
    """One document found.

    bm25: Whoosh's BM25F score, unbounded, comparable only within one question.
    weight: rarity (nats) of the question's terms that the document holds, less where only its body does;
        `whole` is that of all its terms.
    matched: the terms found, rarest first.
    """

    id: str
    bm25: float
    weight: float
    whole: float
    matched: tuple[str, ...]


def _stem(word: str) -> str:
    from whoosh.lang.porter import stem

    return str(stem(word))


def terms(text: str, *, keep_stop: bool = False) -> list[tuple[str, int, int]]:
    """(index form, start, end) of every token of `text`, which must be normalised."""
    out = []
    for word, at in words.split(text):
        cut = _cut(word) if len(word) <= KEPT_LENGTH else _cut.__wrapped__(word)
        out += [(form, at + start, at + end) for form, start, end, stop in cut if keep_stop or not stop]
    return out


@lru_cache(maxsize=50_000)
def _cut(word: str) -> tuple[tuple[str, int, int, bool], ...]:
    """(index form, start, end, whether it is a stop word) of one word's tokens; texts repeat their words."""
    return tuple(
        (
            _stem(token.text) if token.kind is TokenKind.word else token.text,
            token.start,
            token.end,
            token.text in words.STOP,
        )
        for token in words.tokens(word)
    )


def spans(text: str, matched: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Where the matched terms stand in `text`, merged, in order."""
    wanted = set(matched)
    merged: list[tuple[int, int]] = []
    for start, end in sorted((start, end) for form, start, end in terms(text) if form in wanted):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def build(folder: Path, documents: Iterable[TextDocument]) -> None:
    """Write an index of `documents` into an empty folder."""
    from whoosh import fields as whoosh_fields
    from whoosh import index

    schema = whoosh_fields.Schema(id=whoosh_fields.ID(stored=True, unique=True))
    for name in FIELDS:
        schema.add(name, whoosh_fields.KEYWORD(scorable=True))
    folder.mkdir(parents=True, exist_ok=True)
    writer = index.create_in(str(folder), schema).writer(limitmb=256)
    for document in documents:
        writer.add_document(id=document.id, **{name: _forms(text) for name, text in document.fields.items()})
    writer.commit(optimize=True)


def _one_edit_away(word: str) -> set[str]:
    """What becomes of a word by one letter less, more or other; the first letter stays."""
    places = range(1, len(word) + 1)
    less = {word[:i] + word[i + 1 :] for i in places if i < len(word)}
    more = {word[:i] + letter + word[i:] for i in places for letter in _LETTERS}
    other = {word[:i] + letter + word[i + 1 :] for i in places if i < len(word) for letter in _LETTERS}
    return (less | more | other) - {word}


def _forms(text: str) -> str:
    """The index forms of a field, apart by blanks: a field of keywords needs no analyser of Whoosh's."""
    return " ".join(form for form, _, _ in terms(words.normalise(text)))


@dataclass(frozen=True)
class _Postings:
    """The documents that hold one term: their numbers, how much the match says, and its share of BM25F."""

    rarity: float
    documents: Numbers
    telling: Weights
    bm25: Weights


class TextIndex:
    """A read-only view of a built index; safe for concurrent readers, closed once.

    Whoosh keeps the postings. They are added up here, not by Whoosh's collectors: those
    visit one document after another in Python and cost some fifty times as much. What has been read of a term is
    kept, since questions share most of their words.
    """

    def __init__(self, folder: Path) -> None:
        from whoosh import index

        self._index = index.open_dir(str(folder), readonly=True)
        self._searcher = self._index.searcher()
        self._reader = self._searcher.reader()
        self._ids = [str(stored["id"]) for _, stored in self._reader.iter_docs()]
        self.size = len(self._ids)
        self._lengths = {name: self._relative_lengths(name) for name in FIELDS}
        self._reading = threading.Lock()
        self._postings = lru_cache(maxsize=KEPT_TERMS)(self._read_postings)

    def close(self) -> None:
        self._searcher.close()
        self._index.close()

    def rarity(self, form: str) -> float:
        """ln(1 + N / n) over the documents that hold the term in any field; 0 for a term nobody holds."""
        return self._postings(form).rarity

    def search(self, text: str, *, limit: int) -> tuple[list[TextHit], tuple[str, ...]]:
        """The documents that share terms with `text`, best first, and the terms that nobody holds."""
        forms = list(dict.fromkeys(form for form, _, _ in terms(words.normalise(text))))
        found = {form: self._postings(form) for form in forms}
        missing = tuple(form for form in forms if not found[form].rarity)
        chosen = sorted((f for f in forms if found[f].rarity), key=lambda f: (-found[f].rarity, f))[:MAX_TERMS]
        if not chosen:
            return [], missing
        rarities = np.array([found[form].rarity for form in chosen])
        held = np.zeros((len(chosen), self.size))
        bm25 = np.zeros(self.size)
        for row, form in enumerate(chosen):
            postings = found[form]
            held[row, postings.documents] = postings.telling
            bm25[postings.documents] += postings.bm25
        # A word nobody holds counts against the whole, as much as the rarest word would; but a log is full of
        # names and numbers that nobody can hold, so only the first few do, and only the rarest words found.
        whole = float(rarities[:WEIGHED].sum()) + min(len(missing), MISSING) * log(1 + self.size)
        weight = rarities @ held
        best = np.flatnonzero(weight)
        best = best[np.lexsort((best, -bm25[best]))][:limit]
        columns = held[:, best].T.astype(bool)
        return [
            TextHit(
                self._ids[number],
                float(bm25[number]),
                float(weight[number]),
                whole,
                tuple(compress(chosen, column)),
            )
            for number, column in zip(best.tolist(), columns.tolist(), strict=True)
        ], missing

    def _relative_lengths(self, name: str) -> Weights:
        """What BM25 takes a field's length for in each document: 1 for the average one."""
        lengths = np.array([self._reader.doc_field_length(n, name, 1) for n in range(self.size)], dtype=np.float64)
        return 1 - B + B * lengths / (self._reader.field_length(name) / self.size or 1)

    def _read_postings(self, form: str) -> _Postings:
        """Whoosh's readers share one place in each file, so one term is read at a time."""
        from whoosh.reading import TermNotFound

        telling, bm25 = np.zeros(self.size), np.zeros(self.size)
        held = 0
        with self._reading:
            for name, boost in FIELDS.items():
                try:
                    matcher = self._reader.postings(name, form)
                except TermNotFound:
                    continue
                numbers, times = [], []
                while matcher.is_active():
                    numbers.append(matcher.id())
                    times.append(matcher.weight())
                    matcher.next()
                often = np.array(times)
                idf = log(self.size / (len(numbers) + 1)) + 1
                bm25[numbers] += boost * idf * often * (K1 + 1) / (often + K1 * self._lengths[name][numbers])
                telling[numbers] = np.maximum(telling[numbers], TELLING[name])
                held = max(held, len(numbers))
        documents = np.flatnonzero(telling)
        rarity = log(1 + self.size / held) if held else 0.0
        return _Postings(rarity, documents, telling[documents], bm25[documents])

    def suggest(self, word: str) -> str | None:
        """A known word, one edit away, for a misspelt one; nothing for short words, codes and known words."""
        low = words.normalise(word).lower()
        if len(low) < 4 or not low.isalpha() or not low.isascii() or self.rarity(_stem(low)):
            return None
        near = [form for form in _one_edit_away(_stem(low)) if form in self._lexicon]
        with self._reading:
            return max(near, key=lambda form: (self._reader.frequency("body", form), form), default=None)

    @cached_property
    def _lexicon(self) -> frozenset[str]:
        """Every term of the body; read when the first word is misspelt."""
        with self._reading:
            return frozenset(raw.decode() for raw in self._reader.lexicon("body"))
