"""One job judged by every method: what `kb check --steps` asks for.

Verdicts of the methods stand side by side; where two say the same of one place and window, the one that says more
stays.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock

import numpy as np

from kb.steps import argus, c4d, iterations
from kb.steps.argus import Analysis
from kb.steps.grid import Grid
from kb.steps.joining import joined
from kb.steps.reading import JobRecords, Records
from kb.steps.records import EdgeTable, EventTable, Remark, SequenceTable, merged
from kb.steps.saving import Saving, saving_of
from kb.steps.verdict import Confidence, Verdict, VerdictKind


@dataclass(frozen=True)
class Job:
    """What a job's records hold and what the methods say of it.

    standing: whether somebody knows that the job stands still; without times a hang cannot be told otherwise.
    """

    records: JobRecords
    standing: bool = False
    _lock: RLock = field(default_factory=RLock, repr=False, compare=False)
    """Several checks ask at once; each method's work is done by the first of them."""

    @property
    def name(self) -> str:
        return self.records.job

    @property
    def analysis(self) -> Analysis:
        with self._lock:
            return self._analysis

    @cached_property
    def _analysis(self) -> Analysis:
        laws = joined(self.records.distributions) if self.records.distributions else None
        return argus.analyse(self.grid, laws, self.events)

    @property
    def series(self) -> iterations.Series:
        """Iteration times as the detectors of steps and drift take them."""
        with self._lock:
            return self._series

    @cached_property
    def _series(self) -> iterations.Series:
        told = iterations.series_of(self.grid)
        if len(self.grid.steps) or self.sequences is None:
            return told
        return iterations.series_of_calls(self.sequences, self.name) or told

    @property
    def grid(self) -> Grid:
        with self._lock:
            return self._grid

    @cached_property
    def _grid(self) -> Grid:
        return self.records.phases.grid()

    @cached_property
    def events(self) -> EventTable | None:
        return joined(self.records.events) if self.records.events else None

    @cached_property
    def sequences(self) -> SequenceTable | None:
        return joined(self.records.sequences) if self.records.sequences else None

    @cached_property
    def edges(self) -> EdgeTable | None:
        return joined(self.records.edges) if self.records.edges else None

    @cached_property
    def kernels(self) -> int:
        """Ranks with kernel distributions."""
        return len(np.unique(np.concatenate([t.rank for t in self.records.distributions] or [np.zeros(0, int)])))

    @cached_property
    def saving(self) -> Saving | None:
        """How the job saves; none where the records do not tell."""
        told = saving_of(self.grid, self.events)
        return told if isinstance(told, Saving) else None

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """What kept anything from being judged; remarks on coordinates only where there are phases to compare."""
        kept = self.records
        own = [
            remark
            for remarks in (
                *(table.remarks for table in kept.edges),
                *(table.remarks for table in kept.sequences),
                *(table.remarks for table in kept.distributions),
            )
            for remark in remarks
        ]
        if not len(self.grid.steps):
            return merged(own)
        return merged([*own, *self.analysis.remarks])

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All of them, without what another one says as well."""
        with self._lock:
            return self._verdicts

    @cached_property
    def _verdicts(self) -> tuple[Verdict, ...]:
        found: list[Verdict] = [*self.analysis.verdicts]
        if len(self._series.steps):
            found += iterations.verdicts(self._series)
        if self.sequences is not None:
            found += c4d.hang_verdicts(self.sequences, standing=self.standing)
            found += c4d.late_verdicts(self.sequences)
        if self.edges is not None:
            found += c4d.edge_verdicts(self.edges)
        return tuple(_without_repeats(_unexplained(found)))

    def of(self, *kinds: VerdictKind) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.kind in kinds]


def jobs(records: Records, *, standing: bool = False) -> list[Job]:
    """Every job of the records, by name."""
    return [Job(records.jobs[name], standing) for name in sorted(records.jobs)]


def _unexplained(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Without late ranks that another verdict accounts for: who computes or loads slowly comes late."""
    causes = (VerdictKind.compute_straggler, VerdictKind.bubble_amplification, VerdictKind.host_stall)
    slow = {r for v in verdicts if v.kind in causes and v.confidence is Confidence.localised for r in v.ranks}
    return [
        verdict
        for verdict in verdicts
        if verdict.kind is not VerdictKind.non_comm_slow or not verdict.ranks or not set(verdict.ranks) & slow
    ]


def _without_repeats(verdicts: Iterable[Verdict]) -> list[Verdict]:
    kept: list[Verdict] = []
    for verdict in verdicts:
        twin = next((n for n, one in enumerate(kept) if _same(one, verdict)), None)
        if twin is None:
            kept.append(verdict)
        elif _weight(verdict) > _weight(kept[twin]):
            kept[twin] = verdict
    return kept


def _same(one: Verdict, other: Verdict) -> bool:
    """Two methods on one thing: the same kind, the same accused, windows that overlap or begin together."""
    if (one.kind, one.job, one.edges) != (other.kind, other.job, other.edges) or not _one_place(one, other):
        return False
    if one.kind is VerdictKind.compute_straggler and one.level != other.level:
        # A phase and a kernel of it: the second is the way further down.
        return False
    if one.operations is not other.operations:
        # Steps and operations of a communicator are counted each from its own beginning.
        return False
    apart = abs(one.first_step - other.first_step)
    if one.kind is VerdictKind.iteration_spike:
        return one.first_step == other.first_step
    # Two steps up of one job are two findings, though the first one's window runs to the end.
    return apart <= NEAR if one.kind is VerdictKind.iteration_step else _overlap(one, other)


def _one_place(one: Verdict, other: Verdict) -> bool:
    """Whether both may mean the same ranks; where one names none, the same group."""
    if one.ranks and other.ranks:
        return bool(set(one.ranks) & set(other.ranks))
    return not (one.group and other.group) or one.group == other.group


#: Steps by which two methods may differ about where a change begins.
NEAR = 5


def _overlap(one: Verdict, other: Verdict) -> bool:
    return one.first_step <= other.last_step and other.first_step <= one.last_step


def _weight(verdict: Verdict) -> tuple[int, int]:
    order: Sequence[Confidence] = (Confidence.detected_only, Confidence.group_only, Confidence.localised)
    return order.index(verdict.confidence), len(verdict.evidence)
