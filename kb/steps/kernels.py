"""Kernel durations as few numbers: density clusters of the logarithms, and distances between distributions.

Published (ARGUS): Gaussian kernel density of log durations, bandwidth 1.06·σ·n^(-1/5), cut at its minima, (count, p50,
p99) a cluster; rebuilt as log-normals, compared by Wasserstein-1. The limits below which no cut is made were not
published; the ones here are ours.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kb.steps.records import Coded, DistributionTable, Floats, Ints

#: A cluster holds at least so many samples, and this share of the window; clusters lie this far apart. The share is
#: small, because a stall in one call of a hundred moves neither median nor mean and is what has to be kept.
FEWEST, SHARE, GAP = 5, 0.01, np.log(1.3)
POINTS = 256
#: Standard deviations between the median and the 99th percentile of a normal law.
Z99 = 2.326
#: Points at which distributions are compared, from the shortest to the longest duration that any of them holds.
GRID = 1024


@dataclass(frozen=True)
class Cluster:
    count: int
    p50: float
    p99: float


def compress(durations: Floats) -> list[Cluster]:
    """Clusters of one kernel's durations on one stream and rank, shortest first. What is not positive is left out."""
    logs = np.sort(np.log(durations[np.isfinite(durations) & (durations > 0)]))
    if not len(logs):
        return []
    cuts = [0, *_cuts(logs), len(logs)]
    return [_cluster(logs[low:high]) for low, high in pairwise(cuts)]


def _cluster(logs: Floats) -> Cluster:
    return Cluster(len(logs), float(np.exp(np.quantile(logs, 0.5))), float(np.exp(np.quantile(logs, 0.99))))


def _cuts(logs: Floats) -> list[int]:
    """Positions at which sorted logarithms part into clusters."""
    width = 1.06 * float(logs.std()) * len(logs) ** -0.2
    least = max(FEWEST, int(np.ceil(SHARE * len(logs))))
    if width <= 0 or len(logs) < 2 * least:
        return []
    at = np.linspace(logs[0] - width, logs[-1] + width, POINTS)
    density = _density(logs, at, width)
    inner = (density[1:-1] < density[:-2]) & (density[1:-1] <= density[2:])
    cuts: list[int] = []
    for place in at[1:-1][inner]:
        cut = int(np.searchsorted(logs, place))
        before = cuts[-1] if cuts else 0
        if cut - before < least or len(logs) - cut < least:
            continue
        if np.median(logs[cut:]) - np.median(logs[before:cut]) >= GAP:
            cuts.append(cut)
    return cuts


def _density(logs: Floats, at: Floats, width: float) -> Floats:
    """Gaussian kernel density, up to its factor, from counts in fine bins: the cost does not grow with the samples."""
    bins = 4 * POINTS
    counts, edges = np.histogram(logs, bins, range=(float(at[0]), float(at[-1])))
    centres = (edges[1:] + edges[:-1]) / 2
    density: Floats = np.exp(-0.5 * ((at[:, None] - centres[None]) / width) ** 2) @ counts.astype(np.float64)
    return density


def table_of(job: str, ranks: Ints, steps: Ints, kernels: Coded, streams: Ints, durations: Floats) -> DistributionTable:
    """Compress raw kernel durations, all of one window, into a distribution table; `steps` gives the window's first."""
    key = np.stack([ranks, kernels.codes, streams], axis=1)
    distinct, inverse = np.unique(key, axis=0, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    bounds = np.searchsorted(inverse[order], np.arange(len(distinct) + 1))
    rows: list[tuple[int, int, int, int, float, float]] = []
    for number, (rank, kernel, stream) in enumerate(distinct.tolist()):
        for cluster in compress(durations[order[bounds[number] : bounds[number + 1]]]):
            rows.append((rank, kernel, stream, cluster.count, cluster.p50, cluster.p99))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    window = int(steps.min()) if len(steps) else 0
    return DistributionTable(
        job=Coded.constant(job, len(rows)),
        rank=np.array(columns[0], np.int64),
        step=np.full(len(rows), window),
        kernel=Coded(np.array(columns[1], np.int64), kernels.names),
        stream=np.array(columns[2], np.int64),
        count=np.array(columns[3], np.int64),
        p50=np.array(columns[4], np.float64),
        p99=np.array(columns[5], np.float64),
    )


def cumulative(table: DistributionTable) -> tuple[Ints, Floats, Floats]:
    """Ranks, a grid of durations, and each rank's distribution on it, (ranks, points), for the rows of one kernel."""
    ranks, rows = np.unique(table.rank, return_inverse=True)
    mean = np.log(np.maximum(table.p50, 1e-12))
    sigma = np.maximum((np.log(np.maximum(table.p99, table.p50)) - mean) / Z99, 1e-3)
    low, high = float((mean - 4 * sigma).min()), float((mean + 4 * sigma).max())
    at = np.linspace(low, high, GRID)
    share = table.count / np.bincount(rows, table.count)[rows]
    law = np.zeros((len(ranks), GRID))
    np.add.at(law, rows, share[:, None] * _normal((at[None] - mean[:, None]) / sigma[:, None]))
    return ranks, np.exp(at), law


def _normal(z: Floats) -> Floats:
    """Cumulative normal law by Abramowitz and Stegun's rational form, right to 1e-7."""
    t = 1 / (1 + 0.2316419 * np.abs(z))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * poly
    law: Floats = np.where(z >= 0, 1 - tail, tail)
    return law


def mean_distance(law: Floats, at: Floats) -> Floats:
    """Mean Wasserstein-1 distance of each law to all others, without forming the pairs.

    At every point the sum of |F_i - F_j| over j follows from the sorted values and their running sums.
    """
    ranks = len(law)
    if ranks < 2:
        return np.zeros(ranks)
    order = np.argsort(law, axis=0)
    ordered = np.take_along_axis(law, order, axis=0)
    before = np.cumsum(ordered, axis=0) - ordered
    after = ordered.sum(axis=0) - before - ordered
    place = np.arange(ranks)[:, None]
    differences = ordered * place - before + after - ordered * (ranks - 1 - place)
    spread = np.empty_like(law)
    np.put_along_axis(spread, order, differences, axis=0)
    distance: Floats = np.asarray(np.trapezoid(spread, at, axis=1)) / (ranks - 1)
    return distance


def distances(law: Floats, at: Floats, rows: Ints, columns: Ints) -> Floats:
    """(rows, columns): Wasserstein-1 between chosen laws."""
    found = np.empty((len(rows), len(columns)))
    for number, row in enumerate(rows):
        found[number] = np.trapezoid(np.abs(law[columns] - law[row]), at, axis=1)
    return found
