"""NCCL's own words as operation sequences: calls in its debug log, and the report of its RAS subsystem.

The debug log (`NCCL_DEBUG=INFO` with the subsystem COLL) says that an operation was called, never that it finished; the
RAS report says up to which operation each rank has launched. Both show who is behind; neither has times.
"""

import re
from dataclasses import dataclass, field

import numpy as np

from kb.model import Text
from kb.steps.records import Coded, Remark, RemarkKind, SequenceTable, Table

_CALL = re.compile(
    r"(\S+:\d+):\d+ \[\d+\] NCCL INFO (\w+): opCount ([0-9a-f]+) .*?count (\d+) datatype (\d+) .*?"
    r"comm (0x[0-9a-f]+) \[nranks=(\d+)\](?:.*?globalrank (\d+))?"
)
_INIT = re.compile(
    r"(\S+:\d+):\d+ \[\d+\] NCCL INFO .*?comm (0x[0-9a-f]+) rank (\d+) nranks (\d+) .*?commId (0x[0-9a-f]+)"
)
#: Bytes of NCCL's data types, by number.
_SIZES = (1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1)

_GROUP = re.compile(r"^\s*#\d+-\d+ \(([0-9a-f]+)\)")
_COUNTS = re.compile(r"^\s*Communicator ranks have different (\w+) operation counts")
_MANY = re.compile(r"^\s*(\d+) ranks have (?:launched up to operation (\d+)|not launched any operations)")
_ALONE = re.compile(r"^\s*Rank (\d+) has (?:launched up to operation (\d+)|not launched any operations)")
_LISTED = re.compile(r"^\s*Rank (\d+) -- ")


@dataclass
class _Calls:
    communicator: list[str] = field(default_factory=list)
    rank: list[int] = field(default_factory=list)
    sequence: list[int] = field(default_factory=list)
    operation: list[str] = field(default_factory=list)
    bytes: list[float] = field(default_factory=list)


class NcclCalls:
    """Calls of the debug log; see `kb.steps.logs.Form`. A process is one rank; its largest communicator numbers it."""

    def __init__(self) -> None:
        self._communicators: dict[tuple[str, str], str] = {}
        self._ranks: dict[str, tuple[int, int]] = {}
        self._calls = _Calls()
        self._processes: list[str] = []
        self._unknown = 0
        """Calls whose communicator no line has introduced: an address is of one process only and joins nothing."""

    def take(self, line: str) -> bool:
        if "NCCL INFO" not in line:
            return False
        if match := _CALL.search(line):
            self._call(match)
            return True
        if match := _INIT.search(line):
            process, pointer, rank, size, name = match[1], match[2], int(match[3]), int(match[4]), match[5]
            self._communicators[process, pointer] = name
            if size > self._ranks.get(process, (-1, 0))[1]:
                self._ranks[process] = (rank, size)
            return True
        return False

    def tables(self, job: str, *, end: bool) -> list[Table]:
        calls, self._calls = self._calls, _Calls()
        processes, self._processes = self._processes, []
        unknown, self._unknown = self._unknown, 0
        if not (calls.sequence or unknown):
            return []
        known = [r if r >= 0 else self._ranks.get(p, (-1, 0))[0] for r, p in zip(calls.rank, processes, strict=True)]
        size = len(known)
        table = SequenceTable(
            job=Coded.constant(job, size),
            rank=np.array(known, np.int64),
            communicator=Coded.of(calls.communicator),
            sequence=np.array(calls.sequence, np.int64),
            operation=Coded.of(calls.operation),
            bytes=np.array(calls.bytes, np.float64),
            posted=np.ones(size, bool),
            started=np.zeros(size, bool),
            finished=_overtaken(known, calls),
            enter=np.full(size, np.nan),
            leave=np.full(size, np.nan),
            remarks=(Remark(RemarkKind.unreadable, unknown, NO_INIT, LOG_INIT),) if unknown else (),
        )
        return [table.take(table.rank >= 0)]

    def _call(self, match: re.Match[str]) -> None:
        process, operation, pointer = match[1], match[2], match[6]
        communicator = self._communicators.get((process, pointer))
        if communicator is None:
            self._unknown += 1
            return
        kind = int(match[5])
        width = _SIZES[kind] if kind < len(_SIZES) else 4
        calls = self._calls
        calls.communicator.append(communicator)
        calls.rank.append(int(match[8]) if match[8] else -1)
        calls.sequence.append(int(match[3], 16))
        calls.operation.append(operation)
        calls.bytes.append(float(int(match[4]) * width))
        self._processes.append(process)


