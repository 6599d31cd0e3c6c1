"""The graph of a selection: which rows, which lines, in which order, and how fast."""

import itertools
import random
import re
import time

import pytest

from kb.web.graph import STRONGEST, Graph, Style, build
from kb.web.graph_lines import BUSIEST, MORE, NONE, ROW
from kb.web.graph_table import GraphCase


def synthetic(count: int) -> list[GraphCase]:
    """Cases with as many values as the real vocabulary has, the first ones far more frequent."""
    dice = random.Random(7)

    def some(prefix: str, values: int, least: int) -> tuple[str, ...]:
        picks = (f"{prefix}{int(dice.paretovariate(0.7)) % values}" for _ in range(dice.randint(least, 3)))
        return tuple(dict.fromkeys(picks))

    return [
        GraphCase(
            f"IL-{i:04}",
            f"org{dice.randint(0, 20)}",
            (some("s", 33, 1), some("c", 33, 0), some("r", 28, 1), some("f", 28, 0)),
        )
        for i in range(count)
    ]


def case(name: str, *values: str) -> GraphCase:
    s, c, r, f = (tuple(part.split()) for part in values)
    return GraphCase(name, f"org-{name}", (s, c, r, f))


def slugs(graph: Graph, column: int) -> list[str]:
    return [node.slug for node in graph.columns[column].nodes]


def ends(d: str) -> tuple[float, float]:
    numbers = [float(n) for n in re.findall(r"[\d.]+", d)]
    return numbers[1], numbers[-1]


@pytest.mark.parametrize(
    ("count", "style"), [(3, "threads"), (12, "threads"), (13, "bands"), (60, "bands"), (61, "strongest")]
)
def test_the_number_of_cases_decides_how_the_graph_is_drawn(count: int, style: str) -> None:
    assert build(synthetic(count)).style == style


@pytest.mark.parametrize("count", [3, 40, 500])
def test_the_same_cases_draw_the_same_graph(count: int) -> None:
    assert build(synthetic(count)) == build(synthetic(count))


@pytest.mark.parametrize(("count", "milliseconds"), [(3, 8), (40, 25), (500, 90)])
def test_a_graph_is_computed_while_the_page_is_made(count: int, milliseconds: int) -> None:
    cases = synthetic(count)

    def once() -> float:
        started = time.perf_counter()
        build(cases)
        return time.perf_counter() - started

    assert min(once() for _ in range(7)) * 1000 < milliseconds


@pytest.mark.parametrize("count", [3, 40, 500])
def test_no_column_has_more_than_eleven_rows_unless_its_rows_are_the_cases(count: int) -> None:
    graph = build(synthetic(count))

    assert all(len(column.nodes) <= 12 for column in graph.columns)
    assert graph.rows == max(len(column.nodes) for column in graph.columns)


def test_values_beyond_the_ninth_are_folded_and_counted() -> None:
    cases = [case(f"A{i}", f"s{i % 13}", "c", "r", "f") for i in range(26)]

    column = build(cases).columns[0]

    assert column.distinct == 13
    assert [node.slug for node in column.nodes][-1] == MORE
    assert (column.nodes[-1].hidden, column.nodes[-1].count) == (4, 8)


def test_a_tenth_value_gets_the_row_that_one_more_would_take() -> None:
    cases = [case(f"A{i}", f"s{i % 10}", "c", "r", "f") for i in range(20)]

    assert MORE not in slugs(build(cases), 0)


def test_silence_has_a_row_of_its_own_at_the_foot() -> None:
    cases = [*(case(f"A{i}", f"s{i % 13}", "c", "r", "f") for i in range(26)), case("B", "s0", "", "r", "")]
    graph = build(cases)

    assert slugs(graph, 1)[-1] == NONE
    assert slugs(graph, 3)[-1] == NONE
    assert graph.columns[3].nodes[-1].count == 1


