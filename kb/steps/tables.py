"""Columns of a file as edge, operation-sequence, distribution and event tables; which of them a file holds."""

from collections.abc import Mapping, Sequence

import numpy as np

from kb.model import Text
from kb.steps.columns import ALIASES, SECONDS, Column, Raw, coded, fields_of, integers, numbers, phase_table
from kb.steps.records import (
    AXES,
    Bools,
    Coded,
    DistributionTable,
    EdgeTable,
    EventTable,
    Floats,
    Remark,
    RemarkKind,
    SequenceTable,
    Table,
)

_COMMON = {name: ALIASES[name] for name in ("job", "rank", "step")}
_EDGE = {
    **_COMMON,
    "src": ("src", "source"),
    "dst": ("dst", "destination", "peer"),
    "channel": ("channel",),
    "bytes": ALIASES["bytes"],
    "duration": ALIASES["duration"],
    "wait": ("wait",),
}
_SEQUENCE = {
    **_COMMON,
    "communicator": ("communicator", "comm", "process_group"),
    "sequence": ("sequence", "seq", "op_count", "collective_seq_id"),
    "operation": ("operation", "op", "optype"),
    "bytes": ALIASES["bytes"],
    "posted": ("posted",),
    "started": ("started",),
    "finished": ("finished", "completed"),
    "enter": ("enter", "t_enter"),
    "leave": ("leave", "t_leave"),
}
_DISTRIBUTION = {
    **_COMMON,
    "kernel": ("kernel",),
    "stream": ("stream",),
    "count": ("count",),
    "p50": ("p50",),
    "p99": ("p99",),
    **{axis: ALIASES[axis] for axis in AXES},
}
_EVENT = {**_COMMON, "event": ("event",)}

#: Kind of record → the fields that tell it, and all fields it may have; the first that fits is taken.
KINDS: Mapping[str, tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]] = {
    "edge": (("src", "dst", "duration"), _EDGE),
    "distribution": (("kernel", "rank", "count", "p50", "p99"), _DISTRIBUTION),
    "sequence": (("communicator", "sequence", "rank"), _SEQUENCE),
    "phase": (("rank", "step", "duration"), ALIASES),
    "event": (("event", "step"), _EVENT),
}

#: Fields that are text whatever they look like: job 12345 of Slurm, communicator 0.
NAMES = frozenset({"job", "attempt", "phase", "kind", "unit", "communicator", "operation", "kernel", "event"})


def kind_of_columns(names: Sequence[str]) -> tuple[str, dict[str, tuple[str, str | None]]] | None:
    """Which kind of record these columns are, and field → (name in the file, unit stated by it); none fits none."""
    for kind, (marks, aliases) in KINDS.items():
        found = fields_of(names, aliases)
        if all(mark in found for mark in marks):
            return kind, found
    return None


def table_of(
    kind: str,
    raw: Raw,
    units: Mapping[str, str | None],
    *,
    unit: str | None = None,
    job: str = "",
) -> Table:
    """One chunk of records of one kind. raw and units: by field."""
    if kind == "phase":
        return phase_table(raw, units, unit=unit, job=job)
    if kind == "event":
        return _events(raw, job)
    if kind == "edge":
        return _edges(raw, units, unit, job)
    return (_sequences if kind == "sequence" else _distributions)(raw, units, unit, job)


def _edges(raw: Raw, units: Mapping[str, str | None], unit: str | None, job: str) -> EdgeTable:
    length = len(raw["duration"])
    duration = _seconds(raw, units, unit, "duration")
    src, dst = integers(raw["src"]), integers(raw["dst"])
    good = np.isfinite(duration) & (duration >= 0) & (src >= 0) & (dst >= 0)
    table = EdgeTable(
        job=coded(raw.get("job"), job, length),
        step=_whole(raw, "step", length, 0),
        channel=_whole(raw, "channel", length, 0),
        src=src,
        dst=dst,
        bytes=numbers(raw["bytes"]) if "bytes" in raw else np.full(length, np.nan),
        duration=duration,
        wait=_seconds(raw, units, unit, "wait") if "wait" in raw else np.full(length, np.nan),
        remarks=_left_out(good),
    )
    return table if good.all() else table.take(good)


