"""Check against people: every case whose report says when they knew, on one axis."""

from kb.answers import ReplayAnswer, ReplayChart
from kb.checks.card import Answer, Origin
from kb.library import Library
from kb.model import Lang
from kb.questions import GetCheck, ask
from kb.web.against import against
from tests.web.conftest import Get, visible

CHECK = "workload/endpoint_probe_failing"


def replay(case: str | None, fired: float | None, hold: float, knew: float | None) -> ReplayAnswer:
    chart = ReplayChart(
        series=(), lines=(), starts=None, length=7200, threshold=None, direct=True, hold=hold, fired_at=fired,
        people_knew_at=knew, looked_at=1, reason_kinds=(),
    )  # fmt: skip
    return ReplayAnswer(
        name="r.yaml", must=Answer.found, origin=Origin.rebuilt, case=case, how=None, link=None, passes=True,
        answer=Answer.found, fired_at=None, people_knew_at=None, published=(), filled_in=(), note=None, chart=chart,
    )  # fmt: skip


def test_both_count_from_the_first_trace_and_the_largest_lead_stands_first() -> None:
    found = against([replay("IL-0001", 900, 300, 1200), replay("IL-0002", 600, 0, 4200)], Lang.en)

    assert found
    assert [(race.case, race.check.text, race.people.text) for race in found.races] == [
        ("IL-0002", "0\u00a0s", "1\u00a0h"),
        ("IL-0001", "5\u00a0min", "10\u00a0min"),
    ]
    assert [race.at_once for race in found.races] == [True, False]
    assert found.races[0].check.x == "0%"


def test_the_axis_is_logarithmic_holds_a_day_and_grows_with_what_took_longer() -> None:
    day = against([replay("IL-0001", 0, 0, 600)], Lang.en)
    weeks = against([replay("IL-0001", 0, 0, 20 * 86_400)], Lang.en)

    assert day
    assert weeks
    assert [tick.text.replace("\u00a0", " ") for tick in day.ticks] == ["1 min", "10 min", "1 h", "6 h", "1 d"]
    assert day.races[0].people.x == day.ticks[1].x == "31.66%"
    assert weeks.ticks[-1].text == "30\u00a0d"


def test_people_who_knew_before_the_rule_held_win_and_are_not_left_out() -> None:
    found = against([replay("IL-0001", 780, 0, 600), replay("IL-0002", 600, 0, 4200)], Lang.en)

    assert found
    assert [race.case for race in found.races] == ["IL-0002", "IL-0001"]
    lost = found.races[1]
    assert (lost.check.text, lost.people.text, lost.at_once) == ("3\u00a0min", "0\u00a0s", False)


def test_without_both_moments_or_a_case_there_is_no_race() -> None:
    silent = [replay("IL-0001", 60, 0, None), replay("IL-0002", None, 0, 60), replay(None, 60, 0, 90)]

    assert against(silent, Lang.en) is None


def test_a_check_page_draws_each_case_with_both_times_in_words(get: Get, library: Library) -> None:
    check = library.get_check(ask(GetCheck, {"id": CHECK, "lang": "ko"}))
    races = against(check.replays, Lang.ko)
    html = get(f"/ko/checks/{CHECK}")

    assert races
    section = html.split('id="against"', 1)[1].split("</section>", 1)[0]
    assert section.count('class="knew"') == len(races.races) > 5
    assert f"사람 {races.races[0].people.text}" in visible("<body>" + section).replace("<b>", "")
    assert 'href="#against"' in html
    assert 'id="against"' not in get("/ko/checks/gpu/xid_fatal_counted")