def test_a_case_runs_through_its_first_value_that_is_not_filtered_on() -> None:
    cases = [case(f"A{i}", "shared own", "c", "r", "f") for i in range(13)]

    unfiltered = build(cases)
    filtered = build(cases, ["shared"])

    def left_end(graph: Graph) -> str:
        row = int(ends(graph.lines[0].d)[0] // ROW)
        return slugs(graph, 0)[row]

    assert left_end(unfiltered) == "shared"
    assert left_end(filtered) == "own"
    assert all(node.count == 13 for node in filtered.columns[0].nodes)


def test_further_values_are_dotted_in_a_small_graph_and_only_counted_in_a_larger_one() -> None:
    few = [case("A", "s1 s2", "c", "r", "f"), case("B", "s1", "c", "r", "f")]
    many = few * 8

    assert sum(line.css == "d" for line in build(few).lines) == 1
    assert not any(line.css == "d" for line in build(many).lines)
    assert {n.slug: n.count for n in build(many).columns[0].nodes} == {"s1": 16, "s2": 8}


def test_a_small_graph_ends_in_its_cases_and_a_larger_one_in_organisations() -> None:
    assert sorted(slugs(build(synthetic(3)), 4)) == ["IL-0000", "IL-0001", "IL-0002"]
    assert all(slug.startswith("org") or slug == MORE for slug in slugs(build(synthetic(40)), 4))


def test_rows_are_ordered_so_that_lines_need_not_cross() -> None:
    cases = [case(f"A{i}", f"s{i % 3}", f"c{2 - i % 3}", f"r{(i + 1) % 3}", f"f{i % 3}") for i in range(15)]

    lines = [ends(line.d) for line in build(cases).lines if line.d.startswith("M160 ")]

    assert [right for _, right in sorted(lines)] == sorted(right for _, right in lines)


@pytest.mark.parametrize("count", [40, 500])
def test_bands_at_one_row_neither_overlap_nor_leave_it(count: int) -> None:
    graph = build(synthetic(count))
    stacks: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for line in graph.lines:
        y, _ = ends(line.d)
        stacks.setdefault((line.d.split(" ")[0], int(y // ROW)), []).append((y - line.width / 2, y + line.width / 2))
    for (_, row), bands in stacks.items():
        bands.sort()
        middle = row * ROW + ROW / 2
        assert bands[0][0] >= middle - BUSIEST
        assert bands[-1][1] <= middle + BUSIEST
        assert all(after[0] >= before[1] - 1 for before, after in itertools.pairwise(bands))


def test_a_large_graph_draws_the_strongest_bands_and_says_what_share_it_leaves_out() -> None:
    graph = build(synthetic(500))
    per_gutter = [sum(line.d.startswith(f"M{x} ") for line in graph.lines) for x in (160, 370, 580, 790)]

    assert max(per_gutter) == STRONGEST
    assert 0 < graph.hidden_share < 100
    assert build(synthetic(40)).hidden_share == 0


def test_leftovers_do_not_thin_the_bands_of_values() -> None:
    cases = [case(f"A{i}", f"s{i % 60}", "c", "r", "f") for i in range(60)]
    lone = [line for line in build(cases).lines if line.d.startswith("M160 ") and line.css == ""]
    leftovers = [line for line in build(cases).lines if line.d.startswith("M160 ") and line.css == "o"]

    assert [len(line.keys.split()) for line in leftovers] == [51]
    assert lone[0].width > leftovers[0].width / 51


def test_nodes_and_lines_say_which_cases_they_stand_for() -> None:
    graph = build([case("A", "s1", "c", "r", "f"), case("B", "s2", "c", "r", "f")])

    assert {node.slug: node.keys for node in graph.columns[0].nodes} == {"s1": "0", "s2": "1"}
    assert {line.keys for line in graph.lines} == {"0", "1"}


def test_lines_of_a_large_graph_name_the_two_rows_they_join() -> None:
    graph = build(synthetic(61))
    rows = {node.keys for column in graph.columns for node in column.nodes}

    assert all(set(line.keys.split()) <= rows and len(line.keys.split()) == 2 for line in graph.lines)


def test_the_table_names_the_strongest_pairs_and_no_leftovers() -> None:
    pairs = build(synthetic(500)).pairs

    assert pairs
    assert not {MORE, NONE} & {slug for pair in pairs for slug in (pair.left, pair.right)}
    for column in range(3):
        counts = [pair.count for pair in pairs if pair.column == column]
        assert counts == sorted(counts, reverse=True)


def test_styles_are_the_ones_the_pages_have_words_for() -> None:
    assert {f"graph_{style}" for style in Style} == {"graph_threads", "graph_bands", "graph_strongest"}
