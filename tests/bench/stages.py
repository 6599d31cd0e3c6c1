"""Where the time of a search goes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

from kb.library import Library, looking, ranking, search
from kb.text_index import TextIndex
from tests.bench import questions
from tests.bench.asking import searches

#: Stage → the functions whose time it is. What is left is the answer: reasons, passages, facets, next checks.
STAGES = {
    "words": (TextIndex, "weigh_terms"),
    "meaning": (looking, "_meaning"),
    "names": (looking, "named_values"),
    "keys": (looking, "keys"),
    "neighbours": (ranking, "_scores"),
}
REST = "answer"


def measure(library: Library) -> tuple[list[tuple[str, float]], float]:
    """(stage, milliseconds a search) in falling order, and milliseconds of a whole search."""
    spent = dict.fromkeys(STAGES, 0.0)
    calls = searches(library, questions.ALL, 2, first=100)
    with _watched(spent):
        before = time.perf_counter()
        for call in calls:
            call()
        whole = time.perf_counter() - before
    spent[REST] = whole - sum(spent.values())
    each = {name: 1000 * taken / len(calls) for name, taken in spent.items()}
    return sorted(each.items(), key=lambda pair: -pair[1]), 1000 * whole / len(calls)


@contextmanager
def _watched(spent: dict[str, float]) -> Iterator[None]:
    assert search.rank is ranking.rank
    patches = [
        patch.object(module, name, _timed(stage, getattr(module, name), spent))
        for stage, (module, name) in STAGES.items()
    ]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()


def _timed(stage: str, function: Callable[..., object], spent: dict[str, float]) -> Callable[..., object]:
    def timed(*given: object, **named: object) -> object:
        before = time.perf_counter()
        try:
            return function(*given, **named)
        finally:
            spent[stage] += time.perf_counter() - before

    return timed
