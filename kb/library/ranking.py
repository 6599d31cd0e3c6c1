"""Which cases answer a question, in which order, and whether any does.

    near     = exp(what the question says of a case less what it says of the very first), by `kb/library/looking.py`
    around   = likeness to the cases that the question says most about
    score    = what the question says of the first, how near, around and sharing their domain, as a share of 1

A question that finds one case well leads to its neighbours: rivals of the explanation, look-alikes, the same cause
elsewhere. Likeness is the same in both languages, so it also brings the two answers to one question together.
Confidence leaves it out. Nothing is rescaled inside one list, so 0.6 means the same in every answer.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kb.answers import Verdict
from kb.evidence import Key
from kb.library.asked import Asked
from kb.library.looking import Features, Look, Numbers, look, looked
from kb.library.store import Places, Store
from kb.model import Kind
from kb.weighing import Weighed

#: How much counts what the question says of the very first case, of another beside it, the likeness to the first
#: `FIRST` cases, being as near to the question as the very first, and sharing the domain of the first `MANY`.
BEST, OWN, AROUND, LEAD, DOMAIN = 0.6, 0.2, 1.5, 7.1, 0.75
FIRST, MANY = 4, 15
#: Likeness is the reason for a hit where it says so many times what the words do.
ALIKE = 0.8
#: Where a score is one half, and how much more takes it to 0.73.
MIDDLE, STEEP = 5.0, 1.6
#: Confidence below CUT: nothing is known; from STRONG on the verdict is strong.
CUT, STRONG = 0.3, 0.66
#: Cases with a score below LEAST are not shown unless they answer by themselves; those down to NEAR_MISS are counted.
LEAST, NEAR_MISS = 0.17, 0.13
_ID = re.compile(r"(?<![A-Za-z0-9])IL[-\s]?0*(\d{1,7})(?![A-Za-z0-9])", re.IGNORECASE)
#: Begins at the beginning of a word and gives nothing back, or a long word without a hyphen is read again and again.
_SLUG = re.compile(r"(?<![a-z0-9-])[a-z0-9]++(?:-[a-z0-9]++)++")


Flags = npt.NDArray[np.bool_]


@dataclass(slots=True)
class Match:
    """One candidate and what speaks for it."""

    id: str
    score: float = 0.0
    confidence: float = 0.0
    meaning: float = 0.0
    """Cosine of the three nearest passages, less where the question is long."""
    alike: str | None = None
    """The case whose neighbour this one is, where that raised it most."""
    exact: str | None = None
    """The id or slug by which the question asks for this case."""

    @property
    def worth_showing(self) -> bool:
        """Beside the very first of all cases, or by itself: where a filter leaves that out, this is what there is."""
        return self.score >= LEAST or self.confidence >= CUT


@dataclass
class Ranking:
    """All candidates, best first; `shown` are those that an answer holds."""

    matches: list[Match]
    asked: Asked
    meant: Asked
    weighed: Weighed
    """What the words of the question say, from which the reasons for a hit are read."""
    found_keys: tuple[Key, ...]
    named: tuple[tuple[Kind, str], ...]
    """Vocabulary values that the question names, longest name first."""
    known: bool
    """Whether the library holds an answer at all, in these cases or in those that a filter left out."""
    outside: int = 0
    """Cases that answer, or are asked for by id or slug, and that a filter left out."""

    @cached_property
    def shown(self) -> list[Match]:
        return [match for match in self.matches if match.worth_showing] if self.known else []

    @property
    def did_you_mean(self) -> tuple[str, ...]:
        """What was meant; nothing where no word is misspelt or a case is asked for by id or slug."""
        named = any(match.exact for match in self.shown)
        return () if named or self.meant is self.asked else (self.meant.plain,)

    @property
    def near_misses(self) -> int:
        if not self.asked.weighing:
            return 0
        return sum(1 for match in self.matches if match.score >= NEAR_MISS or match.worth_showing) - len(self.shown)

    @cached_property
    def verdict(self) -> Verdict:
        if not self.shown:
            return Verdict.none
        sure = max(match.confidence for match in self.shown) >= STRONG
        return Verdict.strong if sure and self._says_enough else Verdict.weak

    @property
    def _says_enough(self) -> bool:
        """Whether more is asked than one word of the language, which is neither a name nor a key."""
        words = sum(1 for one in self.asked.cuts if one.whole and not one.stop)
        return words > 1 or bool(self.named or self.found_keys or any(match.exact for match in self.shown))


def rank(store: Store, text: str, within: Collection[str], *, evidence_only: bool = False) -> Ranking:
    """Rank the cases of `within`. With `evidence_only`, exact keys alone decide who is a candidate.

    A case has the same score whatever else is in `within`, so that a filter leaves out and changes nothing.
    """
    # A long paste is seldom asked twice, and would be much to keep.
    said = look(store, text) if evidence_only else looked(store, text)
    features = said.features
    # Nothing is left out, mostly; every id is one of the store's.
    allowed = np.full(len(store.ids), len(within) == len(store.ids), dtype=np.bool_)
    if not allowed.all():
        allowed[[store.number[case_id] for case_id in within]] = True
    if evidence_only:
        allowed &= features.evidence > 0
    scores, neighbours = _scores(store, features)
    confidence = features.confidence
    confidence[_called(store, said)] = 1.0
    found = (features.bm25 > 0) | (features.three > 0) | (features.evidence > 0)
    if not evidence_only:
        found &= (scores >= NEAR_MISS) | (confidence >= CUT)
    candidates = np.flatnonzero(allowed & found)
    candidates = candidates[np.lexsort((candidates, -np.round(scores[candidates], 4)))]
    matches = [
        Match(store.ids[number], score, sure, meaning, store.ids[neighbour] if neighbour >= 0 else None)
        for number, score, sure, meaning, neighbour in zip(
            candidates.tolist(),
            scores[candidates].tolist(),
            confidence[candidates].tolist(),
            (features.fading * features.three[candidates]).tolist(),
            neighbours[candidates].tolist(),
            strict=True,
        )
    ]
    named = _named_cases(store, said.asked.plain)
    matches = _asked_for(store, said.asked.plain, named, matches, allowed)
    best = max([float(confidence.max(initial=0.0)), *(match.confidence for match in matches)])
    fitting = found & ((scores >= LEAST) | (confidence >= CUT)) & (best >= CUT)
    fitting[[store.number[case_id] for case_id in named]] = True
    outside = 0 if evidence_only else int((fitting & ~allowed).sum())
    return Ranking(matches, said.asked, said.meant, said.weighed, said.found, said.named, best >= CUT, outside)


def _scores(store: Store, features: Features) -> tuple[Numbers, Places]:
    """The score of each case, and the number of the neighbour to which it owes most of it; -1 where to none."""
    own = features.own
    order = np.argsort(-own, kind="stable")[:MANY]
    if not order.size:
        return np.zeros(0), np.zeros(0, np.int64)
    first = order[:FIRST]
    best = own[first[0]]
    near = np.exp(own - best)
    shares = near[first] / near[first].sum()
    alike = store.likeness.to_each(first.tolist())
    around = shares @ alike
    # A case is no neighbour of its own: that would only repeat what the question says about it.
    others = shares * (1 - np.eye(first.size))
    whole = others.sum(axis=1)
    said = (others * alike[:, first].T).sum(axis=1)
    around[first] = np.divide(said, whole, out=np.zeros(first.size), where=whole > 0)
    mass = np.exp((own[order] - best) / 2)
    share = float(mass[store.in_ai_infra[order]].sum() / mass.sum())
    domain = np.where(store.in_ai_infra, share, 1 - share)
    # Without the lead the neighbours of the best case, who have it for a neighbour, would overtake it; and what the
    # question says nearly as much about keeps its place before what is only like it.
    total = BEST * best + OWN * (own - best) + AROUND * around + LEAD * (near - 1) + DOMAIN * domain
    neighbours = np.where(around > ALIKE * features.said, first[alike.argmax(axis=0)], -1)
    neighbours[first] = -1
    return 1 / (1 + np.exp(-(total - MIDDLE) / STEEP)), neighbours


def _asked_for(store: Store, text: str, asked: Mapping[str, str], matches: list[Match], allowed: Flags) -> list[Match]:
    """The matches with those cases first whose id or slug stands in the question."""
    exact = [case_id for case_id in asked if allowed[store.number[case_id]]]
    if not exact:
        return matches
    # Who asks for nothing else is not shown what shares a number with it.
    rest = text
    for name in asked.values():
        rest = rest.replace(name, "")
    known = {match.id: match for match in matches if any(map(str.isalpha, rest))}
    first = [known.pop(case_id) if case_id in known else Match(case_id) for case_id in exact]
    for match in first:
        match.score, match.confidence, match.exact, match.alike = 1.0, 1.0, asked[match.id], None
    return [*first, *known.values()]


def _named_cases(store: Store, text: str) -> dict[str, str]:
    """Id of each served case whose id or slug stands in the question → as it stands there."""
    asked: dict[str, str] = {}
    for found in _ID.finditer(text):
        asked.setdefault(f"IL-{int(found[1]):04d}", found.group())
    for slug in _SLUG.finditer(text.lower()):
        if slug.group() in store.by_slug:
            asked.setdefault(store.by_slug[slug.group()], text[slug.start() : slug.end()])
    return {case_id: said for case_id, said in asked.items() if case_id in store.number}


def _called(store: Store, said: Look) -> list[int]:
    """The cases that carry a value whose name or alias is the whole question, but for words of no weight and slips."""
    names = {" ".join(forms) for asked in (said.asked, said.meant) for forms in (asked.forms, asked.weighing)}
    labels = [label for name in names for label in store.labels_of_word.get(name.partition(" ")[0], ())]
    called = {(label.kind, label.slug) for label in labels if label.form in names}
    return sorted({store.number[i] for value in called for i in store.by_term.get(value, ())})
