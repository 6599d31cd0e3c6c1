"""The nearest known words to one that is not known."""

from collections.abc import Iterable
from difflib import SequenceMatcher

#: Characters from which a word that stands in another counts as near to it.
SHORTEST = 3


def nearest(word: str, known: Iterable[str], *, limit: int = 3, floor: float = 0.5) -> tuple[str, ...]:
    """Up to `limit` of `known`, most similar first; none that is less similar than `floor` (0–1)."""
    low = word.lower().strip()[:120]
    scored = sorted(((_similarity(low, other.lower()), other) for other in set(known)), key=lambda x: (-x[0], x[1]))
    return tuple(other for score, other in scored[:limit] if score >= floor)


def _similarity(a: str, b: str) -> float:
    if min(len(a), len(b)) >= SHORTEST and (a in b or b in a):
        return 0.75 + 0.25 * min(len(a), len(b)) / max(len(a), len(b))
    return SequenceMatcher(None, a, b).ratio()
