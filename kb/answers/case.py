"""The answer to `get_incident`: the whole case in one language."""

from kb.answers.checks import CheckLink
from kb.answers.common import AnswerModel, OrgAnswer, TermRef
from kb.model import Basis, Domain, Lang, Precision, ReadExtent, RelationKind, ReviewStatus, SourceKind


class DatedAnswer(AnswerModel):
    at: str
    precision: Precision


class DatesAnswer(AnswerModel):
    occurred: DatedAnswer | None
    ended: DatedAnswer | None
    published: DatedAnswer | None


class ImpactAnswer(AnswerModel):
    scope: str | None
    users: str | None
    regions: str | None


class DurationAnswer(AnswerModel):
    value: str
    basis: Basis
    working: str | None


class NarrativeAnswer(AnswerModel):
    symptom: str
    cause: str | None
    trigger: str | None
    detection: str | None
    lessons: str | None


class TimelineAnswer(AnswerModel):
    at: str | None
    text: str


class SourceAnswer(AnswerModel):
    id: str
    url: str
    title: str
    publisher: str
    published: str | None
    kind: SourceKind
    archived: str | None
    read: ReadExtent
    checked: str


class ClaimAnswer(AnswerModel):
    id: str
    value: str
    text: str
    source: str
    where: str
    basis: Basis
    working: str | None


class RelationAnswer(AnswerModel):
    kind: RelationKind
    id: str
    title: str | None
    page: str | None


class ReviewAnswer(AnswerModel):
    status: ReviewStatus
    on: str
    note: str | None


class SimilarCase(AnswerModel):
    id: str
    title: str
    org_name: str
    score: float
    reason: str
    page: str


class IncidentAnswer(AnswerModel):
    """The whole case in one language."""

    id: str
    slug: str
    domain: Domain
    org: str
    organisation: OrgAnswer
    title: str
    summary: str
    date: str | None
    date_precision: Precision | None
    date_basis: str | None
    dates: DatesAnswer
    severity: str | None
    impact: ImpactAnswer
    time_to_detect: DurationAnswer | None
    time_to_recover: DurationAnswer | None
    symptoms: tuple[str, ...]
    components: tuple[str, ...]
    root_causes: tuple[str, ...]
    factors: tuple[str, ...]
    terms: tuple[TermRef, ...]
    """The names of all those slugs, in the order of diagnosis."""
    narrative: NarrativeAnswer
    timeline: tuple[TimelineAnswer, ...]
    actions: tuple[str, ...]
    follow_ups: tuple[str, ...]
    phrases: tuple[str, ...]
    evidence: tuple[str, ...]
    sources: tuple[SourceAnswer, ...]
    claims: tuple[ClaimAnswer, ...]
    no_check: str | None
    relations: tuple[RelationAnswer, ...]
    review: ReviewAnswer
    checks: tuple[CheckLink, ...]
    similar_cases: tuple[SimilarCase, ...]
    related_terms: tuple[TermRef, ...]
    """Broader, narrower and most often co-occurring values that the case itself does not carry."""
    page: str
    lang: Lang
    lang_fallback: tuple[str, ...]
    cut: tuple[str, ...]
    """Fields left out or shortened to keep within `budget` or `sections`."""
    data_version: str