def _overtaken(ranks: list[int], calls: _Calls) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Operations that a later call of the same rank and communicator follows; the log says nothing better of an end."""
    latest: dict[tuple[int, str], int] = {}
    for rank, communicator, sequence in zip(ranks, calls.communicator, calls.sequence, strict=True):
        key = (rank, communicator)
        latest[key] = max(latest.get(key, -1), sequence)
    return np.array([s < latest[r, c] for r, c, s in zip(ranks, calls.communicator, calls.sequence, strict=True)], bool)


class RasReport:
    """Ranks that RAS shows behind; see `kb.steps.logs.Form`. Ranks are those of the communicator."""

    def __init__(self) -> None:
        self._communicator = ""
        self._operation = ""
        self._count: int | None = None
        self._most = 0
        self._rows: list[tuple[str, str, int, int]] = []
        self._crowds: list[tuple[str, str, int, int]] = []

    def take(self, line: str) -> bool:
        if match := _GROUP.match(line):
            self._communicator, self._operation, self._count = match[1], "", None
            return True
        if not self._communicator:
            return False
        if match := _COUNTS.match(line):
            self._operation = match[1]
        elif match := _MANY.match(line):
            self._count = int(match[2] or 0)
            self._crowds.append((self._communicator, self._operation, int(match[1]), self._count))
        elif match := _ALONE.match(line):
            self._count = None
            self._rows.append((self._communicator, self._operation, int(match[1]), int(match[2] or 0)))
        elif (match := _LISTED.match(line)) and self._count is not None:
            self._rows.append((self._communicator, self._operation, int(match[1]), self._count))
        else:
            return False
        return True

    def tables(self, job: str, *, end: bool) -> list[Table]:
        if not end or not (self._rows or self._crowds):
            return []
        rows = [*self._rows, *self._unlisted()]
        size = len(rows)
        return [
            SequenceTable(
                job=Coded.constant(job, size),
                rank=np.array([row[2] for row in rows], np.int64),
                communicator=Coded.of([f"{row[0]} {row[1]}" for row in rows]),
                sequence=np.array([row[3] for row in rows], np.int64),
                operation=Coded.of([row[1] for row in rows]),
                bytes=np.full(size, np.nan),
                posted=np.ones(size, bool),
                started=np.ones(size, bool),
                finished=np.zeros(size, bool),
                enter=np.full(size, np.nan),
                leave=np.full(size, np.nan),
            )
        ]

    def _unlisted(self) -> list[tuple[str, str, int, int]]:
        """Ranks of the crowds that the report counts and does not list: numbers that no listed rank has."""
        found: list[tuple[str, str, int, int]] = []
        for name, operation, many, count in self._crowds:
            listed = {row[2] for row in [*self._rows, *found] if row[0] == name and row[1] == operation}
            have = sum(1 for row in self._rows if row[:2] == (name, operation) and row[3] == count)
            free = (rank for rank in range(len(listed) + many) if rank not in listed)
            found += [(name, operation, next(free), count) for _ in range(many - have)]
        return found


NO_INIT = Text(
    en="Calls of communicators whose Init line is not in the log were left out: whose call is whose cannot be told.",
    ko="로그에 Init 줄이 없는 커뮤니케이터의 호출은 서로 짝지을 수 없어 뺐습니다.",
)
LOG_INIT = Text(
    en="Log with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL from the start of the job, and give the whole log.",
    ko="작업을 시작할 때부터 NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,COLL로 기록하고 로그 전체를 주십시오.",
)
