"""The map of holes and the timeline: what they count, and where each number leads."""

import re

import pytest
from starlette.testclient import TestClient

from kb.answers import HoleState
from kb.errors import BadQuestion
from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import Holes, ListChecks, ListIncidents, Show, ask
from kb.web.holes_view import holes_view
from kb.web.timeline_view import timeline_view
from tests.web.conftest import Get, visible


def test_a_hole_is_the_cases_of_a_value_that_no_check_catches(library: Library) -> None:
    caught = {case for check in library.every_check(ask(ListChecks, {})) for case in check.cases}
    for hole in library.holes(ask(Holes, {})).holes:
        question = ask(ListIncidents, {hole.kind.filter_name: hole.slug})
        cases = {case.id for case in library.outline(question)}
        assert hole.cases == len(cases), hole.slug
        assert hole.caught == len(cases & caught), hole.slug
        assert hole.hole == hole.cases - hole.caught


def test_the_largest_hole_comes_first(library: Library) -> None:
    sizes = [hole.hole for hole in library.holes(ask(Holes, {})).holes]

    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0


def test_every_choice_shows_its_own_rows_and_together_they_are_all(library: Library) -> None:
    shown = {show: library.holes(ask(Holes, {"show": show})) for show in Show}
    states = {
        Show.case_without_check: {HoleState.no_check, HoleState.not_proven},
        Show.check_without_case: {HoleState.no_case},
        Show.both_proven: {HoleState.proven},
    }

    for show, allowed in states.items():
        assert {hole.state for hole in shown[show].holes} <= allowed
    assert shown[Show.both_proven].count > 0
    assert shown[Show.all].count == sum(shown[show].count for show in states)


def test_a_kind_narrows_the_map_and_organisations_are_none(library: Library) -> None:
    assert {h.kind for h in library.holes(ask(Holes, {"kind": "components"})).holes} == {Kind.components}
    with pytest.raises(BadQuestion):
        ask(Holes, {"kind": "orgs"})


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_page_opens_a_value_to_its_checks_and_cases(get: Get, lang: str) -> None:
    html = get(f"/{lang}/holes")
    [row] = re.findall(r'<tr id="symptoms-gpu-error">.*?</tr>', html, re.DOTALL)

    assert f'href="/{lang}/?symptom=gpu-error"' in row
    assert f'href="/{lang}/checks/gpu/xid_fatal_counted"' in row
    assert f'href="/{lang}/incidents/IL-0335"' in row


def test_a_choice_is_an_address_and_marked(get: Get, client: TestClient) -> None:
    html = get("/en/holes?show=both-proven&kind=symptoms")

    assert re.search(r'<a class="chip on plain" href="/en/holes\?show=both-proven&amp;kind=symptoms"', html)
    assert "no check" not in visible(html).split("State", 1)[1]
    assert client.get("/en/holes?show=everything").status_code == 422
    assert client.get("/en/holes?colour=red").status_code == 422


def test_bars_of_a_map_without_rows_have_no_width_to_share(library: Library) -> None:
    view = holes_view(library, Lang.en, {"show": "check-without-case", "kind": "factors"})

    assert view.count == len(view.rows)


def test_the_timeline_counts_every_case_once(library: Library) -> None:
    view = timeline_view(library, Lang.en)
    drawn = sum(cause.total for cause in view.causes)

    assert view.count == library.status().cases
    assert sum(view.totals) + view.undated == view.count
    assert drawn <= view.count
    for cause in view.causes:
        assert cause.total == cause.undated + sum(column.count for column in cause.columns)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_number_of_the_timeline_leads_to_its_cases(get: Get, library: Library, lang: str) -> None:
    html = get(f"/{lang}/timeline")
    view = timeline_view(library, Lang(lang))
    column = next(c for cause in view.causes for c in cause.columns if c.count)

    assert column.href.replace("&", "&amp;") in html
    answer = library.list_incidents(
        ask(ListIncidents, dict(p.split("=") for p in column.href.split("?")[1].split("&")))
    )
    assert answer.count >= column.count
    assert 'role="img"' in html
