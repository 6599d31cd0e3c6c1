"""The map of holes and the timeline: what they count, and where each number leads."""

import re

import pytest
from starlette.testclient import TestClient

from kb.answers import HoleState
from kb.errors import BadQuestion
from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import GetTopic, Holes, ListChecks, ListIncidents, Show, ask
from kb.vocabulary import Term
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


def test_a_check_that_is_made_for_a_value_is_told_from_one_that_finds_its_cases_otherwise(library: Library) -> None:
    cards = {check.id: check.catches for check in library.every_check(ask(ListChecks, {}))}
    made = {(c.id, hole.slug, c.names) for hole in library.holes(ask(Holes, {})).holes for c in hole.checks}

    assert all(names is (slug in cards[check]) for check, slug, names in made)
    assert {names for _, _, names in made} == {True, False}


@pytest.mark.parametrize("lang", list(Lang))
def test_a_value_that_no_check_is_made_for_says_why_on_the_map_and_on_its_page(
    get: Get, library: Library, lang: Lang
) -> None:
    value = library.vocabulary.values[Kind.components]["cache"]
    assert isinstance(value, Term)
    assert value.no_check is not None
    said = value.no_check.say(lang)[0]
    [hole] = [h for h in library.holes(ask(Holes, {"kind": "components", "lang": lang})).holes if h.slug == "cache"]
    topic = library.get_topic(ask(GetTopic, {"kind": "components", "slug": "cache", "lang": lang}))
    [row] = re.findall(r'<tr id="components-cache">.*?</tr>', get(f"/{lang}/holes"), re.DOTALL)

    assert hole.no_check == topic.no_check == said
    assert said in plain(row)
    assert said in plain(get(f"/{lang}/components/cache"))
    assert said in get(f"/{lang}/components/cache.md")
    assert library.get_topic(ask(GetTopic, {"kind": "components", "slug": "gpu"})).no_check is None


def plain(html: str) -> str:
    return re.sub("[\u2060\u00a0]", " ", visible(html)).replace("  ", " ")


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


def test_the_timeline_counts_every_case_once_in_its_last_row(library: Library) -> None:
    view = timeline_view(library, Lang.en)

    assert view.count == library.status().cases
    assert sum(view.totals) + view.undated == view.count
    for cause in view.causes:
        assert cause.total <= view.count
        assert cause.total == cause.undated + sum(column.count for column in cause.columns)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_number_of_the_timeline_leads_to_as_many_cases(get: Get, library: Library, lang: str) -> None:
    html = get(f"/{lang}/timeline")
    view = timeline_view(library, Lang(lang))

    assert any(column.count for cause in view.causes for column in cause.columns)
    for cause in view.causes:
        assert cause.total == len(library.outline(ask(ListIncidents, {"root_cause": cause.slug})))
        for column in cause.columns:
            query = dict(pair.split("=") for pair in column.href.split("?")[1].split("&"))
            assert library.list_incidents(ask(ListIncidents, query)).count == column.count, column.href
            assert not column.count or column.href.replace("&", "&amp;") in html
    assert 'role="img"' in html