def _sequences(raw: Raw, units: Mapping[str, str | None], unit: str | None, job: str) -> SequenceTable:
    length = len(raw["rank"])
    rank, sequence = integers(raw["rank"]), integers(raw["sequence"])
    enter = _seconds(raw, units, unit, "enter") if "enter" in raw else np.full(length, np.nan)
    leave = _seconds(raw, units, unit, "leave") if "leave" in raw else np.full(length, np.nan)
    good = (rank >= 0) & (sequence >= 0)
    table = SequenceTable(
        job=coded(raw.get("job"), job, length),
        rank=rank,
        communicator=coded(raw["communicator"], "", length),
        sequence=sequence,
        operation=coded(raw.get("operation"), "", length),
        bytes=numbers(raw["bytes"]) if "bytes" in raw else np.full(length, np.nan),
        posted=_truth(raw, "posted", np.ones(length, bool)),
        started=_truth(raw, "started", np.isfinite(enter)),
        finished=_truth(raw, "finished", np.isfinite(leave)),
        enter=enter,
        leave=leave,
        remarks=_left_out(good),
    )
    return table if good.all() else table.take(good)


def _distributions(raw: Raw, units: Mapping[str, str | None], unit: str | None, job: str) -> DistributionTable:
    length = len(raw["rank"])
    rank, count = integers(raw["rank"]), integers(raw["count"])
    p50, p99 = _seconds(raw, units, unit, "p50"), _seconds(raw, units, unit, "p99")
    good = (rank >= 0) & (count > 0) & np.isfinite(p50) & np.isfinite(p99) & (p50 > 0) & (p99 >= p50)
    table = DistributionTable(
        job=coded(raw.get("job"), job, length),
        rank=rank,
        step=_whole(raw, "step", length, 0),
        kernel=coded(raw["kernel"], "", length),
        stream=_whole(raw, "stream", length, 0),
        count=count,
        p50=p50,
        p99=p99,
        axes={axis: integers(raw[axis]) for axis in AXES if axis in raw},
        remarks=_left_out(good),
    )
    return table if good.all() else table.take(good)


def _events(raw: Raw, job: str) -> EventTable:
    length = len(raw["event"])
    return EventTable(
        job=coded(raw.get("job"), job, length),
        rank=_whole(raw, "rank", length, -1),
        step=_whole(raw, "step", length, -1),
        event=coded(raw["event"], "", length),
    )


def _seconds(raw: Raw, units: Mapping[str, str | None], unit: str | None, field: str) -> Floats:
    return numbers(raw[field]) * SECONDS[units.get(field) or unit or "s"]


def _whole(raw: Raw, field: str, length: int, default: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return integers(raw[field]) if field in raw else np.full(length, default)


def _truth(raw: Mapping[str, Column], field: str, default: Bools) -> Bools:
    """true/false, 1/0, yes/no; what is absent is told by the times."""
    if field not in raw:
        return default
    column = raw[field]
    if not isinstance(column, Coded) and column.dtype.kind in "bif":
        return np.nan_to_num(column.astype(np.float64)) > 0
    words = coded(column, "", len(default))
    return np.array([name.lower() in ("true", "1", "1.0", "yes") for name in words.names], bool)[words.codes]


def _left_out(good: Bools) -> tuple[Remark, ...]:
    bad = int((~good).sum())
    return (Remark(RemarkKind.unreadable, bad, LEFT_OUT),) if bad else ()


LEFT_OUT = Text(
    en="Records with a missing, negative or contradictory value were left out.",
    ko="값이 없거나 음수이거나 서로 어긋나는 기록은 뺐습니다.",
)
