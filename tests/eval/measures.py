"""Measures of one ranked list against grades (0–3) by case. Sources: Järvelin & Kekäläinen 2002 for nDCG."""

from collections.abc import Mapping, Sequence
from math import log2


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Gain 2^grade − 1, discounted by log2 of the place; 1 for the best possible order."""
    gained = sum((2 ** grades.get(case, 0) - 1) / log2(i + 2) for i, case in enumerate(ranked[:depth]))
    best = sum((2**g - 1) / log2(i + 2) for i, g in enumerate(sorted(grades.values(), reverse=True)[:depth]))
    return gained / best if best else 0.0


def recall(ranked: Sequence[str], grades: Mapping[str, int], depth: int = 5, least: int = 2) -> float:
    """Share of the cases of at least this grade among the first; of no more than fit there."""
    wanted = {case for case, grade in grades.items() if grade >= least}
    return len(wanted & set(ranked[:depth])) / min(len(wanted), depth) if wanted else 1.0


def reciprocal(ranked: Sequence[str], grades: Mapping[str, int], least: int = 2) -> float:
    """One over the place of the first case of at least this grade."""
    return next((1 / (i + 1) for i, case in enumerate(ranked) if grades.get(case, 0) >= least), 0.0)


def overlap(one: Sequence[str], other: Sequence[str], depth: int = 5) -> float:
    """Shared cases of two lists, over the longer of both (at most `depth`); two empty lists agree."""
    a, b = set(one[:depth]), set(other[:depth])
    return len(a & b) / max(len(a), len(b)) if a or b else 1.0
