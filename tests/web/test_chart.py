"""Replays as charts: where lines, bars and words stand, worked out of the answer alone."""

from html.parser import HTMLParser

import pytest

from kb.answers import LogLineAnswer, ReplayAnswer, ReplayChart, SeriesAnswer
from kb.checks.card import Answer, Origin
from kb.library import Library
from kb.model import Lang
from kb.questions import GetCheck, ask
from kb.web.chart import chart_of
from kb.web.chart_scale import clock, moments, rounded_up, span
from tests.web.conftest import Get, visible

XID = "gpu/xid_fatal_counted"
SUSPECT = SeriesAnswer(name="m", labels={"gpu": "2"}, found=True, points=((0, 0.0), (60, 0.0), (90, 6.0), (120, 6.0)))
PEERS = tuple(
    SeriesAnswer(name="m", labels={"gpu": str(n)}, found=False, points=((0, 1.0 + n), (120, 1.0 + n))) for n in (3, 4)
)
BASE = ReplayChart(
    series=(SUSPECT, *PEERS),
    lines=(),
    starts=None,
    length=120,
    threshold="> 5",
    direct=True,
    hold=30,
    fired_at=90,
    people_knew_at=None,
    looked_at=3,
    reason_kinds=(),
)


def replayed(chart: ReplayChart | None, answer: Answer | None = Answer.found) -> ReplayAnswer:
    return ReplayAnswer(
        name="r.yaml", must=Answer.found, origin=Origin.rebuilt, case="IL-0001", how=None, link=None, passes=True,
        answer=answer, fired_at=None, people_knew_at=None, published=(), filled_in=(), note=None, chart=chart,
    )  # fmt: skip


def test_suspects_are_lines_and_all_others_one_band() -> None:
    chart = chart_of(replayed(BASE), Lang.en)

    assert chart
    assert len(chart.lines) == 1
    assert len(chart.bands) == 1
    assert [name.text for name in chart.names] == ["gpu 2"]
    assert [mark.text for mark in chart.grid] == ["2", "4", "6"]


def test_a_gap_breaks_the_line() -> None:
    gap = SUSPECT.model_copy(update={"points": ((0, 1.0), (30, None), (60, 2.0), (90, 2.0))})
    chart = chart_of(replayed(BASE.model_copy(update={"series": (gap,)})), Lang.en)

    assert chart
    assert len(chart.lines) == 2


def test_the_check_fires_after_its_hold_and_the_fault_begins_before() -> None:
    chart = chart_of(replayed(BASE), Lang.en)

    assert chart
    assert chart.fires
    assert chart.fires.x == "75%"
    assert chart.fault
    assert chart.check
    assert (chart.fault.x, chart.fault.width) == ("50%", "50%")
    assert (chart.check.x, chart.check.width, chart.check.text) == ("50%", "25%", "30\u00a0s")


def test_people_who_are_not_mentioned_get_no_bar_and_late_ones_run_past_the_axis() -> None:
    silent = chart_of(replayed(BASE), Lang.en)
    late = chart_of(replayed(BASE.model_copy(update={"people_knew_at": 7260})), Lang.ko)

    assert silent
    assert late
    assert silent.people is None
    assert late.people
    assert late.people.beyond
    assert late.people.text == "2시간"


def test_a_computed_quantity_is_not_compared_with_the_lines() -> None:
    chart = chart_of(replayed(BASE.model_copy(update={"direct": False})), Lang.en)

    assert chart
    assert chart.limit is None


def test_the_blind_draw_no_series_and_the_unrun_nothing_at_all() -> None:
    blind = chart_of(replayed(BASE.model_copy(update={"fired_at": None}), Answer.unknown), Lang.en)

    assert blind
    assert (blind.lines, blind.bands, blind.fires) == ((), (), None)
    assert chart_of(replayed(BASE, None), Lang.en) is None
    assert chart_of(replayed(None), Lang.en) is None


def test_a_log_is_strokes_on_its_own_clock_with_the_matched_line_below() -> None:
    lines = tuple(
        LogLineAnswer(file="kern.log", number=n, seconds=at, text=f"line {n}", found=n == 2)
        for n, at in ((1, 0.0), (2, 30.0), (3, 60.0))
    )
    data = BASE.model_copy(update={"series": (), "lines": lines, "fired_at": None, "length": 60, "threshold": None})
    chart = chart_of(replayed(data), Lang.en)

    assert chart
    assert chart.strokes == (("0%", False), ("50%", True), ("100%", False))
    assert [line.text for line in chart.matched] == ["line 2"]
    timeless = tuple(line.model_copy(update={"seconds": None}) for line in lines)
    without = chart_of(replayed(data.model_copy(update={"lines": timeless, "length": 0})), Lang.en)
    assert without
    assert not without.timed
    assert without.matched


