"""ARGUS level 3: distributions of kernel durations across ranks. Names degraded kernels, and links that time hides.

Published: mean Wasserstein-1 distance to the other ranks, outliers above Q3 + 1.5·IQR. Added in the open
re-implementation: at least twice the median score. Ours: where more than a quarter of the ranks deviate the fence is
not believed and the ranks are parted at the widest gap of their medians; kernels are compared inside one pipeline
stage; and a collective's ranks are only named when their whole group is slow, for a group that waits for one late
member looks the same on everybody but that member.
"""

from dataclasses import dataclass

import numpy as np

from kb.steps.groups import place_of
from kb.steps.kernels import cumulative, distances, mean_distance
from kb.steps.phases import kind_of
from kb.steps.records import Bools, DistributionTable, Floats, Ints, Kind, Layout
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind

FENCE = 1.5
#: Of the median score, and of the median of the usual p50: what is less is no degradation.
TWICE = 2.0
SLOWER = 1.3
MANY = 0.25
FEWEST_RANKS = 4
#: Within the slow block laws agree; this is the most that their distance may be of that to the others.
BLOCK = 0.25


@dataclass(frozen=True)
class Degraded:
    """One kernel on some ranks. ratio: their p50 over the others'; tail: share of samples in clusters beyond twice the
    others' p50. inside, outside: largest distance within the block, median distance to the others (seconds)."""

    kernel: str
    ranks: Ints
    of: int
    ratio: float
    tail: float
    inside: float
    outside: float
    fenced: bool


def degraded(table: DistributionTable, layout: Layout | None = None) -> list[Degraded]:
    """Kernels whose durations are distributed otherwise on some ranks, the largest shift first."""
    layout = layout or layout_of(table)
    found = []
    for code, kernel in enumerate(table.kernel.names):
        rows = table.take(table.kernel.codes == code)
        for part in _comparable(rows, kernel, layout):
            if len(part) and len(np.unique(part.rank)) >= FEWEST_RANKS:
                one = _in_kernel(kernel, part)
                if one is not None:
                    found.append(one)
    return sorted(found, key=lambda one: -one.outside)


def layout_of(table: DistributionTable) -> Layout:
    """Coordinates as the distribution records themselves state them."""
    ranks, first = np.unique(table.rank, return_index=True)
    return Layout(ranks, {axis: values[first] for axis, values in table.axes.items()})


def judge(table: DistributionTable, layout: Layout | None = None) -> list[Verdict]:
    """One verdict for each set of ranks. layout: of the same job's phase records, where its own rows have none."""
    layout = layout_of(table) if layout is None or table.axes else layout
    job = table.job.names[0] if table.job.names else ""
    steps = (int(table.step.min()), int(table.step.max())) if len(table) else (-1, -1)
    by_ranks: dict[tuple[int, ...], list[Degraded]] = {}
    for one in degraded(table, layout):
        by_ranks.setdefault(tuple(int(rank) for rank in one.ranks), []).append(one)
    return [_verdict(job, steps, ranks, kernels, layout) for ranks, kernels in by_ranks.items()]


def _comparable(table: DistributionTable, kernel: str, layout: Layout) -> list[DistributionTable]:
    """The rows of one kernel, apart by what makes them different work."""
    moving = kind_of(kernel) in (Kind.collective, Kind.p2p)
    fixed = [axis for axis in (("pp",) if moving else ("pp", "tp", "cp")) if axis in layout.axes]
    if not fixed or not len(table):
        return [table]
    at = np.minimum(np.searchsorted(layout.ranks, table.rank), len(layout.ranks) - 1)
    known = layout.ranks[at] == table.rank
    key = np.zeros(len(table), np.int64)
    for axis in fixed:
        values = layout.axes[axis][at]
        known &= values >= 0
        key = key * (int(layout.axes[axis].max()) + 1) + values
    return [table.take(known & (key == one)) for one in np.unique(key[known])]


