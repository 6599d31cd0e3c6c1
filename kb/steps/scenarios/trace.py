"""A trace and its truth, and what a maker of traces is handed."""

from dataclasses import dataclass

import numpy as np

from kb.steps.records import DistributionTable, EdgeTable, EventTable, Floats, PhaseTable, SequenceTable
from kb.steps.scenarios.simulate import Job
from kb.steps.verdict import VerdictKind

Options = dict[str, float]


@dataclass(frozen=True)
class Truth:
    """What is wrong with a trace.

    kinds: verdicts that would be right; empty where nothing is wrong. `accused`: ranks that may be named, and no other;
    `must_name` says whether somebody must. onset: first step (or window) of the fault, None where nothing is wrong.
    """

    kinds: tuple[VerdictKind, ...] = ()
    accused: tuple[int, ...] = ()
    must_name: bool = False
    edges: tuple[tuple[int, int], ...] = ()
    onset: int | None = None

    @property
    def faulty(self) -> bool:
        return self.onset is not None


@dataclass(frozen=True)
class Trace:
    """What a job would have recorded. `now`: seconds at which somebody looks, for hangs."""

    name: str
    truth: Truth
    phases: PhaseTable | None = None
    edges: EdgeTable | None = None
    sequences: SequenceTable | None = None
    iteration: Floats | None = None
    """Seconds of each step, for detectors that need no more."""
    now: float | None = None
    distributions: DistributionTable | None = None
    events: EventTable | None = None


@dataclass(frozen=True)
class Setting:
    """The job, what the specification says besides, and the chance of this seed."""

    job: Job
    options: Options
    rng: np.random.Generator

    def get(self, name: str, default: float) -> float:
        return self.options.get(name, default)

    @property
    def onset(self) -> int:
        return int(self.get("onset", self.job.steps // 2))

    @property
    def culprit(self) -> tuple[int, int]:
        """Replica and stage of the faulty rank: given, or drawn by the seed."""
        dp, pp = int(self.rng.integers(self.job.dp)), int(self.rng.integers(self.job.pp))
        return int(self.get("bad_dp", dp)), int(self.get("bad_pp", pp))

    def ranks_of(self, dp: int, pp: int) -> tuple[int, ...]:
        return tuple(self.job.rank(dp, pp, tp) for tp in range(self.job.tp))
