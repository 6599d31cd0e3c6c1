"""The heat map: what is shown, how it is folded, how it is drawn."""

from dataclasses import replace

import numpy as np
import pytest

from kb.model import Lang
from kb.steps.argus import analyse
from kb.steps.c4d import edge_verdicts, hang_verdicts
from kb.steps.folding import GridBuilder
from kb.steps.heat_tables import calls_heat, matrix_heat
from kb.steps.heat_text import sentence, text
from kb.steps.heatmap import COLUMNS, FACETS, ROWS, heat_of, shaded
from kb.steps.records import EdgeTable
from kb.steps.scenarios import made
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind
from tests.steps.test_hangs import calls


def drawn(spec, seed=1):
    builder = GridBuilder()
    builder.add(made(spec, seed).phases)
    grid = builder.grid()
    return heat_of(grid, analyse(grid).verdicts)


@pytest.fixture(scope="module")
def slow():
    return drawn("slow_rank dp=16 bad_dp=7 noise=0.02")


def facet(heat, phase):
    return next(one for one in heat.facets if one.phase == phase)


def test_the_slow_rank_is_hot_from_its_onset_in_its_phase_and_marked(slow):
    backward = facet(slow, "backward")
    assert [mark.rows for mark in backward.marks if mark.named] == [(7, 7)]
    assert backward.marks[0].columns == (60, 119)
    assert set(backward.shades[7][60:]) <= {"2", "3"}
    assert set(backward.shades[7][:60]) == {"0"}
    assert not any(set(row) & {"2", "3", "4"} for rank, row in enumerate(backward.shades) if rank != 7)


def test_its_collective_is_drawn_as_shorter(slow):
    assert set(facet(slow, "dp_reduce_scatter").shades[7][60:]) == {"-"}


def test_the_iteration_is_one_row_against_its_own_past(slow):
    iteration = facet(slow, "iteration")
    assert len(iteration.shades) == 1
    assert set(iteration.shades[0][61:]) <= {"2", "3"}
    assert not any(mark.named for mark in iteration.marks)


def test_shades_follow_their_limits():
    cells = np.array([[np.nan, 0.5, 0.8, 0.81, 1.14, 1.15, 1.3, 2.0, 4.0]])
    assert shaded(cells) == (" --001234",)


def test_the_size_is_bounded_and_the_one_slow_rank_among_many_is_still_seen():
    heat = drawn("slow_rank dp=512 steps=300 bad_dp=300 noise=0.02")
    assert len(heat.facets) <= FACETS
    shades = facet(heat, "backward").shades
    assert len(shades) <= ROWS
    assert len(shades[0]) <= COLUMNS
    (row,) = [at for at, row in enumerate(shades) if row[-1] in "234"]
    first, last = heat.ranks[row]
    assert first <= 300 <= last


def test_ranks_without_records_are_blank():
    heat = drawn("missing_ranks dp=16 missing=0.3")
    assert 0 < "".join(facet(heat, "backward").shades).count(" ") < 16 * 120 * 0.2


def test_the_sentence_names_the_accused_in_both_languages(slow):
    assert "ranks 7" in sentence(slow, Lang.en)
    assert "랭크 7" in sentence(slow, Lang.ko)


def test_a_slow_connection_is_one_cell_of_the_matrix():
    table = made("degraded_link dp=8", 0).edges
    verdicts = edge_verdicts(table, per_node=1)
    heat = matrix_heat(table, verdicts, per_node=1)
    ((src, dst),) = verdicts[0].edges
    shades = heat.facets[0].shades
    assert [(row, column) for row in range(8) for column in range(8) if shades[row][column] == "3"] == [(src, dst)]
    assert all(shades[n][n] == " " for n in range(8))
    assert [(mark.rows, mark.columns) for mark in heat.facets[0].marks] == [((src, src), (dst, dst))]


