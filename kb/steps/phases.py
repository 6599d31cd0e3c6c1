"""What a phase is, told by its name, and which ranks may be compared in it (the routing table).

A comparison is legal only between ranks that do the same work. Pipeline stages do not; nor do ranks of
different tensor or context slices. ARGUS publishes that it routes by phase, not its table; this one is ours.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from kb.steps.records import AXES, Kind

#: Phases that a schedule brings about; steps that carry one are no surprise when they are long.
SCHEDULED = re.compile(r"checkpoint|save|eval|valid|profil|pause|logging", re.I)

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.total,
        # Megatron's `forward-backward` spans the waiting for other stages too: it is no work of the rank's own.
        re.compile(r"^(iteration|iter|step|train_batch|iteration[-_]?time|total|forward[-_]backward)$", re.I),
    ),
    (Kind.p2p, re.compile(r"(^|[-_])(send|recv)|p2p|sendrecv", re.I)),
    (
        Kind.collective,
        re.compile(
            r"all[-_]?reduce|reduce[-_]?scatter|all[-_]?gather|all[-_]?to[-_]?all|broadcast|barrier|grad[-_]?sync"
            r"|all[-_]grads[-_]sync|clip|nccl|collective|grad(ient)?[-_]norm",
            re.I,
        ),
    ),
    (
        Kind.host,
        re.compile(r"^gc$|first[-_]?op|data|host|stall|batch[-_]?gen|python|cpu|launch|checkpoint|save|eval", re.I),
    ),
)


class Role(StrEnum):
    """The part that a compute phase plays in a pipeline."""

    forward = "forward"
    backward = "backward"
    other = "other"


@dataclass(frozen=True)
class Route:
    """Which ranks are peers: those that agree in `fixed` and differ in `across`."""

    across: tuple[str, ...]
    fixed: tuple[str, ...]


@cache
def kind_of(phase: str) -> Kind:
    """The kind that a phase's name tells; what is none of the known ones is computing."""
    for kind, pattern in _KINDS:
        if pattern.search(phase):
            return kind
    return Kind.compute


@cache
def role_of(phase: str) -> Role:
    """Whether a compute phase is the forward or the backward pass of a micro-batch."""
    name = phase.lower()
    if kind_of(phase) is not Kind.compute:
        return Role.other
    if name.startswith(("forward", "fwd")):
        return Role.forward
    return Role.backward if name.startswith(("backward", "bwd")) else Role.other


def iteration_of(phases: tuple[str, ...], kinds: tuple[Kind, ...]) -> int | None:
    """Index of the phase that is the whole iteration; none if the records have none."""
    totals = [i for i, kind in enumerate(kinds) if kind is Kind.total and "backward" not in phases[i].lower()]
    return totals[0] if totals else None


@cache
def is_expert(phase: str) -> bool:
    """Whether a compute phase works on the tokens that a router sent, so that its load differs by expert."""
    return bool(re.search(r"moe|expert", phase, re.I))


def is_scheduled(phase: str, kind: Kind) -> bool:
    """Whether a schedule brings the phase about: its step is no surprise, and often one rank alone does it."""
    return kind is Kind.host and bool(SCHEDULED.search(phase))


def is_own(phase: str, kind: Kind) -> bool:
    """Whether ranks are held against each other by the time that they spend in the phase: it is their own work."""
    return kind in (Kind.compute, Kind.host) and not is_scheduled(phase, kind)


def kinds_of(phases: tuple[str, ...], stated: Mapping[str, Kind]) -> tuple[Kind, ...]:
    """As the records state them, else by name."""
    return tuple(stated.get(phase) or kind_of(phase) for phase in phases)


def route(phase: str, kind: Kind) -> Route:
    """The peers of a rank in this phase.

    Collectives: `across` is the communicator whose members are compared by arrival, never by duration alone.
    """
    name = phase.lower()
    if kind is Kind.total:
        return Route(AXES, ())
    if kind is Kind.collective and re.match(r"tp|tensor", name):
        return Route(("tp",), ("dp", "pp", "cp", "ep"))
    if kind is Kind.collective and re.match(r"(ep|expert|moe)", name):
        return Route(("ep",), ("dp", "pp", "tp", "cp"))
    return Route(("dp", "ep"), ("pp", "tp", "cp"))
