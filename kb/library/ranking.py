"""How near a question is to a case: one score that orders the list, one confidence that decides the verdict.

    words    = rarity of the matched terms / (rarity of all terms of the question + K)
    bm25     = BM25F / (BM25F + B · rarity of all terms): how often and where they stand
    meaning  = cosines of the nearest passages, stretched from [COS_LOW, COS_HIGH] to [0, 1]
    named    = rarity of a vocabulary value that the question names and the case carries / (that rarity + K)
    evidence = rarity of the shared keys / (rarity of the question's keys + K)
    score    = 1 − (1 − W·words) (1 − F·bm25) (1 − M·meaning) (1 − N·named) (1 − E·evidence)
    confidence = (0.6·words + mean of the three nearest cosines + 0.1·bm25 + 0.5·evidence) / 1.6

Nothing is rescaled inside one list, so 0.6 means the same in every answer. The score says which case is nearer;
confidence says whether anything is near at all, and separates answerable from other questions better (area under
the curve 0.987 against 0.960). Weights were chosen by coordinate search on the development set (`make eval`), and
hold up on left-out thirds; the long paste leans on words, so meaning fades with the number of terms.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log

from kb.answers import Verdict
from kb.evidence import Key, keys
from kb.library.store import Store
from kb.model import Kind
from kb.text_index import terms
from kb.words import normalise

K = 2.5
B = 1.2
COS_LOW, COS_HIGH = 0.32, 0.78
#: Share of the mean of the three nearest passages in a case's cosine; the rest is the nearest alone.
THREE = 0.3
W, F, M, N, E = 0.6, 0.95, 0.4, 0.2, 0.5
#: Terms up to which meaning counts fully, and how many more halve it.
SHORT, FADING = 60, 30
#: A value that is not the main one of its kind says less about the case.
SECONDARY = 0.6
#: What stands in for the cosine where no model is there: the cosine that goes with such a share of words.
ALONE = 0.25, 0.35
#: Confidence below CUT: a case is not shown; from STRONG on the list's verdict is strong.
CUT, STRONG = 0.349, 0.391
#: Candidates this near below the cut are counted as near misses.
NEAR_MISS = 0.3
#: Candidates less sure than this are dropped at once.
FLOOR = 0.15
CANDIDATES = 200
#: Characters from which a name can be told from a stray letter.
SHORTEST_NAME = 2


@dataclass
class Match:
    """One candidate and what speaks for it; `words` are index forms, rarest first."""

    id: str
    words: float = 0.0
    bm25: float = 0.0
    meaning: float = 0.0
    cosine: float = 0.0
    """Mean cosine of the three nearest passages."""
    evidence: float = 0.0
    naming: float = 0.0
    matched: tuple[str, ...] = ()
    shared: tuple[Key, ...] = ()
    named: tuple[tuple[Kind, str], ...] = ()

    fading: float = 1.0
    """How much meaning counts, by the length of the question."""

    @property
    def score(self) -> float:
        against = (1 - W * self.words) * (1 - F * self.bm25) * (1 - M * self.fading * self.meaning)
        return 1 - against * (1 - N * self.naming) * (1 - E * self.evidence)

    @property
    def confidence(self) -> float:
        return (0.6 * self.words + self.cosine + 0.1 * self.bm25 + 0.5 * self.evidence) / 1.6


@dataclass
class Ranking:
    """All candidates, best first; `shown` are those above the cut."""

    matches: list[Match] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    """Words of the question that no case holds."""
    found_keys: tuple[Key, ...] = ()
    named: tuple[tuple[Kind, str], ...] = ()
    """Vocabulary values that the question names, longest name first."""

    @property
    def shown(self) -> list[Match]:
        return [match for match in self.matches if match.confidence >= CUT]

    @property
    def near_misses(self) -> int:
        return sum(1 for match in self.matches if NEAR_MISS <= match.confidence < CUT)

    @property
    def verdict(self) -> Verdict:
        best = max((match.confidence for match in self.matches), default=0.0)
        if best >= STRONG:
            return Verdict.strong
        return Verdict.weak if best >= CUT else Verdict.none


def rank(store: Store, text: str, within: Iterable[str], *, evidence_only: bool = False) -> Ranking:
    """Rank the cases of `within`. With `evidence_only`, exact keys alone decide who is a candidate."""
    allowed = set(within)
    found = tuple(keys(text))
    matches: dict[str, Match] = {}
    missing: tuple[str, ...] = ()
    named: tuple[tuple[Kind, str], ...] = ()
    if not evidence_only:
        named = tuple(named_values(store, text))
        missing = _by_words(store, text, matches)
        _by_meaning(store, text, matches)
        _by_names(store, named, matches)
    _by_evidence(store, found, matches)
    kept = [match for match in matches.values() if match.id in allowed and match.confidence >= FLOOR]
    kept.sort(key=lambda match: (-round(match.score, 4), match.id))
    return Ranking(kept, missing, found, named)


def _by_words(store: Store, text: str, matches: dict[str, Match]) -> tuple[str, ...]:
    hits, missing = store.text.search(text, limit=CANDIDATES)
    for hit in hits:
        match = matches.setdefault(hit.id, Match(hit.id))
        match.words = min(1.0, hit.weight / (hit.whole + K))
        match.bm25 = hit.bm25 / (hit.bm25 + B * hit.whole)
        match.matched = hit.matched
    return missing


def _by_meaning(store: Store, text: str, matches: dict[str, Match]) -> None:
    vector = store.embed(text)
    if vector is None:
        for match in matches.values():
            match.cosine = ALONE[0] + ALONE[1] * match.words
        return
    fading = 1 / (1 + max(0, len({form for form, _, _ in terms(normalise(text))}) - SHORT) / FADING)
    for case_id, (best, three) in store.case_vectors.nearest_three(vector).items():
        match = matches.setdefault(case_id, Match(case_id))
        nearness = (1 - THREE) * best + THREE * three
        match.meaning = min(1.0, max(0.0, (nearness - COS_LOW) / (COS_HIGH - COS_LOW)))
        match.cosine, match.fading = max(0.0, three), fading


def _by_evidence(store: Store, found: tuple[Key, ...], matches: dict[str, Match]) -> None:
    index, size = store.evidence_index, max(1, len(store.cases))
    rarity = {key.name: log(1 + size / max(1, len(index.get(key.name, ())))) for key in found}
    whole = sum(rarity.values()) + K
    for case_id in {i for key in found for i in index.get(key.name, ())}:
        shared = tuple(key for key in found if case_id in index.get(key.name, ()))
        match = matches.setdefault(case_id, Match(case_id))
        match.shared = shared
        match.evidence = sum(rarity[key.name] for key in shared) / whole


def _by_names(store: Store, named: Iterable[tuple[Kind, str]], matches: dict[str, Match]) -> None:
    size = max(1, len(store.cases))
    for kind, slug in named:
        carriers = store.by_term.get((kind, slug), frozenset())
        rarity = log(1 + size / max(1, len(carriers)))
        for case_id in carriers:
            match = matches.setdefault(case_id, Match(case_id))
            main = store.cases[case_id].incident.terms(kind)[0] == slug
            match.naming = max(match.naming, (1.0 if main else SECONDARY) * rarity / (rarity + K))
            match.named = (*match.named, (kind, slug))


def named_values(store: Store, text: str) -> list[tuple[Kind, str]]:
    """Vocabulary values one of whose names or aliases stands in the text, longest name first.

    Names are compared word by word in index form, so a Korean name is found with any particle and never inside
    another word.
    """
    plain = normalise(text)
    forms = [form for form, _, _ in terms(plain, keep_stop=True)]
    said = f" {' '.join(forms)} "
    found: dict[tuple[Kind, str], int] = {}
    for label in {label for form in set(forms) for label in store.labels_of_word.get(form, ())}:
        if len(label.form) >= SHORTEST_NAME and f" {label.form} " in said:
            found[label.kind, label.slug] = max(found.get((label.kind, label.slug), 0), len(label.form))
    return sorted(found, key=lambda value: (-found[value], value))
