"""What the files hold: a case, and what its parts are made of.

These are the shapes of `data/incidents/*.yaml`; `schemas/case.schema.json` is generated from `Incident`, and
`kb.vocabulary` has the shapes of `data/vocabulary/*.yaml`. Every class is strict: an unknown key is an error, never
dropped. What is absent in a report is absent here.
"""

import hashlib
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

ID_PATTERN = r"^[A-Z]{2,8}-\d{4,}$"
#: Ids of the public library; cases with another prefix are somebody's own and leave the house in no export.
PUBLIC_PREFIX = "IL-"
SLUG_PATTERN = r"^[a-z0-9]+(-[a-z0-9]+)*$"
CHECK_ID_PATTERN = r"^[a-z_]+/[a-z][a-z0-9_]*$"
DURATION_PATTERN = r"^P(\d+D(T(\d+H)?(\d+M)?(\d+S)?)?|T(\d+H)?(\d+M)?(\d+S)?)$"
#: A date, or a date-time to the minute or second; the offset is there only if the report states a zone.
MOMENT_PATTERN = r"^\d{4}(-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?)?)?)?$"

CaseId = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
Slug = Annotated[str, StringConstraints(pattern=SLUG_PATTERN)]
CheckId = Annotated[str, StringConstraints(pattern=CHECK_ID_PATTERN)]
Iso8601Duration = Annotated[str, StringConstraints(pattern=DURATION_PATTERN, min_length=3)]
Moment = Annotated[str, StringConstraints(pattern=MOMENT_PATTERN)]
NonEmpty = Annotated[str, StringConstraints(min_length=1)]
Url = Annotated[str, StringConstraints(pattern=r"^https?://\S+$")]


class Lang(StrEnum):
    en = "en"
    ko = "ko"


class Domain(StrEnum):
    kubernetes = "kubernetes"
    ai_infra = "ai-infra"


class Kind(StrEnum):
    """The five kinds of the vocabulary, in the order of diagnosis; organisations come last."""

    symptoms = "symptoms"
    components = "components"
    root_causes = "root_causes"
    factors = "factors"
    orgs = "orgs"

    @property
    def filter_name(self) -> str:
        """The singular name by which a question filters on this kind."""
        return self.value[:-1]


class Precision(StrEnum):
    minute = "minute"
    day = "day"
    month = "month"
    year = "year"


class SourceKind(StrEnum):
    postmortem = "postmortem"
    paper = "paper"
    issue = "issue"
    status = "status"
    talk = "talk"
    secondary = "secondary"


class ReadExtent(StrEnum):
    full = "full"
    part = "part"


class Basis(StrEnum):
    stated = "stated"
    derived = "derived"


class RelationKind(StrEnum):
    same_event = "same-event"
    same_failure_mode = "same-failure-mode"
    follow_up_of = "follow-up-of"
    same_paper = "same-paper"
    superseded_by = "superseded-by"


class ReviewStatus(StrEnum):
    draft = "draft"
    provisional = "provisional"
    approved = "approved"
    superseded = "superseded"
    withdrawn = "withdrawn"


SERVED = frozenset({ReviewStatus.approved, ReviewStatus.provisional})


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(Strict):
    """A passage in English and, once somebody has written it, in Korean."""

    en: NonEmpty
    ko: NonEmpty | None = None

    def say(self, lang: Lang) -> tuple[str, bool]:
        """The passage in `lang`, and whether English had to stand in for Korean."""
        if lang is Lang.ko:
            return (self.ko, False) if self.ko else (self.en, True)
        return self.en, False


class Dated(Strict):
    at: Moment
    precision: Precision


class Dates(Strict):
    occurred: Dated | None = None
    ended: Dated | None = None
    published: Dated | None = None


class Impact(Strict):
    scope: Text | None = None
    users: Text | None = None
    regions: Text | None = None


class Duration(Strict):
    """An ISO 8601 duration, stated by the report or derived from its clock times."""

    value: Iso8601Duration
    basis: Basis
    working: NonEmpty | None = None
    """The arithmetic, required when derived: `15:10 − 14:02`."""


class Narrative(Strict):
    symptom: Text
    cause: Text | None = None
    trigger: Text | None = None
    detection: Text | None = None
    lessons: Text | None = None


class TimelineEntry(Strict):
    at: Moment | None = None
    """Absent where the report gives only the order."""
    text: Text


class Phrases(Strict):
    en: tuple[NonEmpty, ...] = ()
    ko: tuple[NonEmpty, ...] = ()


class Source(Strict):
    id: Annotated[str, StringConstraints(pattern=r"^S\d+$")]
    url: Url
    title: NonEmpty
    publisher: NonEmpty
    published: Moment | None = None
    kind: SourceKind
    archived: Url | None = None
    read: ReadExtent
    checked: Moment
    """The day this source was last opened and compared with the case."""


class Claim(Strict):
    """One figure or fact that a reader may rely on, and where it stands."""

    id: Annotated[str, StringConstraints(pattern=r"^c\d+$")]
    value: NonEmpty
    """The figure itself, without a language: `170–280 ms`, `Xid 79`, `24,576`."""
    text: Text
    """What the figure says."""
    source: Annotated[str, StringConstraints(pattern=r"^S\d+$")]
    where: NonEmpty
    """Section, page, table, heading or paragraph of that source."""
    basis: Basis = Basis.stated
    working: NonEmpty | None = None
    """The arithmetic, required when derived."""


class Relation(Strict):
    kind: RelationKind
    id: CaseId


class Review(Strict):
    status: ReviewStatus
    on: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    note: Text | None = None


class Incident(Strict):
    """One case: `data/incidents/IL-0477.yaml`."""

    id: CaseId
    slug: Slug
    domain: Domain
    org: Slug
    title: Text
    summary: Text
    dates: Dates = Dates()
    severity: Text | None = None
    """Only as the organisation states it."""
    impact: Impact = Impact()
    time_to_detect: Duration | None = None
    time_to_recover: Duration | None = None
    symptoms: tuple[Slug, ...] = Field(min_length=1)
    components: tuple[Slug, ...] = ()
    root_causes: tuple[Slug, ...] = Field(min_length=1)
    factors: tuple[Slug, ...] = ()
    narrative: Narrative
    timeline: tuple[TimelineEntry, ...] = ()
    actions: tuple[Text, ...] = ()
    follow_ups: tuple[Text, ...] = ()
    phrases: Phrases = Phrases()
    evidence: tuple[NonEmpty, ...] = ()
    """Exact strings and codes that the report shows."""
    sources: tuple[Source, ...] = Field(min_length=1)
    claims: tuple[Claim, ...] = ()
    no_check: Text | None = None
    """Why nothing observable would have caught this; absent when a replay may yet be written."""
    relations: tuple[Relation, ...] = ()
    review: Review

    @property
    def digest(self) -> str:
        """Sixteen hex digits over everything that the case says."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    def terms(self, kind: Kind) -> tuple[str, ...]:
        """The slugs of one kind, the main one first."""
        if kind is Kind.orgs:
            return (self.org,)
        # A kind is the name of its field; `.value` costs more than all the rest here.
        slugs: tuple[str, ...] = getattr(self, kind)
        return slugs

    @property
    def date(self) -> tuple[str | None, Precision | None, Literal["occurred", "published"] | None]:
        """The date a list shows and sorts by, its precision and its basis: occurred, else published."""
        for basis in ("occurred", "published"):
            dated: Dated | None = getattr(self.dates, basis)
            if dated:
                return dated.at, dated.precision, basis
        return None, None, None
