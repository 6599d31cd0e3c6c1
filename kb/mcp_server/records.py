"""Compact forms of whole records: one check, one case."""

from typing import Annotated

from pydantic import BeforeValidator

from kb.mcp_server.outputs import ListedOut, Names, Out, Row, Slugs, Texts

Value = Annotated[str | None, BeforeValidator(lambda duration: duration and duration.value)]


class KnobRow(Out):
    name: str
    default: str
    reason: str


class ReplayRow(Out):
    name: str
    must: str
    origin: str
    passes: bool
    case: str | None = None
    how: str | None = None


class CheckOut(ListedOut):
    id: str
    title: str
    about: str
    kind: str
    severity: str
    status: str
    catches: Texts
    cases: Texts
    metrics: Names
    objects: Texts
    logs: Texts
    rule: str | None = None
    hold: str | None = None
    knobs: tuple[KnobRow, ...]
    false_positives: Texts
    next_step: str
    next_step_detail: str | None = None
    replays: tuple[ReplayRow, ...]
    page: str
    data_version: str


class NarrativePart(Out):
    symptom: str
    cause: str | None = None
    trigger: str | None = None
    detection: str | None = None
    lessons: str | None = None


class ImpactPart(Out):
    scope: str | None = None
    users: str | None = None
    regions: str | None = None


class TimePart(Out):
    at: str | None = None
    text: str


class SourcePart(Out):
    id: str
    url: str
    title: str
    publisher: str
    kind: str
    archived: str | None = None
    read: str


class ClaimPart(Out):
    value: str
    text: str
    source: str
    where: str
    basis: str


class CheckPart(Out):
    id: str
    title: str
    status: str
    link: str
    how: str


class SimilarPart(Out):
    id: str
    title: str
    score: float
    reason: str


class RelationPart(Out):
    kind: str
    id: str


class ReviewPart(Out):
    status: str
    on: str
    note: str | None = None


class IncidentOut(Row):
    summary: str
    severity: str | None = None
    impact: ImpactPart
    time_to_detect: Value = None
    time_to_recover: Value = None
    narrative: NarrativePart
    timeline: tuple[TimePart, ...]
    actions: Texts
    follow_ups: Texts
    evidence: Texts
    sources: tuple[SourcePart, ...]
    claims: tuple[ClaimPart, ...]
    checks: tuple[CheckPart, ...]
    no_check: str | None = None
    similar_cases: tuple[SimilarPart, ...]
    relations: tuple[RelationPart, ...]
    related_terms: Slugs
    review: ReviewPart
    lang_fallback: Texts
    cut: Texts
    data_version: str
