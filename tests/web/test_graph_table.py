"""A large graph, counted over arrays: the same rows, counts and flows as a walk through the cases gives."""

from collections import Counter

import numpy as np
import pytest

from kb.web.graph import TOP
from kb.web.graph_lines import MORE, NONE
from kb.web.graph_order import ordered
from kb.web.graph_table import CaseTable, GraphCase
from tests.web.test_graph import case, synthetic

CHOSEN = frozenset({"s1", "r1"})


@pytest.mark.parametrize("chosen", [frozenset[str](), CHOSEN])
@pytest.mark.parametrize("step", [1, 3])
def test_rows_and_flows_are_those_of_the_cases_themselves(chosen: frozenset[str], step: int) -> None:
    cases = synthetic(300)
    columns, flows = CaseTable(cases).count(np.arange(0, 300, step), chosen, TOP)

    picked = cases[::step]
    walked = [_walk([each.values[c] for each in picked], chosen) for c in range(4)]
    for column, (counts, shown, _) in zip(columns[:4], walked, strict=True):
        assert {row: column.counts[row] for row in shown} == {row: counts[row] for row in shown}
        assert column.rows[: len(shown)] == shown
        assert column.distinct == len(counts)
    for flow, (_, _, left), (_, _, right) in zip(flows[:3], walked[:-1], walked[1:], strict=True):
        assert flow == Counter(zip(left, right, strict=True))
    assert columns[4].distinct == len({each.org for each in picked})


def _walk(stated: list[tuple[str, ...]], chosen: frozenset[str]) -> tuple[Counter[str], list[str], list[str]]:
    """How often each value is met, which have a row, and the row that each case runs through."""
    counts = Counter(slug for values in stated for slug in values)
    shown = sorted(counts, key=lambda slug: (-counts[slug], slug))[:TOP]
    mains = [next((v for v in values if v not in chosen), values[0] if values else NONE) for values in stated]
    return counts, shown, [main if main in (*shown, NONE) else MORE for main in mains]


def test_leftovers_and_silence_are_counted_by_case_not_by_value() -> None:
    cases = [case(f"A{i}", f"s{i % 13} s{(i + 1) % 13}", "c" if i else "", "r", "f") for i in range(70)]
    columns, _ = CaseTable(cases).count(np.arange(70), (), TOP)

    hidden = {f"s{n}" for n in range(13)} - set(columns[0].rows)
    assert columns[0].hidden == len(hidden) == 4
    assert columns[0].counts[MORE] == sum(bool(hidden & set(each.values[0])) for each in cases)
    assert columns[1].counts[NONE] == 1


def test_a_table_without_any_value_of_a_kind_has_one_silent_row() -> None:
    cases = [GraphCase(f"A{i}", "org", (("s",), (), ("r",), ())) for i in range(3)]
    columns, flows = CaseTable(cases).count(np.arange(3), (), TOP)

    assert (columns[1].rows, columns[1].counts) == ([NONE], {NONE: 3})
    assert flows[0] == {("s", NONE): 3}


def test_rows_stand_where_lines_need_not_cross_and_leftovers_at_the_foot() -> None:
    columns = [["a", "b", "c"], ["z", "y", "x", MORE, NONE]]
    flow = {("a", "x"): 3, ("b", "y"): 2, ("c", "z"): 1, ("a", MORE): 5, ("a", NONE): 1}

    left, right = ordered(columns, [flow])

    assert [row for row in right if row not in (MORE, NONE)] == [{"a": "x", "b": "y", "c": "z"}[row] for row in left]
    assert right[-2:] == [MORE, NONE]