@pytest.mark.parametrize(("value", "top"), [(0, 3), (1, 1.5), (2, 3), (6, 6), (7, 7.5), (95, 150), (0.02, 0.03)])
def test_the_axis_ends_at_a_round_number(value: float, top: float) -> None:
    assert rounded_up(value) == pytest.approx(top)


@pytest.mark.parametrize("length", [1, 59, 600, 3600, 86400, 10**7])
def test_ticks_are_few_and_within_the_axis(length: float) -> None:
    marks = moments(length)

    assert 2 <= len(marks) <= 7
    assert max(marks) <= length * 1.0001


def test_times_are_said_in_both_languages_and_on_the_clock() -> None:
    assert span(330, Lang.en) == "5\u00a0min 30\u00a0s"
    assert span(93600, Lang.ko) == "1일 2시간"
    assert span(0, Lang.en) == "0\u00a0s"
    assert clock("2026-04-22T21:20:00Z", 330) == "21:25:30"
    assert clock("2026-04-22T21:20:00Z", 300) == "21:25"


def test_a_replay_brings_its_series_and_what_was_found(library: Library) -> None:
    check = library.get_check(ask(GetCheck, {"id": XID}))
    [replay] = [r for r in check.replays if r.name == "IL-0335.yaml"]

    assert replay.chart
    assert {s.name for s in replay.chart.series} == {"DCGM_EXP_XID_ERRORS_COUNT"}
    found = [s for s in replay.chart.series if s.found]
    assert {s.labels["xid"] for s in found} == {"62", "74", "119"}
    assert replay.chart.series[: len(found)] == tuple(found)
    assert (replay.chart.fired_at, replay.chart.threshold, replay.chart.direct) == (330.0, "> 0", True)
    # Sixty samples and more, told by the few where the line bends.
    assert all(len(s.points) <= 10 for s in replay.chart.series)


def test_a_log_replay_names_the_line_that_was_found(library: Library) -> None:
    check = library.get_check(ask(GetCheck, {"id": "gpu/fell_off_bus_log"}))
    [replay] = [r for r in check.replays if r.name == "IL-0224.yaml"]

    assert replay.chart
    [line] = [line for line in replay.chart.lines if line.found]
    assert "Xid" in line.text
    assert line.seconds is not None
    assert line.seconds > 26000


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_chart_stands_on_the_check_and_on_the_case(get: Get, lang: str) -> None:
    case, check = get(f"/{lang}/incidents/IL-0335"), get(f"/{lang}/checks/{XID}")

    for html in (case, check):
        assert '<figure class="chart">' in html
        assert 'role="img"' in html
        assert "21:25:30" in visible(html)
        assert "DCGM_EXP_XID_ERRORS_COUNT" in visible(html)
    assert balanced(case)
    assert balanced(check)


def balanced(html: str) -> bool:
    """Whether every element of SVG that is opened is closed."""
    parser = Counting()
    parser.feed(html)
    return not parser.open


class Counting(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("svg", "figure", "g", "details", "table", "div", "section"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("svg", "figure", "g", "details", "table", "div", "section"):
            assert self.open.pop() == tag


def test_files_of_a_host_are_shown_where_a_finding_names_only_the_file(get: Get) -> None:
    line = LogLineAnswer(file="nvidia-smi.txt", number=1, seconds=None, text="has failed", found=False)
    untimed = BASE.model_copy(update={"series": (), "lines": (line,), "fired_at": None})
    timed = untimed.model_copy(update={"lines": (line.model_copy(update={"seconds": 1.0}),)})

    assert [shown.text for shown in chart_of(replayed(untimed), Lang.en).matched] == ["has failed"]
    assert chart_of(replayed(timed), Lang.en).matched == ()
    page = visible(get("/en/checks/gpu/smi_not_answering"))
    assert "nvidia-smi.txt: 1 line. The data" in page
    assert "marked" not in page


def test_where_people_knew_before_the_rule_held_the_fault_began_with_them() -> None:
    chart = chart_of(replayed(BASE.model_copy(update={"people_knew_at": 20})), Lang.en)

    assert chart
    assert chart.fault
    assert chart.check
    assert chart.people
    assert (chart.fault.x, chart.check.text, chart.people.text) == ("16.67%", "1\u00a0min 10\u00a0s", "0\u00a0s")


def test_text_of_a_lane_stands_in_a_wide_bar_and_beside_a_narrow_one() -> None:
    chart = chart_of(replayed(BASE.model_copy(update={"length": 1000, "people_knew_at": 900})), Lang.en)

    assert chart
    assert chart.check
    assert (chart.check.inside, chart.check.end, chart.check.late) == (False, "9%", False)
    assert chart.people
    assert (chart.people.inside, chart.people.late) == (True, True)
