"""Where each term stands, worked out once a build and kept as flat arrays. Pure.

One term's postings are a slice of every array, so that a question reads them without a loop.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
#: What a file of postings holds beside the terms.
ARRAYS = ("rarity", "starts", "documents", "levels", "telling", "bm25", "own")
#: Constants of BM25F: how soon more of the same says nothing new, and how much a long field is held against it.
K1, B = 1.2, 0.75


@dataclass(frozen=True)
class FieldWeight:
    """A field of a document.

    boost: weight in BM25F; telling: how much a match says about what the document is, 0 to 1; own: whether the
    document itself says it, and not only a label that it carries.
    """

    boost: float
    telling: float
    own: bool = True


@dataclass(frozen=True)
class Postings:
    """The documents that hold one term, ascending: for each how much the match says and its BM25F.

    rarity: ln(1 + N / n); 0 for a term that nobody holds. own: whether the document itself says it.
    """

    rarity: float
    documents: Numbers
    telling: Weights
    bm25: Weights
    own: Flags


NOTHING = Postings(0.0, np.zeros(0, np.int32), np.zeros(0), np.zeros(0), np.zeros(0, np.bool_))


class Table:
    """The postings of all terms.

    arrays: `rarity` and `starts` by term, `starts` with one entry more; `documents`, `telling` (a place in `levels`),
    `bm25` and `own` by term and document; `levels` the few values that telling has.
    """

    def __init__(self, terms: Sequence[str], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._terms, self._arrays = tuple(terms), dict(arrays)
        self._place = {term: place for place, term in enumerate(self._terms)}

    def of(self, term: str) -> Postings:
        """`NOTHING` for a term that nobody holds."""
        place = self._place.get(term)
        if place is None:
            return NOTHING
        arrays, starts = self._arrays, self._arrays["starts"]
        part = slice(int(starts[place]), int(starts[place + 1]))
        telling: Weights = arrays["levels"][arrays["telling"][part]]
        rarity = float(arrays["rarity"][place])
        return Postings(rarity, arrays["documents"][part], telling, arrays["bm25"][part], arrays["own"][part])

    def save(self, path: Path) -> None:
        """path: ends in `.npz`."""
        terms = np.frombuffer("\n".join(self._terms).encode(), dtype=np.uint8)
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, terms=terms, **self._arrays)

    @classmethod
    def load(cls, path: Path) -> "Table":
        """Raises OSError, ValueError, KeyError or BadZipFile where the file is missing or damaged."""
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in ARRAYS}
            terms = stored["terms"].tobytes().decode()
        return cls(terms.split("\n") if terms else (), arrays)


def table(
    documents: Sequence[Mapping[str, Sequence[str]]],
    fields: Mapping[str, FieldWeight],
) -> Table:
    """The terms of each field of each document, added up.

    A field that a document does not have is one without terms.
    """
    names: dict[str, int] = {}
    size = len(documents)
    parts = [_field([d.get(name, ()) for d in documents], weight, names) for name, weight in fields.items()]
    keys, places = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
    bm25, telling, own = (np.zeros(len(keys)) for _ in range(3))
    held = np.zeros(len(names))
    done = 0
    for part, weight in zip(parts, fields.values(), strict=True):
        here = places[done : done + len(part.keys)]
        done += len(part.keys)
        bm25[here] += part.bm25
        telling[here] = np.maximum(telling[here], weight.telling)
        own[here] = np.maximum(own[here], weight.own)
        np.maximum(held[: len(part.held)], part.held, out=held[: len(part.held)])
    levels, level = np.unique(telling, return_inverse=True)
    return Table(
        tuple(names),
        {
            "rarity": np.array([log(1 + size / n) for n in held.tolist()]),
            "starts": np.searchsorted(keys, np.arange(len(names) + 1, dtype=np.int64) * max(size, 1)),
            "documents": (keys % max(size, 1)).astype(np.int32),
            "levels": levels,
            "telling": level.astype(np.uint8),
            "bm25": bm25,
            "own": own > 0,
        },
    )


@dataclass(frozen=True)
class _Field:
    """One field of all documents. keys: term × documents + document; held: documents that hold each term so far."""

    keys: npt.NDArray[np.int64]
    bm25: Weights
    held: Weights


def _field(texts: Sequence[Sequence[str]], weight: FieldWeight, names: dict[str, int]) -> _Field:
    terms: list[int] = []
    times: list[int] = []
    documents: list[int] = []
    for document, text in enumerate(texts):
        counts = Counter(text)
        terms += [names.setdefault(term, len(names)) for term in counts]
        times += counts.values()
        documents += [document] * len(counts)
    numbers, often = np.array(terms, dtype=np.int64), np.array(times, dtype=np.float64)
    held = np.bincount(numbers, minlength=len(names)).astype(np.float64)
    average = sum(map(len, texts)) / max(len(texts), 1) or 1
    lengths = 1 - B + B * np.array([len(text) for text in texts], dtype=np.float64) / average
    idf = np.array([log(len(texts) / (n + 1)) + 1 if n else 0.0 for n in held.tolist()])
    holders = np.array(documents, dtype=np.int64)
    bm25 = weight.boost * idf[numbers] * often * (K1 + 1) / (often + K1 * lengths[holders])
    return _Field(numbers * max(len(texts), 1) + holders, bm25, held)
