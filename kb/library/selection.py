"""Which cases a question selects, in which order, and how often each value occurs among them."""

from collections.abc import Collection, Iterable, Set

from kb.answers import Facet
from kb.library.store import Store
from kb.model import Kind, Lang
from kb.questions import FILTER_NAMES, Filters, Sort

KIND_OF_FILTER = {kind.filter_name: kind for kind in Kind}


def filtered(store: Store, question: Filters) -> Set[str]:
    """Ids of the cases that carry all the filters.

    Raises:
        UnknownValue: a filter whose slug does not exist.
    """
    selected: Set[str] = store.orders.all
    for name in FILTER_NAMES:
        value = getattr(question, name)
        if value is None:
            continue
        if name == "domain":
            selected &= store.orders.by_domain[value]
            continue
        kind = KIND_OF_FILTER[name]
        slug = store.vocabulary.require(kind, value, field=name).slug
        selected &= store.by_term.get((kind, slug), frozenset())
    return selected


def ordered(store: Store, ids: Collection[str], sort: Sort) -> list[str]:
    return store.orders.of(ids, sort)


def within(store: Store, ids: Set[str], since: str | None, until: str | None) -> tuple[Set[str], int]:
    """Cases whose date lies in the range, and how many undated ones fell out. A month is its whole length."""
    if since is None and until is None:
        return ids, 0
    kept, undated, dates = set(), 0, store.orders.date
    for case_id in ids:
        at = dates[case_id]
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
    return store.counts.facets([store.number[i] for i in ids], lang)
