"""A case as a row: what of its long text a list shows."""

from kb.answers import CaseBrief, Hit, Span
from kb.library import Library
from kb.model import Lang
from kb.questions import ListIncidents, SearchIncidents, ask
from kb.web.rows import row


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

    shown = row(case, library.vocabulary, Lang.en, first=True).symptom

    assert shown == "… <code><mark>down</mark> again</code> and then …"


def test_a_passage_that_is_the_whole_text_has_no_dots(library: Library) -> None:
    found = hit(library)
    assert found.details
    details = found.details.model_copy(update={"symptom": "step time rose"})
    case = found.model_copy(
        update={"details": details, "highlights": {"narrative.symptom": Span(text="step time rose", spans=((0, 4),))}}
    )

    assert row(case, library.vocabulary, Lang.en, first=True).symptom == "<mark>step</mark> time rose"


def test_only_the_fields_that_are_there_are_named(library: Library) -> None:
    case = brief(library, cause="x", detection=None, actions=("a",), follow_ups=(), lessons=None)

    made = row(case, library.vocabulary, Lang.en, first=True)

    assert made.stated == ("cause", "actions")
    assert [field.key for field in made.fields] == ["cause", "detection", "actions", "follow_ups", "lessons"]
    assert not made.open


def test_a_long_list_of_actions_says_how_many_are_left_out(library: Library) -> None:
    case = brief(library, actions=tuple(f"action {i}" for i in range(7)))

    actions = row(case, library.vocabulary, Lang.en, first=False).fields[2]

    assert [str(item) for item in actions.items] == ["action 0", "action 1", "action 2"]
    assert actions.more == 4


def test_english_that_stands_in_for_korean_is_marked_as_english(library: Library) -> None:
    case = brief(library, lessons="Only in English.", lang_fallback=("narrative.lessons",))

    lessons = row(case, library.vocabulary, Lang.ko, first=False).fields[4]

    assert lessons.items == ('<span class="q" lang="en">Only in English.</span>',)


def test_a_case_without_details_is_a_row_of_title_and_terms(library: Library) -> None:
    case = brief(library).model_copy(update={"details": None})

    made = row(case, library.vocabulary, Lang.en, first=True)

    assert made.symptom is None
    assert made.fields == ()
    assert [term.kind for term in made.terms] == sorted(
        (term.kind for term in made.terms), key=["symptoms", "components", "root_causes", "factors"].index
    )
