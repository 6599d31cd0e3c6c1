"""A case as a row: what of its long text a list shows."""

import re

import pytest

from kb.answers import CaseBrief, Hit, Span
from kb.library import Library
from kb.model import Lang
from kb.questions import ListIncidents, SearchIncidents, ask
from kb.web.rows import CaseRows, fields, row


def hit(library: Library) -> Hit:
    question = ask(SearchIncidents, {"symptoms": "NCCL timeout, job hang", "detail": "full"})
    return library.search_incidents(question).cases[0]


def brief(library: Library, **details: object) -> CaseBrief:
    case = library.list_incidents(ask(ListIncidents, {"detail": "full"})).cases[0]
    assert case.details
    return case.model_copy(update={"details": case.details.model_copy(update=details)})


def test_a_passage_that_was_cut_inside_code_closes_it(library: Library) -> None:
    found = hit(library)
    assert found.details
    details = found.details.model_copy(update={"symptom": "It logged `port down again` and then `more`."})
    cut = Span(text="down again` and then", spans=((0, 4),))
    case = found.model_copy(update={"details": details, "highlights": {"narrative.symptom": cut}})

    shown = row(case, Lang.en).symptom

    assert shown == "… <code><mark>down</mark> again</code> and then …"


def test_a_passage_that_is_the_whole_text_has_no_dots(library: Library) -> None:
    found = hit(library)
    assert found.details
    details = found.details.model_copy(update={"symptom": "step time rose"})
    case = found.model_copy(
        update={"details": details, "highlights": {"narrative.symptom": Span(text="step time rose", spans=((0, 4),))}}
    )

    assert row(case, Lang.en).symptom == "<mark>step</mark> time rose"


def test_only_the_fields_that_are_there_are_named(library: Library) -> None:
    case = brief(library, cause="x", detection=None, actions=("a",), follow_ups=(), lessons=None)
    assert case.details

    made = fields(case.details, Lang.en)

    assert [field.key for field in made] == ["cause", "detection", "actions", "follow_ups", "lessons"]
    assert [field.key for field in made if field.items] == ["cause", "actions"]
    (shown,) = CaseRows(library).of([case], Lang.en)
    assert '<span class="named">Cause · Actions</span>' in shown
    assert '<details class="more">' in shown


def test_a_long_list_of_actions_says_how_many_are_left_out(library: Library) -> None:
    case = brief(library, actions=tuple(f"action {i}" for i in range(7)))
    assert case.details

    actions = fields(case.details, Lang.en)[2]

    assert [str(item) for item in actions.items] == ["action 0", "action 1", "action 2"]
    assert actions.more == 4


def test_english_that_stands_in_for_korean_is_marked_as_english(library: Library) -> None:
    case = brief(library, lessons="Only in English.", lang_fallback=("narrative.lessons",))
    assert case.details

    lessons = fields(case.details, Lang.ko)[4]

    assert lessons.items == ('<span class="q" lang="en">Only in English.</span>',)


def test_a_case_without_details_is_a_row_of_title_and_terms(library: Library) -> None:
    case = brief(library).model_copy(update={"details": None})

    (shown,) = CaseRows(library).of([case], Lang.en)

    assert row(case, Lang.en).symptom is None
    assert "<details" not in shown
    marks = re.findall(r'<use href="#(\w)"', shown)
    assert marks == sorted(marks, key="scrf".index)
    assert len(marks) == len([*case.symptoms, *case.components, *case.root_causes, *case.factors])


def test_a_row_is_made_once_for_each_case_language_and_detail(library: Library) -> None:
    rows = CaseRows(library)
    full = library.list_incidents(ask(ListIncidents, {"detail": "full"})).cases
    again = library.list_incidents(ask(ListIncidents, {"detail": "full", "sort": "id"})).cases
    brief = library.list_incidents(ask(ListIncidents, {})).cases

    made = dict(zip((case.id for case in full), rows.of(full, Lang.en), strict=True))
    more = dict(zip((case.id for case in again), rows.of(again, Lang.en), strict=True))

    assert made.keys() & more.keys()
    assert all(made[case_id] is more[case_id] for case_id in made.keys() & more.keys())
    assert not set(rows.of(brief, Lang.en)) & set(made.values())


def test_another_case_of_the_same_id_is_not_mistaken_for_the_first(library: Library) -> None:
    rows, case = CaseRows(library), brief(library)
    other = case.model_copy(update={"title": "Something else happened"})

    assert "Something else happened" not in rows.of([case], Lang.en)[0]
    assert "Something else happened" in rows.of([other], Lang.en)[0]


def test_rows_that_are_kept_are_bounded(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.web.rows.KEPT", 3)
    rows, case = CaseRows(library), brief(library)

    for number in range(10):
        rows.of([case.model_copy(update={"title": f"Title {number}"})], Lang.en)

    assert len(rows._listed) <= 3


def test_what_stands_in_a_row_is_escaped(library: Library) -> None:
    case = brief(library, cause="<b>cause</b>", actions=("<i>act</i>",)).model_copy(
        update={"title": "<script>x</script>", "org_name": "A & B"}
    )

    (shown,) = CaseRows(library).of([case], Lang.en)

    assert "&lt;script&gt;x" in shown
    assert "A &amp; B" in shown
    assert "&lt;b&gt;cause" in shown
    assert "&lt;i&gt;act" in shown
    assert not {"<script>x", "<b>cause", "<i>act"} & set(re.findall(r"<\w+>\w+", shown))
