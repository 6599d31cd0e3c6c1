"""What a question says about every case: in words, in meaning, by names and by exact keys.

    words    = rarity of the matched terms / (rarity of all terms of the question + K)
    bm25     = BM25F / (BM25F + B · (rarity of all terms + K)): how often and where they stand
    meaning  = cosine of the nearest passage, and of the three nearest
    named    = rarity of a vocabulary value that the question names and the case carries / (that rarity + K)
    evidence = rarity of the shared keys / (rarity of the question's keys + K)
    own      = sum of these, weighed
    confidence = chance that the library holds an answer, from the same, from how near the question is to the names of
                 the vocabulary, and from how near to other trades

Weights were fitted on the development set and checked on left-out fifths; `docs/search.md` has the figures.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from kb.evidence import Key, keys
from kb.library.asked import Asked
from kb.library.counting import NOBODY
from kb.library.store import Store
from kb.model import Kind
from kb.vectors import VectorIndex, Vectors
from kb.weighing import Weighed

Numbers = npt.NDArray[np.float64]

K = 2.5
B = 1.2
#: Weights of what the question says: words, BM25F, the nearest passage, the three nearest, names, keys.
WORDS, BM25, NEAREST, THREE, NAMED, EVIDENCE = 3.5, 9.9, 2.3, 4.5, 1.9, 1.0
#: Terms up to which meaning counts fully, and how many more halve it: a long paste leans on its words.
SHORT, FADING = 60, 30
#: What stands in for the cosines where no model is there: of a case by its share of words, of our names, of other
#: trades.
ALONE, ALONE_OURS, ALONE_ELSEWHERE = (0.25, 0.35), 0.42, 0.15
#: Confidence, in log odds: weights of words, the three nearest, BM25F, keys, nearness to our names and to other trades,
#: a question in Korean (whose cosines lie lower), and the rest.
SURE = (6.7, 12.7, 10.9, 1.1, 4.0, -17.3, 1.8, -11.3)
#: Questions whose look is kept, some 100 kB each.
KEPT_LOOKS = 64
#: Characters from which a name can be told from a stray letter.
SHORTEST_NAME = 2
_HANGUL = re.compile("[가-힣]")


@dataclass
class Features:
    """What speaks for each case, by its number in the store."""

    words: Numbers
    bm25: Numbers
    nearest: Numbers
    three: Numbers
    named: Numbers
    evidence: Numbers
    fading: float
    """How much meaning counts, by the length of the question."""
    ours: float
    """Nearness to the names and definitions of the vocabulary: short jargon is near to these before it is to a case."""
    elsewhere: float
    """Nearness to other trades."""
    korean: bool

    @property
    def said(self) -> Numbers:
        """What the words alone say."""
        return WORDS * self.words + BM25 * self.bm25

    @property
    def meant(self) -> Numbers:
        """What meaning alone says."""
        return self.fading * (NEAREST * self.nearest + THREE * self.three)

    @property
    def own(self) -> Numbers:
        return self.said + self.meant + NAMED * self.named + EVIDENCE * self.evidence

    @property
    def confidence(self) -> Numbers:
        words, three, bm25, evidence, ours, elsewhere, korean, rest = SURE
        sure = words * self.words + three * self.three + bm25 * self.bm25 + evidence * self.evidence
        asked = ours * self.ours + elsewhere * self.elsewhere + korean * self.korean + rest
        return 1 / (1 + np.exp(-(sure + asked)))


@dataclass(frozen=True)
class Look:
    """A question, looked at: what speaks for each case, and what it was read from."""

    asked: Asked
    meant: Asked
    """With what was meant by misspelt words; the same where none is."""
    features: Features
    weighed: Weighed
    found: tuple[Key, ...]
    named: tuple[tuple[Kind, str], ...]


def looked(store: Store, text: str) -> Look:
    """`look`, kept: a page asks for it twice, its next page and another filter once more."""
    kept = store.looks.get(text)
    if kept is None:
        kept = store.looks[text] = look(store, text)
        for old in list(store.looks)[:-KEPT_LOOKS]:
            store.looks.pop(old, None)
    return kept


def look(store: Store, text: str) -> Look:
    """What a question says about every case, before anything is left out or ordered."""
    asked = Asked(text)
    meant = asked.meant(store.text)
    found, named = tuple(keys(text)), tuple(named_values(store, asked))
    weighed = store.text.weigh_terms(asked.weighing, asked.plain)
    bm25, weight = weighed.bm25[store.text_number], weighed.weight[store.text_number]
    words = np.minimum(1.0, weight / (weighed.whole + K))
    nearest, three, ours, elsewhere = _meaning(store, meant.plain, words)
    features = Features(
        words=words,
        bm25=bm25 / (bm25 + B * (weighed.whole + K)),
        nearest=nearest,
        three=three,
        named=_naming(store, named),
        evidence=_evidence(store, found),
        fading=1 / (1 + max(0, len(asked.weighing) - SHORT) / FADING),
        ours=ours,
        elsewhere=elsewhere,
        korean=_HANGUL.search(text) is not None,
    )
    return Look(asked, meant, features, weighed, found, named)


def _meaning(store: Store, text: str, words: Numbers) -> tuple[Numbers, Numbers, float, float]:
    """Cosines of the nearest passage and of the three nearest for each case, nearness to our names and other trades."""
    vector = store.embed(text)
    if vector is None:
        alone = np.where(words > 0, ALONE[0] + ALONE[1] * words, 0.0)
        return alone, alone, ALONE_OURS, ALONE_ELSEWHERE
    by_owner = store.case_vectors.nearest_three(vector)
    nearest, three = (np.maximum(0.0, np.append(each, 0.0)[store.vector_number]) for each in by_owner)
    ours = _near(store.term_vectors, vector, ALONE_OURS)
    return nearest, three, ours, _near(store.elsewhere, vector, ALONE_ELSEWHERE)


def _near(index: VectorIndex, vector: Vectors, alone: float) -> float:
    """Half of the nearest and half of the mean of the three nearest; `alone` where there is none."""
    found = sorted(index.nearest(vector).values(), reverse=True)[:3]
    return (found[0] + sum(found) / len(found)) / 2 if found else alone


def _evidence(store: Store, found: tuple[Key, ...]) -> Numbers:
    index, size = store.evidence_index, max(1, len(store.ids))
    rarity = {key.name: log(1 + size / max(1, len(index.get(key.name, ())))) for key in found}
    out = np.zeros(len(store.ids))
    for key in found:
        out[[store.number[case_id] for case_id in index.get(key.name, ())]] += rarity[key.name]
    return out / (sum(rarity.values()) + K)


def _naming(store: Store, named: Iterable[tuple[Kind, str]]) -> Numbers:
    out, size = np.zeros(len(store.ids)), max(1, len(store.ids))
    for value in named:
        carriers, shares = store.counts.carriers.get(value, NOBODY)
        rarity = log(1 + size / max(1, carriers.size))
        out[carriers] = np.maximum(out[carriers], shares * rarity / (rarity + K))
    return out


def named_values(store: Store, asked: Asked) -> list[tuple[Kind, str]]:
    """Vocabulary values one of whose names or aliases stands in the question, longest name first.

    Names are compared word by word in index form, so a Korean name is found with any particle and never inside
    another word.
    """
    said, forms = f" {' '.join(asked.forms)} ", set(asked.forms)
    found: dict[tuple[Kind, str], int] = {}
    for label in {label for form in forms for label in store.labels_of_word.get(form, ()) if label.words <= forms}:
        if len(label.form) >= SHORTEST_NAME and f" {label.form} " in said:
            found[label.kind, label.slug] = max(found.get((label.kind, label.slug), 0), len(label.form))
    return sorted(found, key=lambda value: (-found[value], value))
