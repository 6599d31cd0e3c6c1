"""changes, feed and the exported files: for those who keep a copy or follow what comes in. Public cases only."""

from pathlib import Path

from kb.answers import (
    Change,
    ChangeKind,
    ChangesAnswer,
    ExportFile,
    ExportManifest,
    FeedAnswer,
    FeedEntry,
)
from kb.errors import NotFound
from kb.library import briefs, cursors, selection
from kb.library.cursors import Cursor
from kb.library.store import Store
from kb.model import Incident, Kind, Lang, RelationKind, ReviewStatus
from kb.nearest import nearest
from kb.questions import Changes, Feed

UNSERVED = {
    Lang.en: {
        ReviewStatus.draft: "It is a draft and is not served.",
        ReviewStatus.superseded: "It is superseded.",
        ReviewStatus.withdrawn: "It is withdrawn.",
    },
    Lang.ko: {
        ReviewStatus.draft: "초안이라 제공하지 않습니다.",
        ReviewStatus.superseded: "다른 사례로 대체되었습니다.",
        ReviewStatus.withdrawn: "철회되었습니다.",
    },
}
TAGS = (Kind.symptoms, Kind.components, Kind.root_causes, Kind.factors)


def changes(store: Store, question: Changes, data_version: str) -> ChangesAnswer:
    """Every public record reviewed on or after `since`, newest first; what is not served (any more) as a removal."""
    since = question.since.split(".", 1)[0] if question.since else None
    mark = cursors.fingerprint("changes", {"since": since})
    cursor = cursors.read(question.cursor, mark)
    records = [_record(store, case_id) for case_id in sorted(store.public)]
    found = sorted((r for r in records if since is None or r.review.on[: len(since)] >= since), key=_newest_first)
    start = _position(store, found, cursor)
    page = found[start : start + question.limit]
    more = start + question.limit < len(found)
    return ChangesAnswer(
        since=since,
        count=len(found),
        changes=tuple(_change(store, record, question.lang) for record in page),
        next_cursor=cursors.write(Cursor(page[-1].id), mark) if page and more else None,
        data_version=data_version,
    )


def _record(store: Store, case_id: str) -> Incident:
    held = store.cases.get(case_id)
    return held.incident if held else store.unserved[case_id]


def _newest_first(record: Incident) -> tuple[int, str]:
    return -int(record.review.on.replace("-", "")), record.id


def _position(store: Store, found: list[Incident], cursor: Cursor | None) -> int:
    """A record that has moved since still marks the place where it stands now."""
    if cursor is None or cursor.key not in store.public:
        return 0
    beside = _newest_first(_record(store, cursor.key))
    return sum(1 for record in found if _newest_first(record) <= beside)


def _change(store: Store, record: Incident, lang: Lang) -> Change:
    served = record.id in store.cases
    status = record.review.status
    note = record.review.note.say(lang)[0] if record.review.note and status is not ReviewStatus.draft else None
    return Change(
        id=record.id,
        change=ChangeKind.upsert if served else ChangeKind.remove,
        on=record.review.on,
        status=status,
        digest=record.digest,
        reason=None if served else note or UNSERVED[lang][status],
        replaced_by=tuple(r.id for r in record.relations if r.kind is RelationKind.superseded_by),
    )


def feed(store: Store, question: Feed, data_version: str) -> FeedAnswer:
    ids = selection.filtered(store, question) & store.public
    newest = sorted((store.cases[i].incident for i in ids), key=_newest_first)[: question.limit]
    return FeedAnswer(
        entries=tuple(_entry(store, incident, question.lang) for incident in newest),
        updated=newest[0].review.on if newest else data_version.split(".", 1)[0],
        lang=question.lang,
        data_version=data_version,
    )


def _entry(store: Store, incident: Incident, lang: Lang) -> FeedEntry:
    brief = briefs.brief(store, incident.id, lang)
    return FeedEntry(
        id=incident.id,
        title=brief.title,
        summary=incident.summary.say(lang)[0],
        org_name=brief.org_name,
        on=incident.review.on,
        date=brief.date,
        domain=brief.domain,
        tags=tuple(store.vocabulary.name(kind, slug, lang) for kind in TAGS for slug in incident.terms(kind)),
        page=brief.page,
    )


def export(store: Store, name: str) -> tuple[ExportFile, Path]:
    """One file of the build and where it lies; the packed form, if there is one, has `.gz` behind the path.

    Raises:
        NotFound: no file of that name, with the nearest.
    """
    manifest: ExportManifest = store.exports
    for file in manifest.files:
        if file.name == name:
            return file, store.export_folder / name
    names = [file.name for file in manifest.files]
    raise NotFound(f"There is no export `{name[:60]}`.", field="name", allowed=names, nearest=nearest(name, names))
