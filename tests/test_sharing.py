"""How alike cases are in what they are classified by, counted a second time value by value."""

import pytest

from kb.library import Library
from kb.library.sharing import DIAGNOSIS, Sharing, values_of


def test_alikeness_is_the_weighted_share_of_common_values(library: Library) -> None:
    cases = [case.incident for case in library._store.cases.values()]
    sharing = Sharing(cases)
    for case in cases[:12]:
        mine, found = values_of(case), sharing.alike(values_of(case))
        for number, other in enumerate(cases):
            theirs = values_of(other)
            common = sum(min(mine[value], theirs[value]) for value in mine if value in theirs)
            assert (number in found) == (common > 0)
            if common:
                assert found[number] == pytest.approx(common / (sum(mine.values()) + sum(theirs.values()) - common))


def test_a_case_is_wholly_like_itself_and_the_main_values_count_double(library: Library) -> None:
    case = next(case.incident for case in library._store.cases.values() if len(case.incident.symptoms) > 1)

    assert Sharing([case]).alike(values_of(case)) == {0: 1.0}
    assert [values_of(case)[DIAGNOSIS[0], slug] for slug in case.symptoms[:2]] == [2.0, 1.0]


def test_values_that_no_case_carries_are_shared_with_none(library: Library) -> None:
    case = next(iter(library._store.cases.values())).incident

    assert Sharing([]).alike(values_of(case)) == {}
