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
    checks: tuple[CheckBrief, ...]
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