@pytest.mark.parametrize(("kind", "lines"), [("bad_nic_tx", 1), ("bad_nic_rx", 1), ("bad_nic", 2)])
def test_a_bad_card_is_a_row_a_column_or_both(kind, lines):
    trace = made(f"{kind} dp=8", 0)
    heat = matrix_heat(trace.edges, edge_verdicts(trace.edges, per_node=1), per_node=1)
    (bad,) = trace.truth.accused
    shades = heat.facets[0].shades
    hot = {(row, column) for row in range(8) for column in range(8) if shades[row][column] in "234"}
    wanted = {(bad, other) for other in range(8) if kind != "bad_nic_rx" and other != bad}
    wanted |= {(other, bad) for other in range(8) if kind != "bad_nic_tx" and other != bad}
    assert hot == wanted
    assert len(heat.facets[0].marks) == lines


def test_a_hang_shows_who_did_not_call_and_who_waits():
    trace = made("hang_non_comm dp=8 onset=30", 0)
    heat = calls_heat(trace.sequences, hang_verdicts(trace.sequences, trace.now))
    last = [row[-1] for row in heat.facets[0].shades]
    (bad,) = trace.truth.accused
    assert last[bad] == " "
    assert last.count("4") == 7
    assert set("".join(row[:-1] for row in heat.facets[0].shades)) == {"0"}
    assert heat.columns[-1] == (30, 30)
    assert "operation" in "".join(text(heat, Lang.en))


def test_the_terminal_shows_the_accused_rank_and_the_first_step(slow):
    lines = text(slow, Lang.en)
    assert max(map(len, lines)) <= 80
    accused = [line for line in lines if line.endswith(" <")]
    assert [line.split()[0] for line in accused] == ["7"]
    pointer = lines[lines.index(accused[0]) + 9]
    assert pointer.index("^") == accused[0].index("▒")
    assert "랭크" in "\n".join(text(slow, Lang.ko))


def test_nothing_is_drawn_of_nothing():
    heat = heat_of(GridBuilder().grid())
    assert text(heat, Lang.en) == []
    assert sentence(heat, Lang.en) == "no verdict"
    nobody = np.zeros(0, np.int64)
    trace = made("degraded_link dp=4 steps=10", 0)
    assert matrix_heat(trace.edges.take(nobody)).facets == ()
    assert calls_heat(trace.sequences.take(nobody)).facets == ()


def test_windows_that_hold_no_transfer_are_no_columns_of_the_matrix():
    table = made("degraded_link dp=8", 0).edges
    # No step before 5 tells a time, and nothing is recorded between 20 and 30.
    lost = table.take((table.step < 20) | (table.step >= 30))
    blank = EdgeTable(**{**lost.__dict__, "duration": np.where(lost.step < 5, np.nan, lost.duration)})
    verdicts = edge_verdicts(blank, per_node=1)
    assert [(one.edges, one.first_step) for one in verdicts] == [
        (one.edges, one.first_step) for one in edge_verdicts(table, per_node=1)
    ]
    heat = matrix_heat(blank, verdicts, per_node=1)
    ((src, dst),) = verdicts[0].edges
    assert heat.facets[0].shades[src][dst] == "3"


def test_of_communicators_that_are_told_together_the_worst_is_drawn():
    rows = [(rank, name, n, n + 0.0, n + 0.5) for name in ("dp, 0", "dp, 1") for n in range(3) for rank in range(4)]
    table = calls(*rows, (0, "dp, 1", 3, 3.0, None))
    one = Verdict(
        VerdictKind.non_comm_slow, System.c4d, "arrival", Confidence.group_only, 0, 3,
        phase="dp, 1", ranks=(0, 1), group="dp, 0, dp, 1",
    )  # fmt: skip
    assert calls_heat(table, [one]).columns[-1] == (3, 3)
    assert calls_heat(table, [replace(one, group="dp, 0")]).columns[-1] == (2, 2)
