"""Calls: what comes back, and what a mistake is told."""

import logging
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp_types import CallToolResult

from kb.errors import KbError, UnknownArgument
from kb.library import Library
from kb.live import LiveLibrary
from kb.mcp_server.outputs import schema
from kb.mcp_server.server import IncidentServer, judge
from kb.mcp_server.tools import ANY, TOOLS, ToolSpec
from kb.questions import ListChecks, SearchIncidents, ask
from kb.settings import Settings
from tests.mcp_server.conftest import Run, with_client

XID = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."
GOOD_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_incidents", {"symptoms": "pods stuck in Pending"}),
    ("search_incidents", {"query": "학습이 멈췄는데 로그가 없다", "lang": "ko", "detail": "full", "domain": "any"}),
    ("search_incidents", {"symptoms": "zzzz qqqq xxxx"}),
    ("get_incident", {"id": "IL-0477"}),
    ("get_incident", {"id": "IL-0477", "lang": "ko", "sections": "summary"}),
    ("get_incident", {"id": "IL-0477", "budget": 3000}),
    ("list_incidents", {}),
    ("list_incidents", {"component": None, "symptom": "", "domain": "ai-infra", "limit": 100, "sort": "id"}),
    ("get_topic", {"kind": "root_causes", "slug": "certificate-expiry"}),
    ("get_topic", {"kind": "symptoms", "slug": "job-hang", "symptoms": "training hangs", "lang": "ko"}),
    ("get_topic", {"kind": "orgs", "slug": "tencent"}),
    ("vocab", {"query": "인증서 만료", "kind": "any"}),
    ("vocab", {"kind": "orgs", "limit": 25}),
    ("list_checks", {"kind": "any", "status": "any"}),
    ("list_checks", {"kind": "prometheus"}),
    ("get_check", {"id": "gpu/xid_fatal_counted"}),
    ("match_evidence", {"text": XID}),
    ("match_evidence", {"text": "nothing of note"}),
]
BAD_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("search_incidents", {"symptom_text": "x"}, "Nearest: symptom"),
    ("search_incidents", {}, "`symptoms` is required"),
    ("search_incidents", {"symptoms": "x", "limit": 21}, "at most 20"),
    ("search_incidents", {"symptoms": "x", "domain": "cooking"}, "`cooking` is not a value of `domain`"),
    ("search_incidents", {"symptoms": "x", "root_cause": "certificate-expire"}, "certificate-expiry"),
    ("search_incidents", {"symptoms": ["x"]}, "`symptoms`"),
    ("get_incident", {"id": "IL-99999"}, "IL-99999"),
    ("get_incident", {"id": "477"}, "Write it like IL-0001"),
    ("list_incidents", {"detail": "full"}, "no argument `detail`"),
    ("get_topic", {"kind": "any", "slug": "job-hang"}, "`any` is not a value of `kind`"),
    ("get_topic", {"kind": "factors", "slug": "job-hang"}, "job-hang"),
    ("vocab", {"limit": 26}, "at most 25"),
    ("get_check", {"id": "gpu/xid_fatal"}, "gpu/xid_fatal_counted"),
    ("match_evidence", {"text": "   "}, "no readable character"),
    ("search_incident", {"symptoms": "x"}, "search_incidents"),
]


def call(run: Run, name: str, arguments: dict[str, Any]) -> CallToolResult:
    async def job(client: Client) -> CallToolResult:
        return await client.call_tool(name, arguments)

    result: CallToolResult = run(job)
    return result


@pytest.mark.parametrize(("name", "arguments"), GOOD_CALLS)
def test_an_answer_has_text_and_content_that_fits_the_schema(run: Run, name: str, arguments: dict[str, Any]) -> None:
    result = call(run, name, arguments)

    assert not result.is_error, result.content[0].text
    spec = next(spec for spec in TOOLS if spec.name == name)
    Draft202012Validator(schema(spec.output)).validate(result.structured_content)
    assert result.content[0].text.strip()
    assert "null" not in str(result.structured_content)
    assert all(item.type == "resource_link" for item in result.content[1:])
    assert len(result.content) <= 6


@pytest.mark.parametrize(("name", "arguments", "said"), BAD_CALLS)
def test_a_mistake_is_told_in_plain_words(run: Run, name: str, arguments: dict[str, Any], said: str) -> None:
    result = call(run, name, arguments)

    assert result.is_error
    assert [item.type for item in result.content] == ["text"]
    text = result.content[0].text
    assert said in text
    assert "\n" not in text
    leaks = ("Traceback", "pydantic", "http", "Error executing", str(Path(__file__).parents[2]), "site-packages")
    assert not any(leak in text for leak in leaks)


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_every_tool_names_what_it_does_not_know_before_what_is_missing(server: IncidentServer, spec: ToolSpec) -> None:
    needed = spec.input_schema.get("required", [])
    for name in spec.parameters:
        with pytest.raises(UnknownArgument) as caught:
            judge(spec, {name[:1] + name: "x"})
        assert caught.value.nearest[-1] == name
        assert set(caught.value.nearest) <= {name, *needed}
        assert caught.value.allowed == tuple(spec.parameters)
        assert all(f"`{missing}`" in caught.value.what for missing in needed)
    with pytest.raises(UnknownArgument, match="no arguments `no` and `such`") as caught:
        judge(spec, {"no": 1, "such": 2, **dict.fromkeys(needed, "x")})
    assert "required" not in str(caught.value)


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_an_error_offers_the_choices_that_the_schema_lists(server: IncidentServer, spec: ToolSpec) -> None:
    for name, field in spec.parameters.items():
        if "enum" not in field:
            continue
        needed = {other: "x" for other in spec.input_schema.get("required", []) if other != name}
        with pytest.raises(KbError) as caught:
            ask(spec.question, judge(spec, {**needed, name: field["enum"][-1] + "x"}))
        assert caught.value.field == name
        assert list(caught.value.allowed) == [value for value in field["enum"] if value != ANY]
        assert caught.value.nearest == (field["enum"][-1],)


