"""The answers for those who keep a copy: the files that can be fetched whole, and what changed since when."""

from enum import StrEnum

from kb.answers.common import AnswerModel
from kb.model import Domain, Lang, ReviewStatus

LICENCE = "CC-BY-4.0"
ATTRIBUTION = "Name the Incident Library and the ids of the cases; each case names the reports that it rests on."


class ExportFile(AnswerModel):
    name: str
    """Its address is `/api/v1/export/{name}`."""
    scope: str
    """`all`, or the domain."""
    media_type: str
    bytes: int
    gzip_bytes: int | None
    """Size in transit with `Accept-Encoding: gzip`; absent where the file is packed already."""
    sha256: str
    cases: int


class ExportManifest(AnswerModel):
    """The files of this build. Cases of one's own are in none of them."""

    files: tuple[ExportFile, ...]
    licence: str = LICENCE
    attribution: str = ATTRIBUTION
    data_version: str


class ChangeKind(StrEnum):
    upsert = "upsert"
    remove = "remove"


class Change(AnswerModel):
    """What a copy has to do about one case: take it anew, or drop it."""

    id: str
    change: ChangeKind
    on: str
    """Day of the review that the change came with."""
    status: ReviewStatus
    digest: str
    """Over the whole content of the case; equal digests need no fetch."""
    reason: str | None
    """Of a removal."""
    replaced_by: tuple[str, ...]


class ChangesAnswer(AnswerModel):
    """Newest first. `since` is a day and that day is included, so nothing is missed and a little comes twice."""

    since: str | None
    count: int
    """Over all pages."""
    changes: tuple[Change, ...]
    next_cursor: str | None
    data_version: str


class FeedEntry(AnswerModel):
    id: str
    title: str
    summary: str
    org_name: str
    on: str
    """Day on which the library last took the case in or changed it."""
    date: str | None
    """Day of the event."""
    domain: Domain
    tags: tuple[str, ...]
    page: str


class FeedAnswer(AnswerModel):
    """The public cases that came in or changed last, newest first."""

    entries: tuple[FeedEntry, ...]
    updated: str
    """Day of the newest entry, else of the data."""
    lang: Lang
    data_version: str
