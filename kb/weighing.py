"""What the words of one question say about every document: sums over postings, and the reasons behind them. Pure."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log

import numpy as np

from kb.postings import NOTHING, Flags, Numbers, Postings, Weights

#: The rarest terms of a long paste that are looked up; the rest serves evidence keys only.
MAX_TERMS = 40
#: Of a long question, only so many of its rarest words, and of those that nobody holds, make up its whole.
WEIGHED, MISSING = 16, 4


@dataclass(frozen=True)
class Reasons:
    """Why one document was found, each rarest first, in index form.

    said: terms of the question that stand in the document's own text; labelled: terms that stand only in a name or
    alias of one of its vocabulary values; instead: a term and what stands in its place, a translation or the known
    word one slip away.
    """

    said: tuple[str, ...] = ()
    labelled: tuple[str, ...] = ()
    instead: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Choice:
    """One term of a question, and what all that may stand for it says about the documents that hold any of it.

    stands: what may stand for the term, in index form, the term itself first.
    weight, bm25: for each of `documents`, the most that any of `stands` says; first: the place among them of the
    first that the document holds; own: whether the document itself says that one.
    """

    form: str
    rarity: float
    stands: tuple[str, ...]
    documents: Numbers
    weight: Weights
    bm25: Weights
    first: Numbers
    own: Flags


@dataclass(frozen=True)
class Weighed:
    """What the words of one question say about every document, by its number in `TextIndex.ids`.

    bm25: BM25F, unbounded, comparable only within one question.
    weight: rarity (nats) of the question's terms that the document holds, less where only its body does;
        `whole` is that of all its terms.
    missing: the terms for which nothing stands anywhere.
    """

    bm25: Weights
    weight: Weights
    whole: float
    missing: tuple[str, ...]
    choices: tuple[Choice, ...]
    documents: Numbers
    """Those of all choices, one choice after another."""
    ends: Sequence[int]
    """Where those of each choice end."""

    def reasons(self, number: int) -> Reasons:
        said, labelled, instead = [], [], []
        places = np.flatnonzero(self.documents == number)
        for place in places.tolist():
            which = bisect_right(self.ends, place)
            choice = self.choices[which]
            at = place - (self.ends[which - 1] if which else 0)
            form = choice.stands[choice.first[at]]
            if not choice.own[at]:
                labelled.append(choice.form)
            elif form == choice.form:
                said.append(form)
            else:
                instead.append((choice.form, form))
        return Reasons(tuple(said), tuple(labelled), tuple(instead))

    def best(self, limit: int) -> list[int]:
        """The documents that hold any term, best first."""
        found = np.flatnonzero(self.bm25)
        best: list[int] = found[np.lexsort((found, -self.bm25[found]))][:limit].tolist()
        return best


def choose(form: str, stands: Sequence[tuple[str, float, Postings]]) -> Choice:
    """What may stand for a term: each in index form, how much it counts, and its postings."""
    documents = np.unique(np.concatenate([postings.documents for _, _, postings in stands]))
    telling, bm25 = np.zeros(documents.size), np.zeros(documents.size)
    first, own = np.zeros(documents.size, np.int32), np.zeros(documents.size, np.bool_)
    # From the last to the first, so that the first that a document holds has the last word.
    for place, (_, counts, postings) in reversed(list(enumerate(stands))):
        at = np.searchsorted(documents, postings.documents)
        telling[at] = np.maximum(telling[at], counts * postings.telling)
        bm25[at] = np.maximum(bm25[at], counts * postings.bm25)
        first[at], own[at] = place, postings.own
    rarity = next((postings.rarity for other, _, postings in stands if other == form), None)
    if rarity is None:
        rarity = max(counts * postings.rarity for _, counts, postings in stands)
    return Choice(form, rarity, tuple(other for other, _, _ in stands), documents, rarity * telling, bm25, first, own)


def add_up(choices: Sequence[Choice], missing: Sequence[str], size: int) -> Weighed:
    """size: the number of documents."""
    ranked = sorted(choices, key=lambda choice: (-choice.rarity, choice.form))
    # A word nobody holds counts against the whole, as much as the rarest word would; but a log is full of
    # names and numbers that nobody can hold, so only the first few do, and only the rarest words found.
    whole = sum(choice.rarity for choice in ranked[:WEIGHED]) + min(len(missing), MISSING) * log(1 + size)
    kept = tuple(ranked[:MAX_TERMS])
    documents = np.concatenate([NOTHING.documents, *(choice.documents for choice in kept)])
    bm25 = np.concatenate([NOTHING.bm25, *(choice.bm25 for choice in kept)])
    weight = np.concatenate([NOTHING.bm25, *(choice.weight for choice in kept)])
    return Weighed(
        bm25=np.bincount(documents, bm25, minlength=size).astype(np.float64, copy=False),
        weight=np.bincount(documents, weight, minlength=size).astype(np.float64, copy=False),
        whole=whole,
        missing=tuple(missing),
        choices=kept,
        documents=documents,
        ends=tuple(accumulate(choice.documents.size for choice in kept)),
    )
