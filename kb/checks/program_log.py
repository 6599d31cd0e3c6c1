"""Logs of programs as the checks of jobs and drivers read them: by file, and only where the program is in view.

A check reads the lines through `ProgramLog.read`, says which of them show that the program speaks, names what it
finds, and asks for the outcome at the end. A file in which the program is never recognised is unknown, not clear.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

from kb.checks.contract import Evidence, Finding, LogSource, Outcome, ReasonKind, Unknown
from kb.model import Text

MAX_EVIDENCE_CHARS = 500
SHOWN = 20

#: `2022-05-01 03:56:11`, `2026-09-05T17:34:36.549Z`, `2021-08-08 01:00:44,221`.
CLOCK = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T _](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:(Z)|([+-])(\d\d):?(\d\d))?(?!\d)"
)
#: `[rank3]:` (PyTorch), `[Rank 3]` (its watchdog), `Rank 3]`, `[default3]:` (torchrun: the rank within the host).
RANK = re.compile(r"\[rank(\d+)\]|\bRank (\d+)\]|\[default(\d+)\]")

Identity = tuple[tuple[str, str], ...]


class Line(NamedTuple):
    """One physical line. What the source joined to one message is taken apart again: programs indent their lines."""

    file: str
    number: int
    text: str


@dataclass(frozen=True)
class Fault:
    """Words by which a fault is told, and the name the finding gives it."""

    name: str
    pattern: re.Pattern[str]


@dataclass
class Told:
    """What one file says."""

    spoken: int = 0
    found: bool = False
    doubt: Text | None = None
    clock: float | None = None


@dataclass
class ProgramLog:
    """State of one pass over the logs.

    name: the program, as the remark on a silent file calls it.
    remedy: which log to give instead.
    timed: whether the clock of each file is followed, which costs more than the rest.
    """

    name: Text
    remedy: Text
    timed: bool = True
    files: dict[str, Told] = field(default_factory=dict)
    _found: dict[Identity, Finding] = field(default_factory=dict)
    _problems: tuple[Unknown, ...] = ()

    def read(self, logs: LogSource) -> Iterator[Line]:
        """Every physical line. The clock of a file goes on with each time that is met in it."""
        self.files = {name: Told() for name in logs.files}
        for message in logs.lines():
            told = self.files.setdefault(message.file, Told())
            for offset, text in enumerate(message.raw.split("\n")):
                if self.timed and (clock := clock_of(text)) is not None:
                    told.clock = clock
                yield Line(message.file, message.number + offset, text)
        self._problems = logs.problems()

    def spoke(self, line: Line) -> None:
        """This line shows that the program speaks; such lines are counted."""
        self.files[line.file].spoken += 1

    def doubt(self, file: str, reason: Text) -> None:
        """The program speaks in this file, and yet nothing can be said of it."""
        self.files[file].doubt = reason

    def find(
        self,
        line: Line,
        place: Mapping[str, str] | None = None,
        *,
        value: float | None = None,
        unit: str = "",
        threshold: str = "",
        **labels: str,
    ) -> None:
        """Something is found at this line; further lines that say the same of the same place are counted.

        place, labels: what names the place beside the file.
        """
        self.files[line.file].found = True
        where = {"file": line.file, **(place or {}), **labels}
        identity = tuple(sorted(where.items()))
        if identity in self._found:
            known = self._found[identity]
            evidence = replace(known.evidence, count=known.evidence.count + 1)
            self._found[identity] = replace(known, evidence=evidence)
            return
        evidence = Evidence(
            value, unit, threshold, file=line.file, line_number=line.number, line=line.text[:MAX_EVIDENCE_CHARS]
        )
        match = CLOCK.search(line.text)
        self._found[identity] = Finding(where, evidence, match[0] if match else None)

    def outcome(self) -> Outcome:
        damaged = {place["file"] for problem in self._problems for place in problem.where}
        silent = [name for name, told in self.files.items() if not told.spoken and not told.found]
        silent = sorted(set(silent) - damaged)
        remarks = [self._remark(told.doubt, [name]) for name, told in sorted(self.files.items()) if told.doubt]
        if silent or not self.files:
            remarks.insert(0, replace(self._remark(self._silence(silent), silent), foreign=True))
        findings = tuple(self._found[key] for key in sorted(self._found))
        judged = sum(told.spoken for told in self.files.values() if told.doubt is None)
        return Outcome(judged, findings, (*remarks, *self._problems))

    def _silence(self, files: list[str]) -> Text:
        some = ", ".join(files[:3]) + (f" (+{len(files) - 3})" if len(files) > 3 else "")
        return Text(
            en=f"No line of {self.name.en} in {some or 'the log'}.",
            ko=f"{some or '로그'}에 {self.name.ko}의 줄이 없습니다.",
        )

    def _remark(self, reason: Text, files: list[str]) -> Unknown:
        places = tuple({"file": name} for name in files[:SHOWN])
        return Unknown(reason, ReasonKind.no_series, self.remedy, places, len(files))


def search_faults(
    logs: LogSource,
    log: ProgramLog,
    speaks: Callable[[str], object],
    faults: tuple[Fault, ...],
    labels: Callable[[str], dict[str, str]] | None = None,
    words: tuple[str, ...] = ("",),
) -> Outcome:
    """The common case: lines that tell a fault are found, lines of the program are counted.

    words: every line that tells a fault holds one of them; the others are not matched against the patterns.
    """
    log.timed = False
    for line in log.read(logs):
        text = line.text
        told = any(word in text for word in words)
        fault = next((fault for fault in faults if fault.pattern.search(text)), None) if told else None
        if fault is not None:
            log.find(line, {"fault": fault.name, **(labels(text) if labels else {})})
        if fault is not None or speaks(text):
            log.spoke(line)
    return log.outcome()


def clock_of(text: str) -> float | None:
    """Seconds of the first date and time in a line; without a zone they count as UTC."""
    match = CLOCK.search(text)
    return None if match is None else _seconds(match[0])


@lru_cache(maxsize=1024)
def _seconds(clock: str) -> float | None:
    """Lines of one moment are many."""
    match = CLOCK.fullmatch(clock)
    assert match is not None
    try:
        year, month, day, hour, minute, second = (int(match[number]) for number in range(1, 7))
        moment = datetime(year, month, day, hour, minute, second, tzinfo=_zone(match))
    except ValueError:
        return None
    return moment.timestamp() + (float(f"0.{match[7]}") if match[7] else 0.0)


def _zone(match: re.Match[str]) -> timezone:
    if not match[9]:
        return UTC
    offset = timedelta(hours=int(match[10]), minutes=int(match[11]))
    return timezone(offset if match[9] == "+" else -offset)


def rank_of(text: str) -> dict[str, str]:
    """The rank that a line names, as a label; nothing where it names none."""
    match = RANK.search(text)
    if match is None:
        return {}
    return {"local_rank": match[3]} if match[3] else {"rank": match[1] or match[2]}
