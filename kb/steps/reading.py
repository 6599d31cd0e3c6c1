"""One way in for every format: a path becomes tables, whatever the file is, in bounded memory."""

import gzip
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from kb.errors import UnreadableFile
from kb.model import Text
from kb.steps import dumps, logs, parquet, promql
from kb.steps.columns import unit_of
from kb.steps.folding import MAX_CELLS, GridBuilder
from kb.steps.joining import AnyTable
from kb.steps.lines import csv_lines, json_lines
from kb.steps.records import (
    DistributionTable,
    EdgeTable,
    EventTable,
    PhaseTable,
    Remark,
    RemarkKind,
    SequenceTable,
    Table,
    merged,
)
from kb.steps.tables import kind_of_columns, table_of

#: Jobs of one file that are analysed; more than that is a mistake in the `job` column.
MOST_JOBS = 64
#: Records of transfers, operations, distributions or events that are kept of one job; the latest tell of its trouble.
MOST_ROWS = 8_000_000


@dataclass
class JobRecords:
    """Everything of one job. Phases are folded as they come; the other records are kept."""

    job: str
    phases: GridBuilder
    edges: list[EdgeTable] = field(default_factory=list)
    sequences: list[SequenceTable] = field(default_factory=list)
    distributions: list[DistributionTable] = field(default_factory=list)
    events: list[EventTable] = field(default_factory=list)


@dataclass
class Records:
    """What a file (or several) holds, by job; `remarks` are those of tables without a job of their own."""

    max_cells: int = MAX_CELLS
    jobs: dict[str, JobRecords] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    records: int = 0

    def add(self, table: Table) -> None:
        self.records += len(table)
        present = np.flatnonzero(np.bincount(table.job.codes, minlength=len(table.job.names)))
        if not len(present):
            self.remarks = list(merged([*self.remarks, *table.remarks]))
        for code in present:
            name = table.job.names[code]
            if name not in self.jobs and len(self.jobs) >= MOST_JOBS:
                self.remarks = list(merged([*self.remarks, Remark(RemarkKind.several_jobs, 1, TOO_MANY_JOBS, FEWER)]))
                continue
            job = self.jobs.setdefault(name, JobRecords(name, GridBuilder(name, max_cells=self.max_cells)))
            part = table if len(present) == 1 else table.take(table.job.codes == code)
            gone = _into(job, part)
            if gone:
                self.remarks = list(merged([*self.remarks, Remark(RemarkKind.too_many, gone, TOO_MANY, FEWER)]))


def _into(job: JobRecords, table: Table) -> int:
    """How many old records had to go for it."""
    match table:
        case PhaseTable():
            job.phases.add(table)
            return 0
        case EdgeTable():
            return _kept(job.edges, table)
        case SequenceTable():
            return _kept(job.sequences, table)
        case DistributionTable():
            return _kept(job.distributions, table)
        case EventTable():
            return _kept(job.events, table)


def _kept(tables: list[AnyTable], table: AnyTable) -> int:
    tables.append(table)
    rows, gone = sum(map(len, tables)), 0
    while rows - gone > MOST_ROWS and len(tables) > 1:
        gone += len(tables.pop(0))
    return gone


def require_extras(path: Path) -> None:
    """Whether what the file needs is installed, before anything is read.

    Raises:
        MissingExtra: Parquet without pyarrow.
    """
    if path.is_file():
        with path.open("rb") as file:
            if file.read(4) == b"PAR1":
                parquet.require()


def tables(path: Path, *, unit: str | None = None, job: str = "") -> Iterator[Table]:
    """Tables of a file or of a folder of flight-recorder dumps, a chunk at a time.

    unit: of times whose column states none (`s`, `ms`, `us`, `ns`).

    Raises:
        UnreadableFile: nothing in it is a record.
        MissingExtra: Parquet without pyarrow.
        InvalidValue: no unit of time.
    """
    unit = unit_of(unit) if unit else None
    if path.is_dir():
        return dumps.folder(path, job=job)
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise UnreadableFile(f"{path.name} cannot be opened.", next_step="Check its name and your rights.") from error
    if head[:4] == b"PAR1":
        return _parquet(path, unit, job)
    if promql.is_answer(head):
        return iter([promql.read(path, unit=unit, job=job)])
    if dumps.is_dump(head):
        return dumps.one(path, job=job)
    return text(_lines(path, packed=head[:2] == b"\x1f\x8b"), unit=unit, job=job)


def text(lines: Iterable[str], *, unit: str | None = None, job: str = "") -> Iterator[Table]:
    """Tables of a stream of lines: JSON lines, CSV with a header, or a training or NCCL log.

    Raises: UnreadableFile: nothing in it is a record.
    """
    stream = iter(lines)
    first = ""
    for first in stream:
        if first.strip():
            break
    whole = _after(first, stream)
    if first.lstrip().startswith("{"):
        return json_lines(whole, unit=unit, job=job)
    if kind_of_columns([name.strip().strip('"') for name in first.strip().split(",")]) is not None:
        return csv_lines(whole, unit=unit, job=job)
    return logs.tables(whole, job=job)


def read(paths: Iterable[Path], *, unit: str | None = None, max_cells: int = MAX_CELLS) -> Records:
    """All records of the files. Raises: as `tables`."""
    records = Records(max_cells)
    for path in paths:
        for table in tables(path, unit=unit):
            records.add(table)
    return records


def _parquet(path: Path, unit: str | None, job: str) -> Iterator[Table]:
    known = kind_of_columns(parquet.columns_of(path))
    if known is None:
        names = ", ".join(parquet.columns_of(path)[:12])
        raise UnreadableFile(
            f"The columns {names} of {path.name} are no kind of step record.",
            next_step="A phase record has rank, step, phase and duration.",
        )
    kind, fields = known
    units = {name: stated for name, (_, stated) in fields.items()}
    for columns in parquet.batches(path, tuple({name for name, _ in fields.values()})):
        raw = {name: columns[column] for name, (column, _) in fields.items()}
        yield table_of(kind, raw, units, unit=unit, job=job)


def _lines(path: Path, *, packed: bool) -> Iterator[str]:
    with path.open("rb") as file:
        source = cast(BinaryIO, gzip.GzipFile(fileobj=file) if packed else file)
        with io.TextIOWrapper(source, encoding="utf-8", errors="replace", newline="") as lines:
            try:
                yield from lines
            except (OSError, EOFError) as error:
                raise UnreadableFile(f"{path.name} cannot be read to its end.", next_step="Copy it again.") from error


def _after(first: str, rest: Iterator[str]) -> Iterator[str]:
    if first:
        yield first
    yield from rest


TOO_MANY = Text(
    en=f"More than {MOST_ROWS} records of one kind: the oldest were let go.",
    ko=f"한 종류의 기록이 {MOST_ROWS}개를 넘어 오래된 것부터 버렸습니다.",
)
TOO_MANY_JOBS = Text(
    en=f"Records of more than {MOST_JOBS} jobs were left out; is the `job` column right?",
    ko=f"{MOST_JOBS}개를 넘는 작업의 기록은 뺐습니다. `job` 열이 맞는지 확인하십시오.",
)
FEWER = Text(en="Give fewer files: one job, its last hours.", ko="작업 하나의 최근 몇 시간 파일만 주십시오.")