def test_a_crash_says_nothing_and_is_logged(
    server: IncidentServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr("kb.library.Library.vocab", crash)

    async def job(client: Client) -> CallToolResult:
        return await client.call_tool("vocab", {"query": "x"})

    with caplog.at_level(logging.ERROR):
        result = with_client(server, "auto", job)

    assert (result.is_error, result.content[0].text) == (True, "Internal error; it has been logged.")
    assert "secret of the house" in caplog.text


def test_search_says_what_the_library_says(run: Run, library: Library) -> None:
    asked = library.search_incidents(SearchIncidents(symptoms="training job hangs", limit=3))

    result = call(run, "search_incidents", {"symptoms": "training job hangs", "limit": "3"})

    content = result.structured_content
    assert (content["verdict"], content["count"]) == (asked.verdict, asked.count)
    assert [(case["id"], case["score"]) for case in content["cases"]] == [(hit.id, hit.score) for hit in asked.cases]
    assert [case["why"] for case in content["cases"]] == [[why.text for why in hit.why] for hit in asked.cases]
    for hit in asked.cases:
        assert hit.id in result.content[0].text
    assert [str(item.uri) for item in result.content[1:]] == [f"incident://{hit.id}" for hit in asked.cases]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("search_incidents", {"symptoms": "zzzz qqqq xxxx"}, "Say so to the user."),
        ("search_incidents", {"symptoms": "IL-0224", "component": "etcd"}, "ask again with fewer filters"),
        ("list_incidents", {"org": "tencent", "component": "etcd"}, "leave out one of them"),
        ("vocab", {"query": "zzzz qqqq xxxx"}, "use search_incidents with the words themselves"),
        ("list_checks", {"kind": "steps", "component": "etcd"}, "leave out one of them"),
        ("match_evidence", {"text": "nothing of note"}, "use search_incidents with what is seen"),
    ],
)
def test_an_empty_answer_says_what_to_do_next(run: Run, name: str, arguments: dict[str, Any], said: str) -> None:
    assert said in call(run, name, arguments).content[0].text


def test_a_next_check_names_a_few_causes_and_counts_the_rest(run: Run) -> None:
    result = call(run, "search_incidents", {"symptoms": "pods stuck in Pending"})
    rows = result.structured_content["next_checks"]
    told = [line for line in result.content[0].text.splitlines() if line.startswith("Next check: ")]

    assert len(told) == len(rows) > 0
    for line, row in zip(told, rows, strict=True):
        more = len(row["separates"]) - 5
        assert line.endswith(f" and {more} more" if more > 0 else row["separates"][-1])


def test_a_topic_shows_its_edge_on_two_cases(run: Run) -> None:
    result = call(run, "get_topic", {"kind": "symptoms", "slug": "straggler"})
    examples = result.structured_content["examples"]
    assert (examples["belongs"]["id"], "instead" in examples["belongs"]) == ("IL-0053", False)
    assert (examples["does_not_belong"]["id"], examples["does_not_belong"]["instead"]) == (
        "IL-0032",
        "throughput-degradation",
    )
    assert all(side["why"] in result.content[0].text for side in examples.values())


def test_the_contract_fields_of_a_case_in_a_list_are_there(run: Run) -> None:
    case = call(run, "list_incidents", {"limit": 1}).structured_content["cases"][0]

    assert {"id", "slug", "title", "org", "domain", "root_causes", "components", "symptoms", "factors", "page"} <= set(
        case
    )


def test_korean_is_answered_in_korean(run: Run) -> None:
    result = call(run, "get_incident", {"id": "IL-0477", "lang": "ko"})

    assert any("가" <= letter <= "힣" for letter in result.structured_content["title"])
    assert result.structured_content["title"] in result.content[0].text


def test_every_check_can_be_read(run: Run, library: Library) -> None:
    for check in library.every_check(ListChecks()):
        result = call(run, "get_check", {"id": check.id})
        assert result.structured_content["id"] == check.id
        assert f"kb check --check {check.id}" in result.content[0].text


def test_pages_are_absolute_where_the_public_address_is_known(settings: Settings, live: LiveLibrary) -> None:
    async def job(client: Client) -> CallToolResult:
        return await client.call_tool("get_incident", {"id": "IL-0477"})

    public = settings.model_copy(update={"base_url": "https://cases.example"})
    result = with_client(IncidentServer(live, public), "auto", job)

    assert result.structured_content["page"] == "https://cases.example/en/incidents/IL-0477"
    assert "https://cases.example/en/incidents/IL-0477" in result.content[0].text
