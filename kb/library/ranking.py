"""How near a question is to a case: words, meaning and exact keys, as one absolute score.

    words    = rarity of the matched terms / (rarity of all terms of the question + K)
    meaning  = cosine of the nearest passage, stretched from [COS_LOW, COS_HIGH] to [0, 1]
    named    = rarity of a vocabulary value that the question names and the case carries / (that rarity + K)
    evidence = rarity of the shared keys / (rarity of the question's keys + K)
    score    = 1 − (1 − W·words) (1 − M·meaning) (1 − N·named) (1 − E·evidence)

Nothing is rescaled inside one list, so 0.6 means the same in every answer. K keeps a single common word from
counting as certainty. The weights are set by hand on a few dozen questions; `kb eval` is to replace that.
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
COS_LOW, COS_HIGH = 0.32, 0.78
W, M, N, E = 0.75, 0.75, 0.4, 0.9
#: A value that is not the main one of its kind says less about the case.
SECONDARY = 0.6
#: Below CUT a case is not shown; from STRONG on the list's verdict is strong.
CUT, STRONG = 0.34, 0.56
#: Candidates this near below the cut are counted as near misses.
NEAR_MISS = 0.27
CANDIDATES = 200


@dataclass
class Match:
    """One candidate and what speaks for it; `words` are index forms, rarest first."""

    id: str
    words: float = 0.0
    meaning: float = 0.0
    evidence: float = 0.0
    naming: float = 0.0
    matched: tuple[str, ...] = ()
    shared: tuple[Key, ...] = ()
    named: tuple[tuple[Kind, str], ...] = ()

    @property
    def score(self) -> float:
        against = (1 - W * self.words) * (1 - M * self.meaning) * (1 - N * self.naming) * (1 - E * self.evidence)
        return 1 - against


@dataclass
class Ranking:
    """All candidates, best first; `shown` are those above the cut."""

    matches: list[Match] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    """Words of the question that no case holds."""
    found_keys: tuple[Key, ...] = ()

    @property
    def shown(self) -> list[Match]:
        return [match for match in self.matches if match.score >= CUT]

    @property
    def near_misses(self) -> int:
        return sum(1 for match in self.matches if NEAR_MISS <= match.score < CUT)

    @property
    def verdict(self) -> Verdict:
        best = self.matches[0].score if self.matches else 0.0
        if best >= STRONG:
            return Verdict.strong
        return Verdict.weak if best >= CUT else Verdict.none


def rank(store: Store, text: str, within: Iterable[str], *, evidence_only: bool = False) -> Ranking:
    """Rank the cases of `within`. With `evidence_only`, exact keys alone decide who is a candidate."""
    allowed = set(within)
    found = tuple(keys(text))
    matches: dict[str, Match] = {}
    missing: tuple[str, ...] = ()
    if not evidence_only:
        missing = _by_words(store, text, matches)
        _by_meaning(store, text, matches)
        _by_names(store, text, matches)
    _by_evidence(store, found, matches)
    kept = [match for match in matches.values() if match.id in allowed and match.score >= NEAR_MISS]
    kept.sort(key=lambda match: (-round(match.score, 4), match.id))
    return Ranking(kept, missing, found)


def _by_words(store: Store, text: str, matches: dict[str, Match]) -> tuple[str, ...]:
    hits, missing = store.text.search(text, limit=CANDIDATES)
    for hit in hits:
        match = matches.setdefault(hit.id, Match(hit.id))
        match.words = hit.weight / (hit.whole + K)
        match.matched = hit.matched
    return missing


def _by_meaning(store: Store, text: str, matches: dict[str, Match]) -> None:
    vector = store.embed(text)
    if vector is None:
        return
    for case_id, cosine in store.case_vectors.nearest(vector).items():
        meaning = min(1.0, max(0.0, (cosine - COS_LOW) / (COS_HIGH - COS_LOW)))
        if meaning > 0:
            matches.setdefault(case_id, Match(case_id)).meaning = meaning


def _by_evidence(store: Store, found: tuple[Key, ...], matches: dict[str, Match]) -> None:
    index, size = store.evidence_index, max(1, len(store.cases))
    rarity = {key.name: log(1 + size / max(1, len(index.get(key.name, ())))) for key in found}
    whole = sum(rarity.values()) + K
    for case_id in {i for key in found for i in index.get(key.name, ())}:
        shared = tuple(key for key in found if case_id in index.get(key.name, ()))
        match = matches.setdefault(case_id, Match(case_id))
        match.shared = shared
        match.evidence = sum(rarity[key.name] for key in shared) / whole


def _by_names(store: Store, text: str, matches: dict[str, Match]) -> None:
    size = max(1, len(store.cases))
    for kind, slug in named_values(store, text):
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
    said = " " + " ".join(form for form, _, _ in terms(plain, keep_stop=True)) + " "
    found: dict[tuple[Kind, str], int] = {}
    for label, kind, slug in store.label_forms:
        if f" {label} " in said:
            found[kind, slug] = max(found.get((kind, slug), 0), len(label))
    return sorted(found, key=lambda value: (-found[value], value))
