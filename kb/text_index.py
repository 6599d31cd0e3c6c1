"""The index of words; the only importer of Whoosh (the fork `whoosh3`, same import name).

A replacement has to pass `tests/test_text_index.py`. Text is cut into tokens by `kb.words`; the query is built
from those tokens and never parsed, so `AND`, `*` and `field:` in a question are plain text.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log
from pathlib import Path

import numpy as np

from kb import spelling, words
from kb.bilingual import Dictionary
from kb.weighing import Choice, Postings, Weighed, Weights
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
#: The field that holds the names and aliases of a case's vocabulary values: labels, not the case's own words.
LABELS = "terms"
#: How much a known word counts that is one slip away from an unknown one, and how many are looked for: a paste
#: holds hundreds of unknown words, and looking for what was meant takes longer than all the rest.
MEANT, SLIPS = 0.8, 4
#: Whoosh's constants of BM25F.
K1, B = 1.2, 0.75


@dataclass(frozen=True)
class TextDocument:
    id: str
    fields: Mapping[str, str]
    """Text by field name; both languages together, since their tokens do not meet."""


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


def build(folder: Path, documents: Iterable[TextDocument], dictionary: Dictionary) -> None:
    """Write an index of `documents` into an empty folder, with the words they are written in and the dictionary."""
    from whoosh import fields as whoosh_fields
    from whoosh import index

    schema = whoosh_fields.Schema(id=whoosh_fields.ID(stored=True, unique=True))
    for name in FIELDS:
        schema.add(name, whoosh_fields.KEYWORD(scorable=True))
    folder.mkdir(parents=True, exist_ok=True)
    writer = index.create_in(str(folder), schema).writer(limitmb=256)
    known: Counter[str] = Counter()
    for document in documents:
        fields = {name: words.normalise(text) for name, text in document.fields.items()}
        writer.add_document(id=document.id, **{name: _forms(text) for name, text in fields.items()})
        known.update({word for text in fields.values() for word in _plain_words(text)})
    writer.commit(optimize=True)
    more = {"known": dict(sorted(known.items())), "dictionary": dict(dictionary), "surfaces": _surfaces(known)}
    (folder / _MORE).write_text(json.dumps(more, ensure_ascii=False), encoding="utf-8")


#: What the index holds beside Whoosh's files.
_MORE = "words.json"


def _forms(text: str) -> str:
    """The index forms of a field, apart by blanks: a field of keywords needs no analyser of Whoosh's."""
    return " ".join(form for form, _, _ in terms(text))


def _plain_words(text: str) -> set[str]:
    """The words as they are written, in lower case, compounds whole and in parts; no pairs of syllables, no codes."""
    cut = (token for word, _ in words.split(text) if len(word) <= KEPT_LENGTH for token in words.tokens(word))
    return {
        t.text for t in cut if t.kind is not TokenKind.pair and t.text.isalpha() and len(t.text) <= spelling.LONGEST
    }


