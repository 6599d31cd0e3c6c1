"""The next best check: what it would tell, computed a second time, and said in both languages."""

import sys
from math import log2

import pytest

from kb.answers import TopicAnswer
from kb.checks.card import CheckStatus
from kb.cli import main
from kb.library import Library
from kb.library.next_check import LEAST_GAIN, MOST, next_checks
from kb.library.ranking import rank
from kb.mcp_server.markdown import tell
from kb.model import Kind, Lang
from kb.questions import GetTopic, SearchIncidents, ask
from kb.settings import Settings

HANG = {"kind": "symptoms", "slug": "job-hang"}


def hang(library: Library, **more: str) -> TopicAnswer:
    return library.get_topic(ask(GetTopic, {**HANG, "limit": "100", **more}))


def bits(masses: list[float]) -> float:
    total = sum(masses)
    return sum(m / total * log2(total / m) for m in masses if m) if total else 0.0


def gain_of(library: Library, check: str, weight: dict[str, float]) -> float:
    """Mutual information between 'the check finds it' and the main cause, from the joint distribution."""
    cases = set(library._store.checks[check].cases)
    joint: dict[tuple[str, bool], float] = {}
    for i, mass in weight.items():
        key = library._store.cases[i].incident.root_causes[0], i in cases
        joint[key] = joint.get(key, 0.0) + mass
    causes, sides = {c for c, _ in joint}, (True, False)
    by_cause = [sum(joint.get((c, s), 0.0) for s in sides) for c in causes]
    by_side = [sum(joint.get((c, s), 0.0) for c in causes) for s in sides]
    return bits(by_cause) + bits(by_side) - bits(list(joint.values()))


def expected(library: Library, weight: dict[str, float]) -> list[tuple[str, float]]:
    proven = [i for i, check in library._store.checks.items() if check.status is not CheckStatus.draft]
    gains = {check: gain_of(library, check, weight) for check in proven}
    ranked = sorted((-round(g, 2), check) for check, g in gains.items() if g > LEAST_GAIN)
    return [(check, -gain) for gain, check in ranked[:MOST]]


def test_a_topic_names_the_checks_that_tell_most_about_its_causes(library: Library) -> None:
    topic = hang(library)

    assert topic.next_checks
    weight = dict.fromkeys((case.id for case in topic.cases), 1.0)
    assert [(one.check, one.gain) for one in topic.next_checks] == expected(library, weight)
    for one in topic.next_checks:
        found = set(library._store.checks[one.check].cases) & set(weight)
        assert set(one.separates) == {library._store.cases[i].incident.root_causes[0] for i in found}
        assert one.check in {check.id for check in topic.checks}


def test_all_its_cases_count_and_not_only_those_of_the_page(library: Library) -> None:
    assert hang(library, limit="1").next_checks == hang(library).next_checks


def test_a_sentence_weighs_the_cases_by_how_well_they_fit(library: Library) -> None:
    asked = ask(SearchIncidents, {"symptoms": "training hangs", "symptom": "job-hang", "limit": "20"})
    search, topic = library.search_incidents(asked), hang(library, symptoms="training hangs")
    ids = library._store.by_term[Kind.symptoms, "job-hang"]
    scores = {match.id: match.score for match in rank(library._store, "training hangs", ids).shown}

    assert topic.next_checks == search.next_checks
    assert [(one.check, one.gain) for one in topic.next_checks] == expected(library, scores)


def test_where_one_cause_is_left_or_nothing_is_linked_there_is_nothing_to_separate(library: Library) -> None:
    store = library._store
    cause = "certificate-expiry"
    alike = [i for i, case in store.cases.items() if case.incident.root_causes[0] == cause]
    unlinked = [i for i in store.cases if not store.checks_of_case.get(i)]

    assert alike
    assert next_checks(store, dict.fromkeys(alike, 1.0), Lang.en) == ()
    assert next_checks(store, dict.fromkeys(unlinked, 1.0), Lang.en) == ()
    assert next_checks(store, {}, Lang.en) == ()


def test_a_check_is_named_in_the_language_asked_for(library: Library) -> None:
    english, korean = hang(library).next_checks, hang(library, lang="ko").next_checks

    assert [one.check for one in english] == [one.check for one in korean]
    for one, other in zip(english, korean, strict=True):
        assert one.title != other.title
        assert (one.page, other.page) == (f"/en/checks/{one.check}", f"/ko/checks/{one.check}")


def test_the_text_for_a_model_names_it(library: Library) -> None:
    topic = hang(library)

    for one in topic.next_checks:
        assert f"Next check: {one.check} separates {', '.join(one.separates)}" in tell(topic, "").splitlines()


@pytest.mark.parametrize(("lang", "said"), [("en", "next best check"), ("ko", "다음에 할 검사")])
@pytest.mark.parametrize("line", [["topic", "symptoms", "job-hang"], ["search", "training hangs"]], ids=lambda a: a[0])
def test_the_command_line_names_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], library: Library,
    lang: str, said: str, line: list[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("KB_DATA", settings.data)
    monkeypatch.setenv("KB_CACHE", str(settings.cache_folder))
    monkeypatch.setattr(sys, "argv", ["kb", *line, "--lang", lang])
    asked = ask(SearchIncidents, {"symptoms": "training hangs"})
    answer = hang(library) if line[0] == "topic" else library.search_incidents(asked)
    with pytest.raises(SystemExit, match="0"):
        main()
    printed = " ".join(capsys.readouterr().out.split())

    assert answer.next_checks
    for one in answer.next_checks:
        assert f"{said}: kb check --check {one.check}" in printed
