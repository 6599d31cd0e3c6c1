"""Falcon/Greyhound after the change point: which group is slow, which ranks that leaves, and what a validation says.

Published (Greyhound, USENIX ATC 2025): communicators of equal volume are comparable; one slower than their median by
more than 10% is suspicious (the released code says 1.2 times). Suspects are then validated by matrix multiplications
and transfers while the job is held; the released code calls it computation where the slowest multiplication takes
over twice the median, communication where the slowest transfer takes over 1.1 times. Clean in both is how the
authors found contention for CPUs.

Ours: volumes within 1% count as equal; three groups make a cluster; a rank is narrowed down to by being in every
suspicious group of its kind and in no sound one.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from kb.steps.records import Floats, Ints

#: Published: a group slower than the median of its cluster by more than this is suspicious.
SUSPICIOUS = 1.10
#: Released code: slowest multiplication over the median; slowest transfer over the median.
GEMM_SLOW, LINK_SLOW = 2.0, 1.1
#: Released code: an event is over once iterations are within this ratio of the fastest.
OVER = 1.1
#: Ours: volumes that count as equal, and groups that a comparison needs.
EQUAL_VOLUME, CLUSTER = 0.01, 3


class Cause(StrEnum):
    computation = "computation"
    communication = "communication"
    both = "both"
    host = "host"
    """Slow iterations, sound GPUs, sound links: look at the host (CPU contention, loader, garbage collection)."""


@dataclass(frozen=True)
class Group:
    """One communicator in the profiling window: its ranks, bytes an iteration, and seconds an iteration."""

    name: str
    ranks: tuple[int, ...]
    volume: float
    seconds: float


@dataclass(frozen=True)
class Suspicion:
    """Suspicious groups with their ratio to the cluster's median, and the ranks that they leave."""

    groups: tuple[tuple[str, float], ...]
    ranks: tuple[int, ...]
    compared: int
    """Groups that had peers; 0 means that nothing could be said."""


@dataclass(frozen=True)
class Validation:
    """What the tests measured, in seconds: one multiplication a rank, one transfer an edge."""

    ranks: Ints
    gemm: Floats
    edges: tuple[tuple[int, int], ...]
    transfer: Floats


@dataclass(frozen=True)
class Diagnosis:
    cause: Cause
    ranks: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    gemm_ratio: float
    link_ratio: float


def suspects(groups: list[Group]) -> Suspicion:
    """Narrow down over groups of equal volume."""
    slow: list[tuple[Group, float]] = []
    sound: list[Group] = []
    for cluster in _clusters(groups):
        middle = float(np.median([group.seconds for group in cluster]))
        for group in cluster:
            ratio = group.seconds / middle if middle > 0 else 1.0
            if ratio > SUSPICIOUS:
                slow.append((group, ratio))
            else:
                sound.append(group)
    names = tuple(sorted(((group.name, ratio) for group, ratio in slow), key=lambda pair: -pair[1]))
    return Suspicion(names, _left(slow, sound), len(slow) + len(sound))


def _clusters(groups: list[Group]) -> list[list[Group]]:
    """Groups of the same size and volume, where there are enough."""
    found: list[list[Group]] = []
    for group in sorted(groups, key=lambda one: (len(one.ranks), one.volume)):
        head = found[-1][0] if found else None
        if head and len(head.ranks) == len(group.ranks) and group.volume <= head.volume * (1 + EQUAL_VOLUME):
            found[-1].append(group)
        else:
            found.append([group])
    return [cluster for cluster in found if len(cluster) >= CLUSTER]


def _left(slow: list[tuple[Group, float]], sound: list[Group]) -> tuple[int, ...]:
    """Ranks of the suspicious groups that most of them share and that no sound group clears."""
    if not slow:
        return ()
    counts: dict[int, int] = {}
    for group, _ in slow:
        for rank in group.ranks:
            counts[rank] = counts.get(rank, 0) + 1
    most = max(counts.values())
    shared = {rank for rank, count in counts.items() if count == most}
    cleared = {rank for group in sound for rank in group.ranks}
    # A slow GPU shows in every group it is in; where all are cleared by another kind of group, a link is at fault,
    # and its ends remain.
    return tuple(sorted(shared - cleared or shared))


def diagnose(measured: Validation) -> Diagnosis:
    """The cause, by the released code's limits, and who has it."""
    gemm = measured.gemm / np.median(measured.gemm) if len(measured.gemm) else np.zeros(0)
    link = measured.transfer / np.median(measured.transfer) if len(measured.transfer) else np.zeros(0)
    slow_ranks = tuple(int(rank) for rank in measured.ranks[gemm > GEMM_SLOW])
    slow_edges = tuple(edge for edge, ratio in zip(measured.edges, link, strict=True) if ratio > LINK_SLOW)
    found = (bool(slow_ranks), bool(slow_edges))
    cause = {
        (True, True): Cause.both,
        (True, False): Cause.computation,
        (False, True): Cause.communication,
        (False, False): Cause.host,
    }[found]
    worst_gemm = float(gemm.max()) if len(gemm) else float("nan")
    worst_link = float(link.max()) if len(link) else float("nan")
    return Diagnosis(cause, slow_ranks, slow_edges, worst_gemm, worst_link)


def transfer_passes(ranks: tuple[int, ...], shape: str) -> list[list[tuple[int, int]]]:
    """Pairs to test in each pass, so that no rank is in two pairs at once.

    shape: `ring` or `tree`, as the communicator is built. Published: 2 passes for an even ring, 3 for an odd one, 4 for
    a tree (parents are ranks[(i − 1) // 2]).
    """
    if len(ranks) < 2:
        return []
    if shape == "tree":
        return _tree_passes(ranks)
    if len(ranks) == 2:
        return [[(ranks[0], ranks[1])]]
    pairs = [(rank, ranks[(at + 1) % len(ranks)]) for at, rank in enumerate(ranks)]
    even = len(ranks) - len(ranks) % 2
    passes = [pairs[0:even:2], pairs[1:even:2]]
    return passes if len(ranks) % 2 == 0 else [*passes, pairs[even:]]


def _tree_passes(ranks: tuple[int, ...]) -> list[list[tuple[int, int]]]:
    """By depth of the child and by side: neighbouring depths share ranks, so they go in different passes."""
    passes: list[list[tuple[int, int]]] = [[], [], [], []]
    for child in range(1, len(ranks)):
        depth, right = (child + 1).bit_length() % 2, 1 - child % 2
        passes[2 * depth + right].append((ranks[(child - 1) // 2], ranks[child]))
    return [one for one in passes if one]
