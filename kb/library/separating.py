"""How far each check separates the causes of some cases, in bits; for all checks at once."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]


class Separator:
    """Of the cases in the order they were given; a case is named by its place in it."""

    def __init__(self, causes: Sequence[str], finds: Mapping[str, Sequence[int]]) -> None:
        """causes: the main cause of each case; finds: check → the cases that it finds."""
        self.causes = tuple(causes)
        self.checks = tuple(sorted(finds))
        self.finds = {check: frozenset(finds[check]) for check in self.checks}
        names = {cause: place for place, cause in enumerate(dict.fromkeys(causes))}
        self._kinds = len(names)
        self._cause: Numbers = np.array([names[cause] for cause in causes], dtype=np.int64)
        pairs = [(place, case) for place, check in enumerate(self.checks) for case in sorted(self.finds[check])]
        self._check, self._case = np.array(pairs, dtype=np.int64).reshape(-1, 2).T

    def gains(self, cases: Sequence[int], weights: Sequence[float]) -> dict[str, float]:
        """Check → information gain, for each that finds any of the cases.

        A cause is as likely as its cases weigh together; a check splits them into those that it finds and the rest.
        """
        mass = np.zeros(len(self.causes))
        mass[np.array(cases, dtype=np.intp)] = weights
        whole = _sums(self._cause, mass, self._kinds)
        cells = self._check * self._kinds + self._cause[self._case]
        part = _sums(cells, mass[self._case], len(self.checks) * self._kinds)
        part = part.reshape(len(self.checks), self._kinds)
        finding = np.flatnonzero(part.sum(axis=1) > 0)
        found = part[finding]
        left = _bits(found) + _bits(whole - found)
        gains = (_bits(whole[None, :]) - left) / max(float(whole.sum()), np.finfo(float).tiny)
        return {self.checks[place]: gain for place, gain in zip(finding.tolist(), gains.tolist(), strict=True)}


def _sums(places: Numbers, amounts: Weights, size: int) -> Weights:
    return np.bincount(places, amounts, minlength=size).astype(np.float64, copy=False)


def _bits(mass: Weights) -> Weights:
    """Entropy of each row, times the row's sum."""
    total = mass.sum(axis=1, keepdims=True)
    some = mass > 0
    shares = np.divide(mass, total, out=np.ones_like(mass), where=some & (total > 0))
    bits: Weights = -np.where(some, mass * np.log2(shares), 0.0).sum(axis=1)
    return bits
