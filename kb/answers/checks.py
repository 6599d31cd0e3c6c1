"""The answers about checks, and how a check stands in the answer about a case."""

from kb.answers.common import AnswerModel, TermRef
from kb.checks.card import Answer, CheckStatus, LinkState, NextStep, Origin, Severity, SourceName
from kb.model import Lang


class CheckLink(AnswerModel):
    """A check that is linked to a case by a replay."""

    id: str
    title: str
    kind: SourceName
    severity: Severity
    status: CheckStatus
    link: LinkState
    how: str
    replay: str
    """File name of the replay below the check's `replays/`."""
    page: str


class CheckBrief(AnswerModel):
    """A check as it stands in any list."""

    id: str
    title: str
    kind: SourceName
    severity: Severity
    status: CheckStatus
    catches: tuple[str, ...]
    cases: tuple[str, ...]
    """Cases whose replay this check must find and does."""
    page: str


class CheckListAnswer(AnswerModel):
    count: int
    """The total, over all pages."""
    checks: tuple[CheckBrief, ...]
    next_cursor: str | None
    data_version: str


class MetricAnswer(AnswerModel):
    name: str
    also: tuple[str, ...]
    exporter: str
    default_on: bool
    switch_on: str | None


class KnobAnswer(AnswerModel):
    name: str
    default: str
    reason: str
    source: str


class ReferenceAnswer(AnswerModel):
    title: str
    url: str


class SeriesAnswer(AnswerModel):
    """One series of a replay. Between its points it runs straight; a point without a value begins a gap."""

    name: str
    labels: dict[str, str]
    found: bool
    """Whether a finding of this replay names it."""
    points: tuple[tuple[float, float | None], ...]
    """Seconds from the start of the data, and value."""


class LogLineAnswer(AnswerModel):
    """One message of a replayed log."""

    file: str
    number: int
    seconds: float | None
    """From the first line that has a time; nothing where the line has none."""
    text: str
    found: bool
    """Whether a finding of this replay rests on it."""


class ObjectAnswer(AnswerModel):
    """One Kubernetes object of a replay."""

    name: str
    """`Pod default/web-0`."""
    text: str
    """Its manifest with its status, as YAML; shortened where it is long."""
    found: bool
    """Whether a finding of this replay rests on it."""


class HeatMark(AnswerModel):
    """A verdict on a facet: first and last row and column; `named` where it accuses somebody."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    kind: str
    named: bool


class HeatFacet(AnswerModel):
    """One phase of a training job. A text a row, one sign a column: blank unknown, `-` shorter than comparable ranks,
    `0` as they, `1` to `4` longer by 1.15, 1.3, 2 and 4 times."""

    phase: str
    shades: tuple[str, ...]
    marks: tuple[HeatMark, ...]


class HeatAnswer(AnswerModel):
    """Rank × step of a replayed training job; of transfers, sender × receiver; of calls, rank × operation."""

    facets: tuple[HeatFacet, ...]
    ranks: tuple[tuple[int, int], ...]
    """First and last rank of each row."""
    columns: tuple[tuple[int, int], ...]
    """First and last number of each column."""
    across: str
    """What columns are: `step`, `rank`, `operation`."""
    said: str
    """What it shows, in a sentence."""


class ReplayChart(AnswerModel):
    """What a replay looks like, for drawing. Moments are seconds from the start of the data."""

    series: tuple[SeriesAnswer, ...]
    """Of the metrics that the rule judges; with found ones first."""
    lines: tuple[LogLineAnswer, ...]
    starts: str | None
    """Clock time of the start, where the report gives it."""
    length: float
    """Seconds from the start to the moment the check is asked."""
    threshold: str | None
    """As the rule states it: `> 0`."""
    direct: bool
    """Whether the rule compares the series themselves with the threshold, and not a value computed from them."""
    hold: float
    """Seconds that the rule has to hold."""
    fired_at: float | None
    people_knew_at: float | None
    looked_at: int
    reason_kinds: tuple[str, ...]
    """Why it was blind, where it was."""
    objects: tuple[ObjectAnswer, ...] = ()
    """Of a replay of a Kubernetes API; found ones first."""
    heat: HeatAnswer | None = None
    """Of a replay of step records."""


class ReplayAnswer(AnswerModel):
    name: str
    must: Answer
    origin: Origin
    case: str | None
    how: str | None
    link: LinkState | None
    passes: bool
    answer: Answer | None
    fired_at: str | None
    people_knew_at: str | None
    published: tuple[str, ...]
    filled_in: tuple[str, ...]
    note: str | None
    chart: ReplayChart | None
    """Absent where the replay has neither series nor lines."""


class CheckAnswer(AnswerModel):
    id: str
    title: str
    about: str
    kind: SourceName
    severity: Severity
    status: CheckStatus
    catches: tuple[str, ...]
    terms: tuple[TermRef, ...]
    cases: tuple[str, ...]
    titles: dict[str, str]
    """Case id → title, for `cases`."""
    metrics: tuple[MetricAnswer, ...]
    objects: tuple[str, ...]
    logs: tuple[str, ...]
    rule: str | None
    """The PromQL text, or nothing where the check is a function."""
    hold: str | None
    knobs: tuple[KnobAnswer, ...]
    false_positives: tuple[str, ...]
    next_step: NextStep
    next_step_detail: str | None
    references: tuple[ReferenceAnswer, ...]
    replays: tuple[ReplayAnswer, ...]
    page: str
    lang: Lang
    lang_fallback: tuple[str, ...]
    data_version: str
