"""Which cases a question selects, in which order, and how often each value occurs among them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from kb.answers import Facet, FacetValue
from kb.library.store import Store
from kb.model import Incident, Kind, Lang
from kb.questions import FILTER_NAMES, Filters, Sort

KIND_OF_FILTER = {kind.filter_name: kind for kind in Kind}


def filtered(store: Store, question: Filters) -> set[str]:
    """Ids of the cases that carry all the filters.

    Raises:
        UnknownValue: a filter whose slug does not exist.
    """
    selected = set(store.cases)
    for name in FILTER_NAMES:
        value = getattr(question, name)
        if value is None:
            continue
        if name == "domain":
            selected = {i for i in selected if store.cases[i].incident.domain == value}
            continue
        kind = KIND_OF_FILTER[name]
        slug = store.vocabulary.require(kind, value, field=name).slug
        selected &= store.by_term.get((kind, slug), frozenset())
    return selected


def sort_key(incident: Incident, sort: Sort) -> tuple[int, str, str]:
    """Ascending in the order asked for; undated cases come last in both directions."""
    return _sort_key(incident.id, incident.date[0], sort)


@lru_cache(10_000)
def _sort_key(case_id: str, at: str | None, sort: Sort) -> tuple[int, str, str]:
    if sort is Sort.id:
        return 0, "", _padded(case_id)
    if at is None:
        return 1, "", _padded(case_id)
    return 0, at if sort is Sort.oldest else _reversed(at), _padded(case_id)


def ordered(store: Store, ids: Iterable[str], sort: Sort) -> list[str]:
    return sorted(ids, key=lambda i: sort_key(store.cases[i].incident, sort))


def _padded(case_id: str) -> str:
    prefix, number = case_id.rsplit("-", 1)
    return f"{prefix}-{int(number):09d}"


def _reversed(text: str) -> str:
    """A string that sorts the other way round: digits complemented, and longer (more precise) first."""
    return "".join(chr(ord("9") - int(c)) if c.isdigit() else c for c in text) + "~"


def within(store: Store, ids: set[str], since: str | None, until: str | None) -> tuple[set[str], int]:
    """Cases whose date lies in the range, and how many undated ones fell out. A month is its whole length."""
    if since is None and until is None:
        return ids, 0
    kept, undated = set(), 0
    for case_id in ids:
        at = store.cases[case_id].incident.date[0]
        if at is None:
            undated += 1
            continue
        # Dates of different precision are compared over the digits that both have.
        after = since is None or at[: len(since)] >= since[: len(at)]
        before = until is None or at[: len(until)] <= until[: len(at)]
        if after and before:
            kept.add(case_id)
    return kept, undated


def facets(store: Store, ids: Iterable[str], lang: Lang) -> tuple[Facet, ...]:
    """Counts of each value of each kind over the selection, in the order of diagnosis."""
    incidents = [store.cases[i].incident for i in ids]
    return tuple(_facet(store, incidents, kind, lang) for kind in Kind)


def _facet(store: Store, incidents: Sequence[Incident], kind: Kind, lang: Lang) -> Facet:
    carried = [incident.terms(kind) for incident in incidents]
    counts = Counter(slug for slugs in carried for slug in slugs)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return Facet(
        kind=kind,
        filter=kind.filter_name,
        values=tuple(
            FacetValue(slug=slug, name=store.vocabulary.name(kind, slug, lang), count=n) for slug, n in ranked
        ),
        not_stated=sum(1 for slugs in carried if not slugs),
    )
