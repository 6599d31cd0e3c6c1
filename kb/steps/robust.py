"""Robust statistics of groups: the ratio to the median, the modified z, and persistence of the same rank.

Why not the coefficient of variation or z alone: one rank k times slower among n has z = (n-1)/sqrt(n), whatever k
is, so that z >= 2 can never fire for n <= 5; and uneven work makes both fire all day. What tells a slow rank from
uneven work is that it is the *same* rank step after step.
"""

import numpy as np
from numpy.typing import NDArray

from kb.steps.records import Bools, Floats

Float = NDArray[np.floating]

#: Share of the median below which the scatter of a group is not believed: clocks and kernels are not steadier.
MAD_FLOOR = 0.01
#: Scales the median absolute deviation of a normal law to its standard deviation.
NORMAL = 0.6745


def median(values: Float, axis: int = -1) -> Float:
    """Median along an axis, without NaN; NaN where nothing else is there. Keeps the axis (length 1)."""
    moved = np.moveaxis(values, axis, -1)
    valid = np.count_nonzero(~np.isnan(moved), axis=-1)[..., None]
    size = moved.shape[-1]
    if size and valid.min(initial=size) == size:
        return np.moveaxis(np.median(moved, axis=-1, keepdims=True), -1, axis)
    ordered = np.sort(moved, axis=-1)
    low = np.take_along_axis(ordered, np.maximum((valid - 1) // 2, 0), axis=-1)
    high = np.take_along_axis(ordered, np.minimum(valid // 2, size - 1), axis=-1)
    return np.moveaxis((low + high) / 2, -1, axis)


def ratio(values: Float, axis: int = -1) -> Float:
    """Each value over the median of its group along `axis`; NaN where the median is 0 or missing."""
    middle = median(values, axis)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(middle > 0, values / middle, np.nan)


def modified_z(values: Float, axis: int = -1) -> Float:
    """0.6745·(x - median)/max(MAD, 1 % of the median), along `axis`."""
    middle = median(values, axis)
    scatter = np.maximum(median(np.abs(values - middle), axis), MAD_FLOOR * np.abs(middle))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(scatter > 0, NORMAL * (values - middle) / scatter, np.nan)


def lower_quartile_ratio(values: Float, axis: int = -1) -> Float:
    """Each value over the lower quartile of its group: shows what a median hides when half the group is slow."""
    empty = np.isnan(values).all(axis=axis, keepdims=True)
    quartile = np.nanquantile(np.where(empty, 0, values), 0.25, axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(quartile > 0, values / quartile, np.nan)


def runs(hits: Bools, missing: Bools | None = None) -> NDArray[np.int32]:
    """How many hits the run holds that each step belongs to, up to that step; steps are the first axis.

    A step at which nothing is known of a rank (`missing`) neither ends its run nor lengthens it.
    """
    ended = ~hits if missing is None else ~hits & ~missing
    counted = np.cumsum(hits, axis=0, dtype=np.int32)
    # What had been counted when the run before ended is not of this run.
    length: NDArray[np.int32] = counted - np.maximum.accumulate(np.where(ended, counted, 0), axis=0)
    return length


def persistent(hits: Bools, at_least: int, missing: Bools | None = None) -> Bools:
    """Every hit that belongs to a run of at least `at_least` hits; steps are the first axis."""
    if len(hits) < at_least or not hits.any():
        return np.zeros(hits.shape, bool)
    after = runs(hits[::-1], None if missing is None else missing[::-1])[::-1]
    enough: Bools = hits & (runs(hits, missing) + after - 1 >= at_least)
    return enough


def first_and_last(hits: Bools) -> tuple[int, int]:
    """First and last index of a one-dimensional mask that has at least one hit."""
    where = np.flatnonzero(hits)
    return int(where[0]), int(where[-1])


def coefficient_of_variation(values: Float, axis: int = -1) -> Float:
    """Population standard deviation over mean."""
    mean, deviation = _moments(values, axis, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.squeeze(deviation / mean, axis=axis)


def sample_z(values: Float, axis: int = -1) -> Float:
    """Distance from the mean in sample standard deviations, as ARGUS' second level is described."""
    mean, deviation = _moments(values, axis, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((values - mean) / deviation)


def _moments(values: Float, axis: int, freedom: int) -> tuple[Float, Float]:
    """Mean and standard deviation without NaN and without a warning where nothing is there; axes are kept."""
    known = ~np.isnan(values)
    count = np.count_nonzero(known, axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known, values, 0).sum(axis=axis, keepdims=True) / count
        squares = np.where(known, (values - mean) ** 2, 0).sum(axis=axis, keepdims=True)
        return mean, np.sqrt(squares / (count - freedom))


def spread(values: Floats) -> float:
    """Standard deviation told by the median absolute deviation of a whole array."""
    clean = values[~np.isnan(values)]
    return float(np.median(np.abs(clean - np.median(clean))) / NORMAL) if len(clean) else float("nan")
