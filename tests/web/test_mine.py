"""'Is it in my cluster too?': what to run, for a list and for a case."""

from kb.answers import Facet, FacetValue
from kb.checks.card import SourceName
from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import GetIncident, ListChecks, ListIncidents, ask
from kb.web.mine import FLAGS, command, for_case, for_selection


def test_a_command_names_every_source_that_the_checks_read_once() -> None:
    text = command(["--for IL-0224"], [SourceName.logs, SourceName.prometheus, SourceName.logs])

    assert text == 'kb check \\\n  --for IL-0224 \\\n  --prometheus "$PROM" \\\n  --logs kernel.log'


def test_every_kind_of_source_has_its_flag() -> None:
    assert set(FLAGS) == set(SourceName)


def test_a_case_with_checks_gets_the_command_and_the_text_for_an_agent(library: Library) -> None:
    case = library.get_incident(ask(GetIncident, {"id": "IL-0224"}))

    mine = for_case(Lang.en, case.id, case.checks)

    assert mine.command is not None
    assert "--for IL-0224" in mine.command
    assert mine.agent is not None
    assert "incident://IL-0224" in mine.agent
    assert "run the command above" in mine.agent


def test_a_case_without_checks_gets_no_command(library: Library) -> None:
    case = library.get_incident(ask(GetIncident, {"id": "IL-0477", "lang": "ko"}))

    mine = for_case(Lang.ko, case.id, ())

    assert mine.command is None
    assert mine.agent is not None
    assert "위 명령" not in mine.agent


def test_a_list_is_about_its_most_frequent_components(library: Library) -> None:
    answer = library.list_incidents(ask(ListIncidents, {"domain": "ai-infra"}))
    components = next(facet for facet in answer.facets if facet.kind == "components").values[:2]

    mine = for_selection(library, Lang.en, answer.facets)

    assert [(name, count) for name, count, _ in mine.components] == [(v.name, v.count) for v in components]
    assert mine.checks > 0


def test_components_that_no_check_looks_at_stay_out_of_the_command(library: Library) -> None:
    slugs = library.vocabulary.values[Kind.components]
    unseen = next(slug for slug in slugs if not library.list_checks(ask(ListChecks, {"component": slug})).count)
    value = FacetValue(slug=unseen, name=unseen, count=3)
    facet = Facet(kind=Kind.components, filter="component", values=(value,), not_stated=0)

    mine = for_selection(library, Lang.en, (facet,))

    assert mine.components
    assert (mine.command, mine.agent, mine.checks) == (None, None, 0)
