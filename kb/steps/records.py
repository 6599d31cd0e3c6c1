"""The records that every detector works on, as columns: one NumPy array a field, all of one length.

Times are **seconds** everywhere behind the readers; a reader converts from the unit that a file declares.
What a file does not give is `NaN` (floats), `-1` (integers) or an absent key (`axes`, `covariates`), never a guess.
A table may be one chunk of a larger file; nothing here assumes that it is whole, sorted or free of repeats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kb.model import Text

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Parallel coordinates of a rank: data, pipeline, tensor, expert and context parallelism.
AXES = ("dp", "pp", "tp", "ep", "cp")

#: What a rank had to do in a record, so that more work is not taken for slowness.
COVARIATES = ("tokens", "sum_len_sq", "bytes")


class Kind(StrEnum):
    """What a phase spends its time on."""

    compute = "compute"
    collective = "collective"
    p2p = "p2p"
    host = "host"
    total = "total"
    """The whole iteration."""


class RemarkKind(StrEnum):
    """What was wrong with the records, or kept them from being judged."""

    not_a_number = "not-a-number"
    negative = "negative"
    absurd = "absurd"
    """Longer than a day, or a thousand times its peers in everything: another unit."""
    repeated = "repeated"
    late = "late"
    """Of a step that had been closed when it arrived."""
    cut_off = "cut-off"
    """The last line ends in the middle."""
    unreadable = "unreadable"
    """Lines or fields that are no record."""
    no_unit = "no-unit"
    no_coordinates = "no-coordinates"
    contradictory = "contradictory"
    """One rank at two places: two jobs without a name, or a wrong map of ranks."""
    several_jobs = "several-jobs"
    wrong_stream = "wrong-stream"
    """A collective shorter than its bytes allow: timed on a stream that it does not run on."""
    missing_ranks = "missing-ranks"
    joined_steps = "joined-steps"
    """Steps folded into windows, since the whole does not fit in memory."""
    too_many = "too-many"
    """More than is kept: the oldest were let go."""
    too_few = "too-few"
    """Too few ranks, steps or values for any comparison."""


MEND = Text(
    en="Mend the records, or write them with kb.steps.writer.", ko="기록을 고치거나 kb.steps.writer로 쓰십시오."
)


@dataclass(frozen=True)
class Remark:
    """One thing worth knowing about the input. `count` is the number of records (or ranks) it concerns.

    remedy: what makes it go away; logs and dumps that others write cannot be mended.
    """

    kind: RemarkKind
    count: int
    text: Text
    remedy: Text = MEND


def merged(remarks: Sequence[Remark]) -> tuple[Remark, ...]:
    """One remark a kind and wording, with counts added, in order of first appearance."""
    found: dict[tuple[RemarkKind, str], Remark] = {}
    for remark in remarks:
        key = (remark.kind, remark.text.en)
        known = found.get(key)
        found[key] = remark if known is None else replace(known, count=known.count + remark.count)
    return tuple(found.values())


@dataclass(frozen=True)
class Coded:
    """A column of few distinct names: `names[codes[i]]` is the name of row i."""

    codes: Ints
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Sequence[str]) -> Self:
        """Codes in order of first appearance."""
        seen: dict[str, int] = {}
        codes = np.fromiter((seen.setdefault(value, len(seen)) for value in values), np.int64, len(values))
        return cls(codes, tuple(seen))

    @classmethod
    def constant(cls, name: str, length: int) -> Self:
        return cls(np.zeros(length, np.int64), (name,))

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: Ints | Bools) -> "Coded":
        return Coded(self.codes[rows], self.names)

    def values(self) -> list[str]:
        return [self.names[code] for code in self.codes]

    def where(self, *names: str) -> Bools:
        """Mask of the rows that carry one of these names."""
        wanted = np.array([name in names for name in self.names], bool)
        return wanted[self.codes] if len(self.names) else np.zeros(0, bool)


class _Columns:
    """What all tables share: equal lengths, row selection."""

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self._columns()}
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {sorted(lengths)}")

    def _columns(self) -> list[Coded | NDArray[np.generic]]:
        columns: list[Coded | NDArray[np.generic]] = []
        for item in fields(self):  # type: ignore[arg-type]
            value = getattr(self, item.name)
            if isinstance(value, Coded | np.ndarray):
                columns.append(value)
            elif item.name in ("axes", "covariates"):
                columns.extend(value.values())
        return columns

    def __len__(self) -> int:
        columns = self._columns()
        return len(columns[0]) if columns else 0

    def take(self, rows: Ints | Bools) -> Self:
        """The chosen rows, as a table of the same type; remarks stay."""
        chosen: dict[str, object] = {}
        for item in fields(self):  # type: ignore[arg-type]
            value = getattr(self, item.name)
            if isinstance(value, Coded):
                chosen[item.name] = value.take(rows)
            elif isinstance(value, np.ndarray):
                chosen[item.name] = value[rows]
            elif item.name in ("axes", "covariates"):
                chosen[item.name] = {name: column[rows] for name, column in value.items()}
            else:
                chosen[item.name] = value
        return type(self)(**chosen)


@dataclass(frozen=True)
class PhaseTable(_Columns):
    """One row a rank, step and phase (or a micro-batch of it).

    start: seconds on the clock of the rank's host, or from the start of the step; NaN where absent.
    axes: axis → coordinate of each row's rank, -1 where unknown. An axis that no row has is absent (size 1).
    covariates: tokens, sum_len_sq, bytes; NaN where unknown; absent if no row has any.
    kinds: phase → kind, only where the records state it; `phases.kind_of` tells the others by name.
    """

    job: Coded
    rank: Ints
    step: Ints
    phase: Coded
    duration: Floats
    start: Floats
    microbatch: Ints
    axes: Mapping[str, Ints] = field(default_factory=dict)
    covariates: Mapping[str, Floats] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class EdgeTable(_Columns):
    """One row a directed transfer. `wait` is the part of `duration` until the receiver had posted its buffer."""

    job: Coded
    step: Ints
    channel: Ints
    src: Ints
    dst: Ints
    bytes: Floats
    duration: Floats
    wait: Floats
    remarks: tuple[Remark, ...] = ()

    @property
    def net(self) -> Floats:
        """Transfer time without waiting; the whole duration where no wait is known."""
        return self.duration - np.nan_to_num(self.wait)


@dataclass(frozen=True)
class SequenceTable(_Columns):
    """One row a rank and operation of a communicator, for hangs and periods.

    enter, leave: seconds, NaN where the operation has not got there or the source gives no time.
    sequence: number of the operation within its communicator; ranks are compared by it, not by clocks.
    """

    job: Coded
    rank: Ints
    communicator: Coded
    sequence: Ints
    operation: Coded
    bytes: Floats
    posted: Bools
    started: Bools
    finished: Bools
    enter: Floats
    leave: Floats
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class DistributionTable(_Columns):
    """One row a cluster of kernel durations: rank, first step of the window, kernel, stream, count, p50, p99."""

    job: Coded
    rank: Ints
    step: Ints
    kernel: Coded
    stream: Ints
    count: Ints
    p50: Floats
    p99: Floats
    axes: Mapping[str, Ints] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class EventTable(_Columns):
    """One row an event that somebody reports beside the times: `port down`, `pause`, `checkpoint`. rank -1: of all."""

    job: Coded
    rank: Ints
    step: Ints
    event: Coded
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class Layout:
    """Which rank stands where: ranks ascend, `axes[a][i]` is the coordinate of `ranks[i]`, -1 where unknown."""

    ranks: Ints
    axes: Mapping[str, Ints] = field(default_factory=dict)


Table = PhaseTable | EdgeTable | SequenceTable | DistributionTable | EventTable
