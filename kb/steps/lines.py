"""JSON lines and CSV, a chunk of lines at a time, from any stream: memory does not grow with the input."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from kb.errors import UnreadableFile
from kb.model import Text
from kb.steps.columns import Column
from kb.steps.records import Remark, RemarkKind, Table
from kb.steps.tables import KINDS, NAMES, kind_of_columns, table_of

CHUNK = 50_000
#: No record is longer; what is comes from a file that is no text of lines.
LONGEST = 1 << 20

Field = tuple[str, str | None]


def json_lines(lines: Iterable[str], *, unit: str | None = None, job: str = "") -> Iterator[Table]:
    """Tables of the records of each chunk; lines of several kinds may be mixed.

    A last line that ends in the middle is counted as `cut_off`, other lines that are no record as `unreadable`.

    Raises:
        UnreadableFile: not one line of the first chunk is a record.
    """
    stream = iter(lines)
    first = True
    while chunk := list(islice(stream, CHUNK)):
        by_shape: dict[tuple[str, ...], list[dict[str, object]]] = {}
        bad, cut = 0, False
        for number, line in enumerate(chunk):
            if not line.strip():
                continue
            record = _record(line)
            if record is not None:
                by_shape.setdefault(tuple(record), []).append(record)
            elif number == len(chunk) - 1 and not line.endswith("\n"):
                cut = True
            else:
                bad += 1
        tables, strange = _tables(by_shape, unit, job)
        if first and not tables:
            raise UnreadableFile(
                "No line is a step record.",
                next_step="A phase record has rank, step, phase and duration_ms; `kb check --help` shows an example.",
            )
        yield from with_remarks(tables, bad + strange, cut=cut)
        first = False


def csv_lines(lines: Iterable[str], *, unit: str | None = None, job: str = "") -> Iterator[Table]:
    """Tables of a CSV file whose first line names the columns.

    Raises:
        UnreadableFile: the first line names no kind of record.
    """
    last = _LastLine(lines)
    rows = csv.reader(last)
    try:
        header = [name.strip() for name in next(rows)]
    except (StopIteration, csv.Error) as error:
        raise UnreadableFile("The file has no line.", next_step="Its first line names the columns.") from error
    known = kind_of_columns(header)
    if known is None:
        wanted = "; ".join(f"{kind}: {', '.join(marks)}" for kind, (marks, _) in KINDS.items())
        raise UnreadableFile(
            f"The columns {', '.join(header[:12])} are no kind of step record.", next_step=f"Needed are, {wanted}."
        )
    kind, fields = known
    while chunk := list(islice(rows, CHUNK)):
        whole_rows = [row for row in chunk if len(row) == len(header)]
        bad = sum(1 for row in chunk if row) - len(whole_rows)
        cut = bad > 0 and len(chunk[-1]) != len(header) and not last.ended
        columns = list(zip(*whole_rows, strict=True)) or [() for _ in header]
        raw = {field: _column(field, columns[header.index(name)]) for field, (name, _) in fields.items()}
        units = {field: stated for field, (_, stated) in fields.items()}
        yield from with_remarks([table_of(kind, raw, units, unit=unit, job=job)], bad - cut, cut=cut)


class _LastLine:
    """Passes lines on, and knows whether the last one was ended."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.ended = True

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.ended = line.endswith("\n")
            # NUL bytes stop the reader of CSV; they come from files that grew sparse when the disk was full.
            yield line.replace("\0", "")[:LONGEST]


def with_remarks(tables: Sequence[Table], bad: int, *, cut: bool) -> Iterator[Table]:
    """The tables, the first one with remarks on lines that were no records."""
    remarks = []
    if bad:
        remarks.append(Remark(RemarkKind.unreadable, bad, UNREADABLE))
    if cut:
        remarks.append(Remark(RemarkKind.cut_off, 1, CUT_OFF))
    for number, table in enumerate(tables):
        yield _remarked(table, remarks) if number == 0 and remarks else table


def _remarked(table: Table, remarks: Sequence[Remark]) -> Table:
    values = {**table.__dict__, "remarks": (*table.remarks, *remarks)}
    return type(table)(**values)


def _record(line: str) -> dict[str, object] | None:
    try:
        value = json.loads(line[:LONGEST])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _tables(
    by_shape: Mapping[tuple[str, ...], list[dict[str, object]]], unit: str | None, job: str
) -> tuple[list[Table], int]:
    """Tables of records that have the same keys, and how many records are of no kind."""
    tables, strange = [], 0
    for names, records in by_shape.items():
        known = kind_of_columns(names)
        if known is None:
            strange += len(records)
            continue
        kind, fields = known
        raw = {field: _column(field, [record[name] for record in records]) for field, (name, _) in fields.items()}
        units = {field: stated for field, (_, stated) in fields.items()}
        tables.append(table_of(kind, raw, units, unit=unit, job=job))
    return tables, strange


def _column(field: str, values: Sequence[object]) -> Column:
    """Numbers where all are numbers and the field is no name, else the values as they are."""
    if field not in NAMES:
        try:
            return np.array(values, np.float64)
        except (TypeError, ValueError):
            pass
    column = np.empty(len(values), object)
    column[:] = values
    return column


UNREADABLE = Text(en="Lines that are no record were left out.", ko="기록이 아닌 줄은 뺐습니다.")
CUT_OFF = Text(en="The last line ends in the middle and was left out.", ko="마지막 줄이 중간에서 끊겨 뺐습니다.")
