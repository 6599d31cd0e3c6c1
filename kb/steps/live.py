"""L1 and L2 while the job runs: records as they come, verdicts as soon as they hold, memory for a few steps only.

A step is judged once a later one is well under way; what comes for it after that is counted as late and left out.
Tokens are not kept: where records carry them, computing is told without a name, for more work looks the same here.
"""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kb.model import Text
from kb.steps.grid import Grid
from kb.steps.groups import Groups, groups_of
from kb.steps.index import Positions
from kb.steps.level1 import ABOVE, CLEAR, SIDE, SPIKE, STEP, WINDOW, scatter
from kb.steps.level2 import HALF, PERSISTENCE, RATIO, WORTH, Z
from kb.steps.phases import is_expert, is_own, is_scheduled, iteration_of, kinds_of, route
from kb.steps.planes import Places, Singles, enlarged
from kb.steps.records import Bools, Ints, Kind, PhaseTable, Remark, RemarkKind, merged
from kb.steps.robust import median, modified_z, ratio, spread
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind
from kb.steps.workload import WORK

#: Steps that a record may be late.
GRACE = 2
#: Iterations that are remembered as the level so far.
LEVEL = 3 * SIDE


@dataclass
class _Open:
    """One step that is still being filled; arrays of (phases, ranks)."""

    total: Singles
    count: Singles


