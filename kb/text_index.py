"""The index of words; the only importer of Whoosh (the fork `whoosh3`, same import name).

A replacement has to pass `tests/test_text_index.py`. Text is cut into tokens by `kb.words`; the query is built
from those tokens and never parsed, so `AND`, `*` and `field:` in a question are plain text.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log
from pathlib import Path

from kb import words
from kb.words import TokenKind

logger = logging.getLogger(__name__)

#: Fields of a document and the weight of a match in each.
FIELDS: Mapping[str, float] = {"title": 2.0, "asked": 2.0, "terms": 1.6, "codes": 2.5, "body": 1.0}
#: How much a match in a field says about what a case is; the telling of it holds many words in passing.
TELLING: Mapping[str, float] = {"title": 1.0, "asked": 1.0, "terms": 0.9, "codes": 1.0, "body": 0.55}
#: The rarest terms of a long paste that are looked up; the rest serves evidence keys only.
MAX_TERMS = 40


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


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    from whoosh.lang.porter import stem

    return str(stem(word))


def terms(text: str, *, keep_stop: bool = False) -> list[tuple[str, int, int]]:
    """(index form, start, end) of every token of `text`, which must be normalised."""
    out = []
    for token in words.tokens(text):
        if not keep_stop and token.text in words.STOP:
            continue
        form = _stem(token.text) if token.kind is TokenKind.word else token.text
        out.append((form, token.start, token.end))
    return out


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


def _forms(text: str) -> str:
    """The index forms of a field, apart by blanks: a field of keywords needs no analyser of Whoosh's."""
    return " ".join(form for form, _, _ in terms(words.normalise(text)))


class TextIndex:
    """A read-only view of a built index; safe for concurrent readers, closed once."""

    def __init__(self, folder: Path) -> None:
        from whoosh import index

        self._index = index.open_dir(str(folder), readonly=True)
        self._searcher = self._index.searcher()
        self._reader = self._searcher.reader()
        self.size = int(self._reader.doc_count())

    def close(self) -> None:
        self._searcher.close()
        self._index.close()

    def rarity(self, form: str) -> float:
        """ln(1 + N / n) over the documents that hold the term in any field; 0 for a term nobody holds."""
        held = max((int(self._reader.doc_frequency(name, form)) for name in FIELDS), default=0)
        return log(1 + self.size / held) if held else 0.0

    def search(self, text: str, *, limit: int) -> tuple[list[TextHit], tuple[str, ...]]:
        """The documents that share terms with `text`, best first, and the terms that nobody holds."""
        from whoosh import query

        forms = list(dict.fromkeys(form for form, _, _ in terms(words.normalise(text))))
        weights = {form: self.rarity(form) for form in forms}
        missing = tuple(form for form in forms if not weights[form])
        chosen = sorted((f for f in forms if weights[f]), key=lambda f: (-weights[f], f))[:MAX_TERMS]
        if not chosen:
            return [], missing
        wanted = query.Or([query.Term(name, f, boost=b) for f in chosen for name, b in FIELDS.items()])
        results = self._searcher.search(wanted, limit=limit, terms=True)
        # A word nobody holds still counts against the whole, as much as the rarest word would.
        whole = sum(weights[f] for f in chosen) + len(missing) * log(1 + self.size)
        hits = []
        for hit in results:
            held: dict[str, float] = {}
            for name, raw in hit.matched_terms():
                form = raw.decode()
                held[form] = max(held.get(form, 0.0), TELLING[name])
            weight = sum(weights[form] * telling for form, telling in held.items())
            ordered = sorted(held, key=lambda form: (-weights[form], form))
            hits.append(TextHit(hit["id"], float(hit.score), weight, whole, tuple(ordered)))
        return hits, missing

    def suggest(self, word: str) -> str | None:
        """A known word, one edit away, for a misspelt one; nothing for short words, codes and known words."""
        low = words.normalise(word).lower()
        if len(low) < 4 or not low.isalpha() or not low.isascii() or self.rarity(_stem(low)):
            return None
        best = self._searcher.suggest("body", _stem(low), limit=1, maxdist=1, prefix=1)
        return str(best[0]) if best else None