def _in_kernel(kernel: str, table: DistributionTable) -> Degraded | None:
    ranks, at, law = cumulative(table)
    score = mean_distance(law, at)
    low, high = np.quantile(score, [0.25, 0.75])
    out = (score > high + FENCE * (high - low)) & (score >= TWICE * np.median(score))
    middle = _medians(law, at)
    fenced = bool(out.any() and out.mean() <= MANY)
    if not fenced:
        out = _parted(middle)
    if not out.any() or out.all():
        return None
    # An outlier may be a fast rank, which is no fault: only what is above the others stays, and may be nothing.
    mean = _means(law, at)
    out &= mean >= np.median(mean[~out])
    if not out.any():
        return None
    usual = float(np.median(middle[~out]))
    ratio = float(np.median(middle[out])) / usual
    tail = _tail(table, ranks[out], usual)
    if ratio < SLOWER and tail - _tail(table, ranks[~out], usual) < 0.01:
        return None
    slow, sound = np.flatnonzero(out), np.flatnonzero(~out)[:256]
    inside = float(distances(law, at, slow[:256], slow[:256]).max())
    outside = float(np.median(distances(law, at, slow[:256], sound)))
    return Degraded(kernel, ranks[out], len(ranks), ratio, tail, inside, outside, fenced)


def _medians(law: Floats, at: Floats) -> Floats:
    middle: Floats = at[np.minimum((law < 0.5).sum(axis=1), len(at) - 1)]
    return middle


def _means(law: Floats, at: Floats) -> Floats:
    """Mean duration of each law; unlike the median it moves with a tail."""
    middle: Floats = (np.diff(law, axis=1) * (at[1:] + at[:-1]) / 2).sum(axis=1)
    return middle


def _parted(middle: Floats) -> Bools:
    """Ranks above the widest relative gap of the medians, if it is wide; none otherwise."""
    ordered = np.sort(middle)
    gaps = ordered[1:] / np.maximum(ordered[:-1], 1e-12)
    at = int(np.argmax(gaps))
    return middle > ordered[at] if gaps[at] >= SLOWER else np.zeros(len(middle), bool)


def _tail(table: DistributionTable, ranks: Ints, usual: float) -> float:
    rows = np.isin(table.rank, ranks)
    return float(table.count[rows & (table.p50 > 2 * usual)].sum() / max(table.count[rows].sum(), 1))


def _verdict(
    job: str, steps: tuple[int, int], ranks: tuple[int, ...], kernels: list[Degraded], layout: Layout
) -> Verdict:
    worst = kernels[0]
    moving = kind_of(worst.kernel) in (Kind.collective, Kind.p2p)
    group = _group(ranks, layout)
    return Verdict(
        VerdictKind.comm_group_slow if moving else VerdictKind.compute_straggler,
        System.argus, "L3", _confidence(ranks, worst, layout, moving=moving, whole=bool(group)), *steps,
        job=job, phase=worst.kernel, ranks=() if len(ranks) > worst.of / 2 else ranks, group=group, ratio=worst.ratio,
        evidence={
            "kernels": float(len(kernels)), "w1_inside_s": worst.inside, "w1_outside_s": worst.outside,
            "tail_share": worst.tail,
        },
        published=worst.fenced,
    )  # fmt: skip


def _confidence(ranks: tuple[int, ...], worst: Degraded, layout: Layout, *, moving: bool, whole: bool) -> Confidence:
    if len(ranks) > worst.of / 2 or not layout.axes:
        return Confidence.group_only if moving else Confidence.detected_only
    if not moving:
        return Confidence.localised
    # A late peer makes everybody else in its group slow, so a part of a group may be the innocent part.
    block = worst.inside <= BLOCK * worst.outside
    return Confidence.localised if whole and block and len(ranks) > 1 else Confidence.group_only


def _group(ranks: tuple[int, ...], layout: Layout) -> str:
    """The coordinates that exactly these ranks have in common, if they are all that have them."""
    inside = np.isin(layout.ranks, ranks)
    if not layout.axes or np.count_nonzero(inside) != len(ranks):
        return ""
    common = [axis for axis, values in layout.axes.items() if len(np.unique(values[inside])) == 1]
    same = np.ones(len(layout.ranks), bool)
    for axis in common:
        same &= layout.axes[axis] == layout.axes[axis][inside][0]
    return place_of(layout, int(np.flatnonzero(inside)[0]), common) if common and (same == inside).all() else ""