class Live:
    """Feed it tables; it answers with what is new. One job."""

    def __init__(self, job: str = "", *, grace: int = GRACE) -> None:
        self.job = job
        self.grace = grace
        self.closed = -1
        """The last step that was judged."""
        self._ranks = Positions()
        self._phases: dict[str, int] = {}
        self._places = Places()
        self._open: dict[int, _Open] = {}
        self._groups: dict[int, Groups] = {}
        self._shape = (0, 0)
        self._running = np.zeros((0, 0), np.int32)
        self._told: set[tuple[int, int]] = set()
        self._level = Level(job)
        self._uneven = False
        """Whether records say how much a rank had to do."""
        self._remarks: list[Remark] = []
        self._compared: Counter[int] = Counter()
        """Steps in which ranks had peers, for each phase."""

    @property
    def judged(self) -> bool:
        """Whether there was enough to find anything in: steps of ranks that have peers, or iterations with a past."""
        return max(self._compared.values(), default=0) >= PERSISTENCE or self._level.judged

    @property
    def remarks(self) -> tuple[Remark, ...]:
        return tuple(self._remarks)

    def add(self, table: PhaseTable) -> list[Verdict]:
        """Take records in, and judge the steps that are over."""
        late = table.step <= self.closed
        if late.any():
            self._remarks = list(merged([*self._remarks, Remark(RemarkKind.late, int(late.sum()), LATE)]))
            table = table.take(~late)
        self._remarks = list(merged([*self._remarks, *table.remarks]))
        if len(table):
            self._fill(table)
        newest = max(self._open, default=-1)
        found: list[Verdict] = []
        for step in sorted(step for step in self._open if step < newest - self.grace):
            found += self._judge(step)
        return found

    def finish(self) -> list[Verdict]:
        """Judge what is still open."""
        return [verdict for step in sorted(self._open) for verdict in self._judge(step)]

    def _fill(self, table: PhaseTable) -> None:
        codes = np.array([self._phases.setdefault(name, len(self._phases)) for name in table.phase.names], np.int64)
        self._uneven |= any((table.covariates[name] > 0).any() for name in WORK if name in table.covariates)
        rank = self._ranks.of(table.rank)
        self._places.add(rank, table.axes, len(self._ranks))
        shape = (len(self._phases), len(self._ranks))
        if shape != self._shape:
            self._shape, self._groups = shape, {}
            self._running = enlarged(self._running, shape, 0)
        flat = codes[table.phase.codes] * shape[1] + rank
        low, high = int(table.step.min()), int(table.step.max())
        for step in [low] if low == high else np.unique(table.step).tolist():
            rows = slice(None) if low == high else table.step == step
            one = self._open.get(step) or _Open(np.zeros(shape, np.float32), np.zeros(shape, np.float32))
            one = _Open(enlarged(one.total, shape, 0), enlarged(one.count, shape, 0))
            np.add.at(one.total.reshape(-1), flat[rows], table.duration[rows].astype(np.float32))
            np.add.at(one.count.reshape(-1), flat[rows], np.ones(len(flat[rows]), np.float32))
            self._open[step] = one

    def _judge(self, step: int) -> list[Verdict]:
        one = self._open.pop(step)
        self.closed = max(self.closed, step)
        total, count = enlarged(one.total, self._shape, 0), enlarged(one.count, self._shape, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean: Singles = np.where(count > 0, total / count, np.nan).astype(np.float32)
        names = tuple(self._phases)
        kinds = kinds_of(names, {})
        whole = iteration_of(names, kinds)
        seconds = float(median(mean[whole])[0]) if whole is not None else float(np.nanmedian(np.nansum(total, axis=0)))
        paused = any(
            is_scheduled(name, kind) and count[at].any()
            for at, (name, kind) in enumerate(zip(names, kinds, strict=True))
        )
        found = [] if paused else self._level.add(step, seconds)
        for phase, kind in enumerate(kinds):
            if is_own(names[phase], kind):
                found += self._phase(step, phase, kind, mean[phase], seconds)
        return found

    def _phase(self, step: int, phase: int, kind: Kind, values: Singles, seconds: float) -> list[Verdict]:
        groups = self._groups.get(phase)
        if groups is None:
            groups = self._groups[phase] = self._grouped(phase, kind)
        if not groups.members.size or groups.members.shape[1] < 3:
            return []
        told = np.isfinite(groups.gather(values[None])[0]).sum(axis=1)
        self._compared[phase] += bool((told >= 3).any())
        hits = _hits(groups, values, WORTH * seconds)
        running = np.where(hits, self._running[phase] + 1, np.where(np.isnan(values), self._running[phase], 0))
        self._running[phase] = running
        self._told -= {(phase, column) for p, column in self._told if p == phase and running[column] == 0}
        new = [c for c in np.flatnonzero(running >= PERSISTENCE).tolist() if (phase, c) not in self._told]
        self._told |= {(phase, column) for column in new}
        return [self._verdict(step, phase, kind, new, values, groups)] if new else []

    def _grouped(self, phase: int, kind: Kind) -> Groups:
        """Groups by position, not by order of rank: positions never change while the job runs."""
        here = np.arange(len(self._ranks))
        empty = np.zeros((0, 0, 0))
        axes = self._places.axes(here)
        grid = Grid("", here, here[:0], (), (), empty.astype(np.float32), empty.astype(np.uint16), axes)
        return groups_of(grid, route(list(self._phases)[phase], kind))

    def _verdict(
        self, step: int, phase: int, kind: Kind, columns: Sequence[int], values: Singles, groups: Groups
    ) -> Verdict:
        relative = np.full(len(values), np.nan)
        sides = ratio(groups.gather(values[None]))[0]
        inside = groups.members >= 0
        relative[groups.members[inside]] = sides[inside]
        name = list(self._phases)[phase]
        named = bool(self._places.axes(np.arange(1))) and (kind is Kind.host or not (self._uneven or is_expert(name)))
        return Verdict(
            VerdictKind.host_stall if kind is Kind.host else VerdictKind.compute_straggler, System.argus, "L2",
            Confidence.localised if named else Confidence.detected_only, step - PERSISTENCE + 1, step, job=self.job,
            phase=name, ranks=tuple(sorted(int(self._ranks.numbers[c]) for c in columns)),
            ratio=float(np.nanmedian(relative[list(columns)])),
        )  # fmt: skip


def _hits(groups: Groups, values: Singles, worth: float) -> Bools:
    """Ranks (by position) that are above their group in this step; z is only taken where a ratio asks for it."""
    sides = groups.gather(values[None])[0]
    middle = median(sides)
    with np.errstate(invalid="ignore", divide="ignore"):
        high = (sides >= RATIO * middle) & (sides - middle >= worth)
    found = np.zeros(len(values), bool)
    for at in np.flatnonzero(high.any(axis=1) & (groups.sizes >= 3)):
        if np.count_nonzero(high[at]) <= HALF * groups.sizes[at]:
            members: Ints = groups.members[at][high[at] & (modified_z(sides[at]) >= Z)]
            found[members] = True
    return found


class Level:
    """L1 live: the iteration time against its own recent past."""

    def __init__(self, job: str) -> None:
        self.job = job
        self.judged = False
        self._past: deque[tuple[int, float]] = deque(maxlen=LEVEL + SIDE)

    def add(self, step: int, seconds: float) -> list[Verdict]:
        """What this iteration shows: a spike at once, a lasting step once `SIDE` iterations have held it."""
        if not np.isfinite(seconds):
            return []
        before = np.array([value for _, value in self._past])
        self._past.append((step, seconds))
        found = []
        if len(before) >= WINDOW:
            self.judged = True
            usual = float(np.median(before[-2 * WINDOW :]))
            if seconds >= usual * max(SPIKE, float(np.exp(ABOVE * scatter(before)))):
                found.append(self._verdict(VerdictKind.iteration_spike, step, step, usual, seconds))
        if len(before) >= 2 * SIDE - 1:
            values = np.append(before, seconds)
            old, new = values[:-SIDE], values[-SIDE:]
            usual, now = float(np.median(old)), float(np.median(new))
            noise = max(spread(np.log(old)), spread(np.log(new)))
            if now >= STEP * usual and np.log(now / usual) >= CLEAR * 0.4 * noise and new.min() > np.median(old):
                first = self._past[-SIDE][0]
                found.append(self._verdict(VerdictKind.iteration_step, first, step, usual, now))
                # The new level is the level from here on.
                self._past = deque(list(self._past)[-SIDE:], maxlen=LEVEL + SIDE)
        return found

    def _verdict(self, kind: VerdictKind, first: int, last: int, before: float, after: float) -> Verdict:
        return Verdict(
            kind, System.argus, "L1", Confidence.detected_only, first, last, job=self.job, phase="iteration",
            ratio=after / before, evidence={"before_s": before, "after_s": after},
        )  # fmt: skip


LATE = Text(
    en="Records of steps that had been judged came too late and were left out.",
    ko="이미 판정한 스텝의 기록이 늦게 와서 뺐습니다.",
)
