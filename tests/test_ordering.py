"""The orders of a list, picked out of one that was sorted once; what is kept with a build."""

import pytest

from kb.library import Library
from kb.library.ordering import Orders, key
from kb.model import Domain, Lang
from kb.questions import Detail, ListChecks, ListIncidents, Sort, ask


def orders(library: Library) -> Orders:
    return Orders({case_id: case.incident for case_id, case in library._store.cases.items()})


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize("every", [1, 2, 20])
def test_a_selection_keeps_the_order_of_all(library: Library, sort: Sort, every: int) -> None:
    found = orders(library)
    chosen = sorted(found.all)[::every]

    expected = sorted(chosen, key=lambda i: key(i, found.date[i], sort))
    for ids in (chosen, frozenset(chosen)):
        assert found.of(ids, sort) == expected


def test_newest_and_oldest_are_each_others_reverse_and_undated_cases_come_last_in_both() -> None:
    dates = {"IL-1": "2024-05-01", "IL-2": None, "IL-3": "2023", "IL-10": "2024-05-02"}

    def in_order(sort: Sort) -> list[str]:
        return sorted(dates, key=lambda i: key(i, dates[i], sort))

    newest, oldest, by_id = map(in_order, (Sort.newest, Sort.oldest, Sort.id))

    assert newest == ["IL-10", "IL-1", "IL-3", "IL-2"]
    assert oldest == ["IL-3", "IL-1", "IL-10", "IL-2"]
    assert by_id == ["IL-1", "IL-2", "IL-3", "IL-10"]


def test_every_case_is_of_one_domain(library: Library) -> None:
    found = orders(library)

    assert frozenset().union(*found.by_domain.values()) == found.all
    assert sum(map(len, found.by_domain.values())) == len(found.all)
    assert set(found.by_domain) == set(Domain)


@pytest.mark.parametrize("detail", list(Detail))
def test_a_brief_is_the_same_object_whatever_the_question(library: Library, detail: Detail) -> None:
    first, second = (
        {case.id: case for case in library.list_incidents(ask(ListIncidents, {"detail": detail, **more})).cases}
        for more in (
            {},
            {"sort": "id"},
        )
    )

    assert first.keys() & second.keys()
    assert all(first[case_id] is second[case_id] for case_id in first.keys() & second.keys())
    assert all((case.details is not None) == (detail is Detail.full) for case in first.values())


def test_a_check_is_told_in_the_language_asked_for(library: Library) -> None:
    english, korean = (library.every_check(ask(ListChecks, {"lang": lang})) for lang in Lang)

    assert [check.id for check in english] == [check.id for check in korean]
    assert any(a.title != b.title for a, b in zip(english, korean, strict=True))


def test_what_a_face_makes_of_a_build_is_made_once(library: Library) -> None:
    made: list[Library] = []

    def count(of: Library) -> list[Library]:
        made.append(of)
        return made

    assert library.part(count) is library.part(count)
    assert made == [library]


def test_the_status_counts_the_cases_of_each_domain(library: Library) -> None:
    status, cases = library.status(), library.outline(ask(ListIncidents, {}))

    assert status.by_domain == {d.value: sum(case.domain is d for case in cases) for d in Domain}
    assert status.meaning is library._store.meaning