class TextIndex:
    """A read-only view of a built index; safe for concurrent readers, closed once.

    Whoosh keeps the postings. They are added up here, not by Whoosh's collectors: those
    visit one document after another in Python and cost some fifty times as much. What has been read of a term is
    kept, since questions share most of their words.
    """

    def __init__(self, folder: Path) -> None:
        from whoosh import index

        more = json.loads((folder / _MORE).read_text(encoding="utf-8"))
        self._known: dict[str, int] = more["known"]
        self._dictionary: Dictionary = {
            word: tuple((o, w) for o, w in said) for word, said in more["dictionary"].items()
        }
        self._surfaces: dict[str, str] = more["surfaces"]
        self._index = index.open_dir(str(folder), readonly=True)
        self._searcher = self._index.searcher()
        self._reader = self._searcher.reader()
        #: Ids of the documents; a document's number is its place here.
        self.ids = [str(stored["id"]) for _, stored in self._reader.iter_docs()]
        self.size = len(self.ids)
        self._lengths = {name: self._relative_lengths(name) for name in FIELDS}
        self._reading = threading.Lock()
        self._postings = lru_cache(maxsize=KEPT_TERMS)(self._read_postings)

    def close(self) -> None:
        self._searcher.close()
        self._index.close()

    def rarity(self, form: str) -> float:
        """ln(1 + N / n) over the documents that hold the term in any field; 0 for a term nobody holds."""
        return self._postings(form).rarity

    def surface(self, form: str) -> str | None:
        """The most frequent written word of an index form; nothing for a pair of syllables."""
        return self._surfaces.get(form)

    def suggest(self, word: str) -> str | None:
        """A real word, one slip away, for a misspelt one; nothing for short words, codes and known words."""
        return spelling.meant(words.normalise(word).lower(), self._known)

    def weigh(self, text: str) -> Weighed:
        """What the words of `text` say about every document."""
        plain = words.normalise(text)
        asked = {form: plain[start:end] for form, start, end in reversed(terms(plain))}
        choices, missing = self._choices(dict(reversed(asked.items())))
        choices.sort(key=lambda choice: (-choice.rarity, choice.form))
        bm25, weight = np.zeros(self.size), np.zeros(self.size)
        for choice in choices[:MAX_TERMS]:
            one, told = np.zeros(self.size), np.zeros(self.size)
            for _, counts, postings in choice.stands:
                found = postings.documents
                one[found] = np.maximum(one[found], counts * postings.bm25)
                told[found] = np.maximum(told[found], counts * postings.telling)
            bm25 += one
            weight += choice.rarity * told
        # A word nobody holds counts against the whole, as much as the rarest word would; but a log is full of
        # names and numbers that nobody can hold, so only the first few do, and only the rarest words found.
        known = sum(choice.rarity for choice in choices[:WEIGHED])
        whole = known + min(len(missing), MISSING) * log(1 + self.size)
        return Weighed(bm25, weight, whole, tuple(missing), tuple(choices[:MAX_TERMS]))

    def _choices(self, asked: Mapping[str, str]) -> tuple[list[Choice], list[str]]:
        """What may stand for each term (index form → as written), and the terms for which nothing does."""
        choices: list[Choice] = []
        missing: list[str] = []
        for form, written in asked.items():
            stands = [(form, 1.0, self._postings(form)), *self._translations(form)]
            stands = [(other, counts, postings) for other, counts, postings in stands if postings.rarity]
            if not stands and len(missing) < SLIPS and (better := self.suggest(written)):
                (better_form, _, _), *_ = terms(better, keep_stop=True)
                stands = [(better_form, MEANT, self._postings(better_form))]
            if stands:
                rarity = next((p.rarity for o, _, p in stands if o == form), None)
                rarity = max(c * p.rarity for _, c, p in stands) if rarity is None else rarity
                choices.append(Choice(form, rarity, tuple(stands)))
            else:
                missing.append(form)
        return choices, missing

    def _translations(self, form: str) -> list[tuple[str, float, Postings]]:
        return [(other, surely, self._postings(other)) for other, surely in self._dictionary.get(form, ())]

    def _relative_lengths(self, name: str) -> Weights:
        """What BM25 takes a field's length for in each document: 1 for the average one."""
        lengths = np.array([self._reader.doc_field_length(n, name, 1) for n in range(self.size)], dtype=np.float64)
        return 1 - B + B * lengths / (self._reader.field_length(name) / max(self.size, 1) or 1)

    def _read_postings(self, form: str) -> Postings:
        """Whoosh's readers share one place in each file, so one term is read at a time."""
        from whoosh.reading import TermNotFound

        telling, bm25, own = np.zeros(self.size), np.zeros(self.size), np.zeros(self.size, dtype=np.bool_)
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
                own[numbers] |= name != LABELS
                held = max(held, len(numbers))
        documents = np.flatnonzero(telling)
        rarity = log(1 + self.size / held) if held else 0.0
        return Postings(rarity, documents, telling[documents], bm25[documents], own[documents])


def _surfaces(known: Mapping[str, int]) -> dict[str, str]:
    """Index form → its most frequent written word."""
    found: dict[str, str] = {}
    for word in sorted(known, key=lambda word: (known[word], word)):
        found |= {form: word for form, _, _ in terms(word, keep_stop=True)[:1]}
    return found
