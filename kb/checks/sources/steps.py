"""Step records behind `StepsSource`: files and folders of a run, or the data of a replay. Read and judged once."""

import io
import json
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from kb.checks.card import SourceName, StepData
from kb.checks.contract import ReasonKind, Unknown
from kb.errors import DataError, KbError, SourceError
from kb.model import Text
from kb.steps import reading
from kb.steps.columns import unit_of
from kb.steps.job import Job, jobs
from kb.steps.lines import json_lines
from kb.steps.reading import Records
from kb.steps.records import Remark, RemarkKind, Table
from kb.steps.scenarios import made

STDIN = "-"


class StepRecords:
    """Reads when first asked; every check of a run then sees the same jobs, whichever asks first."""

    kind = SourceName.steps

    def __init__(self, name: str, read: Callable[[Records], list[Unknown]], *, standing: bool = False) -> None:
        """read: fills the records and answers with what could not be read. standing: the jobs are known to stand."""
        self.name = name
        self._read = read
        self._standing = standing
        self._lock = threading.Lock()
        self._jobs: list[Job] | None = None
        self._problems: list[Unknown] = []

    def jobs(self) -> Sequence[Job]:
        with self._lock:
            if self._jobs is None:
                records = Records()
                problems = self._read(records)
                self._jobs = jobs(records, standing=self._standing)
                # Lines that could not be read are nothing to ask about while others could.
                left_out = (one for one in records.remarks if one.kind is not RemarkKind.unreadable or not self._jobs)
                self._problems = [*problems, *(_left_out(self.name, remark) for remark in left_out)]
        if not self._jobs:
            raise self._nothing()
        return self._jobs

    def problems(self) -> tuple[Unknown, ...]:
        return tuple(self._problems)

    def _nothing(self) -> SourceError:
        if not self._problems:
            return SourceError(
                "The files hold no step record.",
                reason_kind="no-series",
                what_ko="파일에 스텝 기록이 없습니다.",
                next_step="Give a file with records.",
                next_step_ko="기록이 있는 파일을 주십시오.",
            )
        first = self._problems[0]
        return SourceError(
            first.reason.en,
            what_ko=first.reason.ko or "",
            next_step=first.remedy.en,
            next_step_ko=first.remedy.ko or "",
        )


def step_files(paths: Sequence[str], *, unit: str | None = None, standing: bool = False) -> StepRecords:
    """The files of one run; several may hold one job (one file a rank). `-` is standard input.

    unit: of times whose column states none. standing: the job is known to stand still.

    Raises:
        InvalidValue: no unit of time.
        MissingExtra: a Parquet file, and no reader for it.
    """
    unit = unit_of(unit) if unit else None
    for path in paths:
        reading.require_extras(Path(path))

    def read(records: Records) -> list[Unknown]:
        faults = []
        # One file is one job unless it says otherwise; several files may be the ranks of one.
        job = Path(paths[0]).stem if len(paths) == 1 and paths[0] != STDIN else ""
        for path in paths:
            try:
                if path == STDIN:
                    tables = reading.text(sys.stdin, unit=unit)
                else:
                    tables = reading.tables(Path(path), unit=unit, job=job)
                for table in tables:
                    records.add(table)
            except KbError as error:
                faults.append(_fault(_shown(path), error))
        return faults

    return StepRecords(", ".join(map(_shown, paths)), read, standing=standing)


def step_replay(data: StepData) -> StepRecords:
    """The records of a replay, as they stand there or made by name and seed. Its job stands where its records end."""

    return step_tables(lambda: tables_of(data))


def step_tables(tables: Callable[[], Sequence[Table]]) -> StepRecords:
    """Records that somebody else has read or made; their job stands where they end."""

    def read(records: Records) -> list[Unknown]:
        for table in tables():
            records.add(table)
        return []

    return StepRecords("replay", read, standing=True)


def tables_of(data: StepData) -> list[Table]:
    """
    Raises:
        DataError: neither records nor a generator.
        UnknownValue, InvalidValue: a generator that does not exist, or not like that.
        UnreadableFile: records of no kind.
    """
    if data.generator is not None:
        trace = made(data.generator, data.seed or 0)
        parts = (trace.phases, trace.edges, trace.sequences, trace.distributions, trace.events)
        return [part for part in parts if part is not None]
    if data.records:
        return list(json_lines(io.StringIO("".join(json.dumps(record) + "\n" for record in data.records))))
    raise DataError("The replay has no step records.", field="data", next_step="Give records or a generator.")


def _shown(path: str) -> str:
    return "standard input" if path == STDIN else Path(path).name


def _left_out(name: str, remark: Remark) -> Unknown:
    reason = Text(en=f"{name}: {remark.text.en}", ko=f"{name}: {remark.text.ko}")
    return Unknown(reason, ReasonKind.unsupported, remark.remedy, ({"file": name},), remark.count)


def _fault(name: str, error: KbError) -> Unknown:
    return Unknown(
        Text(
            en=error.what if name in error.what else f"{name}: {error.what}",
            ko=f"{name} 파일을 읽을 수 없습니다: {error.what}",
        ),
        ReasonKind.crash,
        Text(
            en=error.next_step or "Give a file that can be read.",
            ko="JSON Lines, CSV, Parquet, 플라이트 레코더 덤프, 학습 로그 중 하나를 주십시오.",
        ),
        ({"file": name},),
        1,
    )
