"""Falcon/Greyhound after the change point: what a validation of the suspects says, and which pairs it tests when.

Published (Greyhound, USENIX ATC 2025): suspects are validated by matrix multiplications and transfers while the job
is held; the released code calls it computation where the slowest multiplication takes over twice the median,
communication where the slowest transfer takes over 1.1 times. Clean in both is how the authors found contention for
CPUs. Who is suspected is for `slow_groups` and ARGUS' levels to say.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from kb.steps.records import Floats, Ints

#: Released code: slowest multiplication over the median; slowest transfer over the median.
GEMM_SLOW, LINK_SLOW = 2.0, 1.1
#: Released code: an event is over once iterations are within this ratio of the fastest.
OVER = 1.1


class Cause(StrEnum):
    computation = "computation"
    communication = "communication"
    both = "both"
    host = "host"
    """Slow iterations, sound GPUs, sound links: look at the host (CPU contention, loader, garbage collection)."""


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
