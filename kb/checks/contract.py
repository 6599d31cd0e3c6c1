"""What a check is handed, and what it hands back. Nothing here opens anything or reads a clock.

A check is a function of one source. It answers with an `Outcome`: found, clear, unknown or not applicable.
Silence is never health: `clear` needs a count of things that were looked at, and zero is refused.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kb.checks.card import Answer, SourceName
from kb.model import Text

if TYPE_CHECKING:
    from kb.steps.job import Job


class ReasonKind(StrEnum):
    """Why something could not be judged."""

    no_series = "no-series"
    stale = "stale"
    forbidden = "forbidden"
    timeout = "timeout"
    crash = "crash"
    unsupported = "unsupported"


REASON_WORDS = {
    ReasonKind.no_series: Text(en="no data", ko="데이터가 없습니다"),
    ReasonKind.stale: Text(en="the data has stopped", ko="데이터가 끊겼습니다"),
    ReasonKind.forbidden: Text(en="access refused", ko="접근이 거부되었습니다"),
    ReasonKind.timeout: Text(en="no answer in time", ko="제한 시간 안에 응답이 없습니다"),
    ReasonKind.crash: Text(en="the source failed", ko="소스가 응답하지 못했습니다"),
    ReasonKind.unsupported: Text(en="not supported by the source", ko="소스가 지원하지 않습니다"),
}


@dataclass(frozen=True)
class Evidence:
    """What a finding rests on: a value and the threshold it crossed, or a line of a log."""

    value: float | None = None
    unit: str = ""
    threshold: str = ""
    """As the rule states it: `> 0`."""
    query: str = ""
    file: str = ""
    line_number: int | None = None
    """Counted from 1."""
    line: str = ""
    count: int = 1
    """How many lines or samples say the same of this place."""
    object: str = ""
    """The Kubernetes object it was read from: `Pod default/web-0`. What it says is in `line`."""

    @property
    def place(self) -> str:
        """What `line` was read from: the object, or the file with the number of the line if it has one."""
        return self.object or (self.file if self.line_number is None else f"{self.file}:{self.line_number}")


@dataclass(frozen=True)
class Finding:
    """One place where the check found something."""

    where: Mapping[str, str]
    """Labels that name the place; they are the finding's identity between runs."""
    evidence: Evidence
    since: str | None = None
    """Clock time (ISO 8601, or as the log writes it) since which it holds; absent when not known."""


@dataclass(frozen=True)
class Unknown:
    """Something that ought to have been judged and could not be."""

    reason: Text
    kind: ReasonKind
    remedy: Text
    where: tuple[Mapping[str, str], ...] = ()
    """The first few places; `count` says how many there are."""
    count: int = 0
    foreign: bool = False
    """Whether these files are logs of something else, which this check does not read."""


