"""English that stands in for Korean: a case that nobody has translated yet, on its Korean page."""

import re

from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import GetIncident, ask
from kb.web.markdown import case_markdown, ticket
from kb.web.render import environment
from kb.web.words import Words

FIELDS = ("title", "summary", "impact.scope", "narrative.symptom", "narrative.cause", "actions", "timeline[0]")


def page(library: Library) -> str:
    """The macros of a case over an answer that is English in places."""
    case = library.get_incident(ask(GetIncident, {"id": "IL-0477", "lang": "ko"}))
    untranslated = case.model_copy(update={"lang_fallback": FIELDS})
    frame = {"lang": Lang.ko, "t": Words(Lang.ko), "case": untranslated, "kinds": tuple(Kind)}
    source = (
        '{% from "parts/case.html" import prose_section, list_section, fact, en with context %}'
        '{{ prose_section("symptom", case.narrative.symptom, none) }}'
        '{{ prose_section("lessons", case.narrative.lessons, none) }}'
        '{{ list_section("actions", case.actions, none) }}'
        '{{ fact("scope", case.impact.scope, "impact.scope") }}{{ fact("users", none, "impact.users") }}'
        '<h1{{ en("title") }}></h1>'
    )
    return environment().from_string(source).render(**frame)


def test_passages_in_english_say_so_and_carry_their_language(library: Library) -> None:
    html = page(library)
    symptom, lessons = html.split('id="lessons"')

    assert "아직 한국어가 없습니다" in symptom
    assert '<div lang="en" class="q">' in symptom
    assert 'lang="en"' not in lessons.split("</section>")[0]
    assert '<ol class="steps" lang="en">' in html
    assert '<h1 lang="en">' in html


def test_facts_in_english_carry_their_language(library: Library) -> None:
    scope, users = re.findall(r"<dd[^>]*>", page(library))

    assert scope == '<dd lang="en">'
    assert users == "<dd>"


def test_a_ticket_is_short_and_leads_back(library: Library) -> None:
    case = library.get_incident(ask(GetIncident, {"id": "IL-0477"}))
    text = ticket(case, "https://kb.example/en/incidents/IL-0477")

    assert text.startswith(f"[IL-0477: {case.title}](https://kb.example/en/incidents/IL-0477)")
    assert "Cause: " in text
    assert len(text) < 900 < len(case_markdown(case, "https://kb.example/en/incidents/IL-0477"))
