"""What a detector says: one object for all systems, so that reports and replays compare like with like."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class VerdictKind(StrEnum):
    iteration_spike = "iteration_spike"
    iteration_step = "iteration_step"
    compute_straggler = "compute_straggler"
    comm_straggler_edge = "comm_straggler_edge"
    comm_straggler_tx = "comm_straggler_tx"
    comm_straggler_rx = "comm_straggler_rx"
    comm_straggler_node = "comm_straggler_node"
    """Row and column of one node are both hot: its NIC or PCIe, not a direction."""
    comm_group_slow = "comm_group_slow"
    non_comm_slow = "non_comm_slow"
    comm_hang = "comm_hang"
    non_comm_hang = "non_comm_hang"
    bubble_amplification = "bubble_amplification"
    host_stall = "host_stall"
    workload_imbalance = "workload_imbalance"
    stage_imbalance = "stage_imbalance"
    drift = "drift"
    checkpoint_interval = "checkpoint_interval"


class Confidence(StrEnum):
    """How far a verdict may point.

    localised: ranks or edges are named and may be acted on.
    group_only: the group is known, the member is not.
    detected_only: something is slow; nothing is accused.
    """

    localised = "localised"
    group_only = "group_only"
    detected_only = "detected_only"


class System(StrEnum):
    """Whose rule fired; `ours` goes beyond what is published."""

    argus = "argus"
    c4d = "c4d"
    falcon = "falcon"
    ours = "ours"


@dataclass(frozen=True)
class Verdict:
    """One finding about one job.

    level: the level or rule that fired: `L1`, `L2`, `L3`, `1F1B`, `hang`, `delay-matrix`, `bocd` …
    ranks, edges, group: the suspects; `group` is in words (`pp=1 tp=0`), empty when none.
    first_step, last_step: the window; step numbers as the records give them, -1 when without steps. operations: they
        are numbers of operations of a communicator, not of steps.
    ratio: effect size against the healthy peers or the healthy past (1.9 = 90 % slower); NaN where there is none.
    evidence: name → value, everything a reader needs to redo the judgement.
    published: True where the rule is the published one with its published numbers, False where a number is ours.
    """

    kind: VerdictKind
    system: System
    level: str
    confidence: Confidence
    first_step: int
    last_step: int
    job: str = ""
    phase: str = ""
    ranks: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    group: str = ""
    ratio: float = float("nan")
    evidence: Mapping[str, float] = field(default_factory=dict)
    published: bool = False
    operations: bool = False