@dataclass(frozen=True)
class Outcome:
    """Answer of one check. Something may be found in one place and unknown in another.

    Raises:
        ValueError: an outcome that would be clear without having looked at anything, or that is
            not applicable and something else at once.
    """

    looked_at: int = 0
    findings: tuple[Finding, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    not_applicable: Text | None = None

    def __post_init__(self) -> None:
        if self.not_applicable is not None:
            if self.findings or self.unknown or self.looked_at:
                raise ValueError("not applicable excludes every other answer")
        elif not self.findings and not self.unknown and self.looked_at < 1:
            raise ValueError("a clear outcome must have looked at something")

    @property
    def answer(self) -> Answer:
        if self.findings:
            return Answer.found
        if self.unknown:
            return Answer.unknown
        return Answer.clear if self.not_applicable is None else Answer.not_applicable

    def with_unknown(self, more: Sequence[Unknown]) -> "Outcome":
        """The same outcome with further remarks; one that was clear or not applicable is then unknown."""
        if not more:
            return self
        return Outcome(self.looked_at, self.findings, (*self.unknown, *more))


def unknown(reason: Text, kind: ReasonKind, remedy: Text) -> Outcome:
    """An outcome of which nothing can be said but why."""
    return Outcome(unknown=(Unknown(reason, kind, remedy),))


@dataclass(frozen=True)
class Sample:
    """One element of an instant vector. `timestamp` is in seconds of the Unix clock."""

    labels: Mapping[str, str]
    value: float
    timestamp: float


@dataclass(frozen=True)
class Ask:
    """One instant query: an expression and the moment (Unix seconds) it is asked for."""

    expr: str
    at: float


class PrometheusSource(Protocol):
    """Anything that evaluates PromQL: a server over HTTP, or a replay through promtool."""

    kind: SourceName
    name: str

    def now(self) -> float:
        """The source's own clock, in Unix seconds; the same moment throughout a run."""

    def query(self, expr: str, at: float) -> list[Sample]:
        """The vector at that moment; a scalar is one sample without labels.

        Raises:
            SourceError: no answer that could be trusted.
        """

    def query_many(self, asks: Sequence[Ask]) -> list[list[Sample]]:
        """As `query`, several at once, in the order asked."""


class ReadSource(Protocol):
    """What every source has that a function reads: it knows what of itself could not be read."""

    kind: SourceName

    @property
    def name(self) -> str: ...

    def problems(self) -> tuple[Unknown, ...]:
        """What could not be read, known once everything has been read."""


class LogLine(NamedTuple):
    """One message of a log, its continuation lines joined with a blank.

    A tuple, because there is one for each of millions of lines.
    """

    file: str
    number: int
    """Line of the file on which it begins, counted from 1."""
    text: str
    """The message without time, host and facility."""
    raw: str
    kernel: bool
    """Whether the kernel wrote it; a program that repeats a kernel message is not the kernel."""
    host: str = ""
    """As the line names it; empty in plain `dmesg` output."""
    time: str = ""
    """As the line writes it."""


class LogSource(Protocol):
    """Text logs, streamed."""

    kind: SourceName
    name: str
    files: tuple[str, ...]
    """As they are named in the lines, empty ones too."""

    def lines(self) -> Iterator[LogLine]:
        """Every message of every file in the order given. Files that cannot be read are in `problems`."""

    def problems(self) -> tuple[Unknown, ...]:
        """What could not be read, known once `lines` has been read to its end."""


class HostSource(ReadSource, Protocol):
    """One node: its files below a root, live or saved. Nothing is run but what `kb check --host` runs itself."""

    def paths(self, pattern: str) -> tuple[str, ...]:
        """Files whose path below the root ends in this pattern, sorted; `*` stands for one part of a path."""

    def text(self, path: str) -> str | None:
        """A file without the blanks around it; none if it is not there or cannot be read."""

    def outputs(self, first: str) -> tuple[tuple[str, str], ...]:
        """(path, text) of every saved output whose beginning matches the regular expression `first`."""


KubeObject = Mapping[str, Any]
"""One object as the API server writes it, whole: fields that no check names are in it too."""


class KubernetesSource(Protocol):
    """A Kubernetes API server, read by GET alone, or the objects of a replay."""

    kind: SourceName

    @property
    def name(self) -> str: ...

    def now(self) -> float:
        """The server's own clock, in Unix seconds; the same moment throughout a run."""

    def version(self) -> str:
        """Of the server: `v1.34.2`."""

    def list(self, resource: str, *, fields: str = "", labels: str = "") -> Iterator[KubeObject]:
        """Every object of a resource over all namespaces, `kind` and `apiVersion` set in each.

        resource: `v1/pods`, `apps/v1/deployments`. Secrets and ConfigMaps are refused, whoever asks.
        fields, labels: selectors, as the server takes them.

        Raises:
            ResourceAbsent: the server does not know the resource.
            SourceError: no list that could be trusted to be whole; for lack of a permission it is named.
        """

    def problems(self) -> tuple[Unknown, ...]:
        """Nothing: a list that could not be read is an error of the check that asked for it."""


class StepsSource(Protocol):
    """Step times, transfers and operation sequences of training jobs."""

    kind: SourceName

    @property
    def name(self) -> str: ...

    def jobs(self) -> Sequence["Job"]:
        """Every job of the records, judged once for all checks.

        Raises:
            SourceError: nothing could be read.
        """

    def problems(self) -> tuple[Unknown, ...]:
        """Files that could not be read, known once `jobs` has been asked."""


Source = PrometheusSource | ReadSource


@dataclass(frozen=True)
class Knobs:
    """The knobs of one check, each within its bounds."""

    values: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        return self.values[name]

    def number(self, name: str) -> float:
        return float(self.values[name])


CheckFunction = Callable[[Any, Knobs], Outcome]
"""The function of a `check.py`; it takes the protocol of its card's kind of source."""
