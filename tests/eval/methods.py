"""The methods that are compared, each a function from a text to case ids, best first."""

from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

from kb import builds, corpus, packing
from kb.library.looking import Features, Numbers, look
from kb.library.ranking import rank
from kb.library.store import Store, open_store
from kb.settings import Settings
from tests.bench import peers

Method = Callable[[str], list[str]]
#: An answer holds so many cases at most.
DEPTH = 20


def store_of(settings: Settings) -> Store:
    """The served build, opened and warm."""
    shelf = builds.shelf(settings)
    key = shelf.current()
    store = open_store(shelf.tables_url(key), shelf.build_folder(key), key)
    store.warm(meaning=settings.vectors)
    return store


def methods(store: Store, settings: Settings, within: Collection[str], folder: Path) -> dict[str, Method]:
    """Hybrid as served, its two main voices alone, and two baselines over the same texts."""
    files = corpus.read(settings.data_roots)
    texts = [packing.document(case, files) for case in files.served if case.incident.id in within]
    peers.write_sqlite(folder / "cases.sqlite", texts)
    fts, bm25 = peers.Fts5(folder / "cases.sqlite"), peers.Bm25(texts)
    numbers = np.array(sorted(store.number[case_id] for case_id in within))

    def alone(text: str, voice: Callable[[Features], Numbers]) -> list[str]:
        heard = voice(look(store, text).features)[numbers]
        best = numbers[np.argsort(-heard, kind="stable")][: int((heard > 0).sum())]
        return [store.ids[number] for number in best.tolist()][:DEPTH]

    return {
        "hybrid": lambda text: [m.id for m in rank(store, text, within).shown][:DEPTH],
        "words": lambda text: alone(text, lambda features: features.said),
        "meaning": lambda text: alone(text, lambda features: features.meant),
        "FTS5": lambda text: [row[0] for row in fts.search(text, DEPTH)] if peers.expression(text) else [],
        "BM25": lambda text: [case for case, _ in bm25.search(text, DEPTH)],
    }
