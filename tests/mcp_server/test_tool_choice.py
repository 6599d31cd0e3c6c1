"""The evaluation set is itself right: every expected call can be made, and is judged as it should be."""

from collections import Counter
from pathlib import Path

import pytest

from kb.mcp_server.server import judge
from kb.mcp_server.tools import TOOLS, ToolSpec
from kb.model import Kind
from kb.questions import ask
from kb.vocabulary import Vocabulary
from tests.mcp_server.tool_choice import FREE, Expected, faults, questions

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = questions()
SPECS = {spec.name: spec for spec in TOOLS}
KINDS = {"root_cause": Kind.root_causes, "component": Kind.components, "symptom": Kind.symptoms,
         "factor": Kind.factors, "org": Kind.orgs}  # fmt: skip


def right_call(one: Expected, lang: str) -> dict[str, str]:
    """What a model that understood would pass: the question's own words where text is free."""
    return {**one.given, **dict.fromkeys(one.words, getattr(one, lang))}


def test_there_are_sixty_and_every_tool_is_asked_for() -> None:
    counts = Counter(one.tool for one in QUESTIONS)

    assert len(QUESTIONS) == 60
    assert set(counts) == set(SPECS)
    assert min(counts.values()) >= 5
    assert len({one.en for one in QUESTIONS} | {one.ko for one in QUESTIONS}) == 120


@pytest.mark.parametrize("one", QUESTIONS, ids=lambda one: one.en[:40])
def test_the_expected_call_fits_the_schema_and_the_question(one: Expected) -> None:
    spec: ToolSpec = SPECS[one.tool]

    assert any("가" <= letter <= "힣" for letter in one.ko)
    assert not any("가" <= letter <= "힣" for letter in one.en)
    for lang in ("en", "ko"):
        call = right_call(one, lang)
        assert set(spec.input_schema.get("required", [])) <= set(call)
        ask(spec.question, judge(spec, call))
        assert faults(one, one.tool, call) == []
    for name, value in one.given.items():
        choices = spec.parameters[name].get("enum")
        assert choices is None or value in choices, (name, value)


def test_what_is_named_exists(vocabulary: Vocabulary) -> None:
    for one in QUESTIONS:
        for name, value in one.given.items():
            if name in KINDS:
                assert value in vocabulary.values[KINDS[name]], value
        if one.tool == "get_topic":
            assert one.given["slug"] in vocabulary.values[Kind(one.given["kind"])]
        for case in (one.given.get("case"), one.given.get("id") if one.tool == "get_incident" else None):
            assert case is None or (ROOT / "data" / "incidents" / f"{case}.yaml").is_file(), case
        if one.tool == "get_check":
            assert (ROOT / "kb" / "checks" / one.given["id"] / "check.yaml").is_file()
            assert one.given["id"] in one.en
            assert one.given["id"] in one.ko


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    from kb.corpus import read

    return read((ROOT / "data",)).vocabulary


def test_wrong_calls_are_told_apart() -> None:
    pending = next(one for one in QUESTIONS if one.tool == "search_incidents")
    etcd = next(one for one in QUESTIONS if one.given == {"kind": "components", "slug": "etcd"})

    assert faults(pending, "list_incidents", {}) == ["list_incidents instead of search_incidents"]
    assert faults(pending, "search_incidents", {"symptoms": "disk full"})
    assert faults(pending, "search_incidents", {"symptoms": "Pods PENDING", "component": "scheduler"})
    assert not faults(pending, "search_incidents", {"symptoms": "Pods PENDING", "domain": "any", "lang": "ko"})
    assert faults(etcd, "get_topic", {"kind": "symptoms", "slug": "etcd"})
    assert not faults(etcd, "get_topic", {"kind": "components", "slug": "etcd", "limit": 5})
    assert "symptoms" not in FREE
