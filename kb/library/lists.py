"""list_incidents: the cases that carry all the filters, paged both ways, with counts of every kind."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from kb.answers import CaseBrief, ListAnswer
from kb.library import briefs, cursors, selection
from kb.library.cursors import Cursor
from kb.library.ordering import key
from kb.library.ranking import rank
from kb.library.store import Store
from kb.questions import ListIncidents, SearchIncidents, Sort


def list_incidents(store: Store, question: ListIncidents, data_version: str) -> ListAnswer:
    about = question.given() | {"since": question.since, "until": question.until, "sort": question.sort}
    mark = cursors.fingerprint("list", about)
    cursor = cursors.read(question.cursor, mark)
    ids, undated = selection.within(store, selection.filtered(store, question), question.since, question.until)
    ranked = selection.ordered(store, ids, question.sort)
    start = position(store, ranked, cursor, question.sort, question.limit)
    page = ranked[start : start + question.limit]
    last = start + question.limit >= len(ranked)
    return ListAnswer(
        count=len(ranked),
        first=start + 1 if page else 0,
        cases=tuple(briefs.brief(store, i, question.lang, question.detail) for i in page),
        facets=selection.facets(store, ranked, question.lang),
        next_cursor=None if last or not page else cursors.write(Cursor(page[-1]), mark),
        previous_cursor=None if start == 0 or not page else cursors.write(Cursor(page[0], back=True), mark),
        undated_excluded=undated,
        lang=question.lang,
        data_version=data_version,
    )


def outline(store: Store, question: ListIncidents | SearchIncidents, _data_version: str) -> tuple[CaseBrief, ...]:
    """Every case of the selection in its order, briefly and without pages: what graphs, maps and site lists draw."""
    if isinstance(question, SearchIncidents):
        shown = rank(store, question.symptoms, selection.filtered(store, question)).shown
        return tuple(briefs.brief(store, match.id, question.lang) for match in shown)
    ids, _ = selection.within(store, selection.filtered(store, question), question.since, question.until)
    ranked = selection.ordered(store, ids, question.sort)
    return tuple(briefs.brief(store, i, question.lang) for i in ranked)


def position(store: Store, ranked: Sequence[str], cursor: Cursor | None, sort: Sort, limit: int) -> int:
    """Index of the first case of the page. A case that has left the selection still marks its place."""
    if cursor is None:
        return 0
    known = store.cases.get(cursor.key)
    incident = known.incident if known else store.unserved.get(cursor.key)
    if incident is None:
        return 0
    dates = store.orders.date
    beside = key(cursor.key, incident.date[0], sort)
    where = bisect_left if cursor.back else bisect_right
    at = where(ranked, beside, key=lambda i: key(i, dates[i], sort))
    return max(0, at - limit) if cursor.back else at
