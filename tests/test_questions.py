"""Arguments are judged once, in the same words for every face."""

import unicodedata

import pytest

from kb.errors import InvalidValue, KbError, UnknownArgument, UnknownValue
from kb.model import Kind
from kb.questions import (
    GetIncident,
    GetTopic,
    ListIncidents,
    MatchEvidence,
    Question,
    SearchIncidents,
    Vocab,
    ask,
)


@pytest.mark.parametrize(
    ("question", "arguments", "error", "message"),
    [
        (SearchIncidents, {}, InvalidValue, "`symptoms` is required"),
        (SearchIncidents, {"symptoms": ""}, InvalidValue, "`symptoms` is required"),
        (SearchIncidents, {"symptoms": "   "}, InvalidValue, "no readable character"),
        (SearchIncidents, {"symptoms": "\x00\x01"}, InvalidValue, "no readable character"),
        (SearchIncidents, {"symptoms": "x" * 2001}, InvalidValue, "2001 characters; at most 2000.*match_evidence"),
        (SearchIncidents, {"symptoms": "a", "limit": "0"}, InvalidValue, "`limit` is 0; it must be at least 1"),
        (SearchIncidents, {"symptoms": "a", "limit": "-1"}, InvalidValue, "at least 1"),
        (SearchIncidents, {"symptoms": "a", "limit": "21"}, InvalidValue, "at most 20"),
        (SearchIncidents, {"symptoms": "a", "limit": "9" * 400}, InvalidValue, "limit"),
        (SearchIncidents, {"symptoms": "a", "limit": "five"}, InvalidValue, "whole number, not `five`"),
        (SearchIncidents, {"symptoms": "a", "limit": "1.5"}, InvalidValue, "whole number"),
        (SearchIncidents, {"symptoms": "a", "lang": "fr"}, UnknownValue, "`fr` is not a value of `lang`.*en, ko"),
        (SearchIncidents, {"symptoms": "a", "domain": "k8s"}, UnknownValue, "kubernetes, ai-infra"),
        (SearchIncidents, {"symptoms": "a", "symptons": "b"}, UnknownArgument, "Nearest: symptoms"),
        (SearchIncidents, {"symptoms": "a", "query": "b"}, InvalidValue, "given twice"),
        (
            SearchIncidents,
            {"symptomes": "a"},
            UnknownArgument,
            "`symptomes`, and `symptoms` is required.*Nearest: symptoms, symptom. Des",
        ),
        (SearchIncidents, {"colour": "a"}, UnknownArgument, "no argument `colour`, and `symptoms` is required"),
        (
            SearchIncidents,
            {"symptom": "x"},
            InvalidValue,
            "`symptoms` is required.*`symptom` is a filter and takes a slug",
        ),
        (SearchIncidents, {"a": "1", "limitt": "2"}, UnknownArgument, "no arguments `a` and `limitt`.*Nearest: limit"),
        (GetTopic, {}, InvalidValue, "`kind` and `slug` are required. Give a kind"),
        (GetTopic, {"slugg": "x", "limit": "0"}, UnknownArgument, "`slugg`, and `kind` and `slug` are.*Nearest: slug"),
        (ListIncidents, {"compnent": "gpu"}, UnknownArgument, "Nearest: component"),
        (ListIncidents, {"sort": "best"}, UnknownValue, "newest, oldest, id"),
        (ListIncidents, {"since": "yesterday"}, InvalidValue, "2024, 2024-05 or 2024-05-31"),
        (ListIncidents, {"since": "2024-13-45"}, InvalidValue, "is not a date"),
        (ListIncidents, {"since": "2024", "until": "2023-05"}, InvalidValue, "later than `until`"),
        (SearchIncidents, {"symptoms": ["a"]}, InvalidValue, "must be text"),
        (SearchIncidents, {"symptoms": "a", "limit": True}, InvalidValue, "whole number"),
        (GetIncident, {"id": "477"}, InvalidValue, "Write it like IL-0001"),
        (GetIncident, {"id": "IL-0477", "budget": "10"}, InvalidValue, "at least 3000"),
        (GetTopic, {"kind": "symptom", "slug": "x"}, UnknownValue, "symptoms"),
        (Vocab, {"limit": "26"}, InvalidValue, "at most 25"),
        (MatchEvidence, {"text": "x" * 200_001}, InvalidValue, "200000"),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_could(
    question: type[Question], arguments: dict[str, str], error: type[KbError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        ask(question, arguments)
    assert "pydantic" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_null_and_empty_mean_absent() -> None:
    asked = ask(ListIncidents, {"component": None, "org": "", "limit": None})
    assert asked == ListIncidents()


def test_query_is_another_name_for_symptoms() -> None:
    assert ask(SearchIncidents, {"query": "x"}) == ask(SearchIncidents, {"symptoms": "x"})
    assert ask(SearchIncidents, {"query": "x", "symptoms": "x"}).symptoms == "x"


def test_decomposed_hangul_becomes_composed_and_control_characters_become_blanks() -> None:
    asked = ask(SearchIncidents, {"symptoms": unicodedata.normalize("NFD", "파드가\x07죽어요")})
    assert asked.symptoms == "파드가 죽어요"


def test_right_to_left_text_and_emoji_are_text() -> None:
    assert ask(SearchIncidents, {"symptoms": "\u202eسقط الخادم \N{FIRE}"}).symptoms


def test_every_kind_has_a_filter_of_its_singular_name() -> None:
    assert [kind.filter_name for kind in Kind] == ["symptom", "component", "root_cause", "factor", "org"]
    assert {kind.filter_name for kind in Kind} <= set(ListIncidents.model_fields)
