"""Whatever is asked, no answer is larger than it may be."""

import json
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult

from kb.answers import AnswerModel
from kb.checks.card import SourceName
from kb.library import Library
from kb.library.trimming import SECTIONS
from kb.mcp_server.paging import bounded
from kb.mcp_server.results import result as made_result
from kb.mcp_server.results import size
from kb.mcp_server.server import IncidentServer
from kb.mcp_server.tools import BUDGET, TOOLS
from kb.model import Domain, Kind
from kb.questions import GetCheck, ListChecks

QUIET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
#: As the size of the tool list is counted.
CHARACTERS_A_TOKEN = 4
WORDS = ("pods", "training", "학습이", "멈췄다", "etcd", "certificate", "GPU", "hangs", "인증서", "Xid 79")


def answer(server: IncidentServer, name: str, arguments: dict[str, Any]) -> CallToolResult | None:
    """Nothing where the question is refused."""

    async def main() -> Any:
        try:
            return await server.call_tool(name, arguments)
        except ToolError:
            return None

    return anyio.run(main)


def drawn(data: st.DataObject, field: str, schema: dict[str, Any], known: dict[str, list[str]]) -> Any:
    """A value of the argument, mostly one that exists."""
    if "enum" in schema:
        return data.draw(st.sampled_from(schema["enum"]), label=field)
    if schema["type"] == "integer":
        low, high = schema.get("minimum", 1), schema.get("maximum", 100)
        return data.draw(st.integers(low, high) | st.just(high), label=field)
    if field in ("symptoms", "query", "text"):
        return " ".join(data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=40), label=field))
    if field == "sections":
        return ",".join(data.draw(st.lists(st.sampled_from(SECTIONS), min_size=1, max_size=4), label=field))
    return data.draw(st.sampled_from(known.get(field, ["2020"])), label=field)


@pytest.fixture(scope="module")
def known(library: Library) -> dict[str, dict[str, list[str]]]:
    """Values that exist, by tool and argument."""
    slugs = {kind: sorted(library.vocabulary.values[kind]) for kind in Kind}
    filters = {kind.value.removesuffix("s"): slugs[kind] for kind in Kind}
    cases = list(library.complete("id", ""))
    return {
        "get_incident": {"id": cases},
        "get_topic": {"slug": [slug for kind in Kind for slug in slugs[kind]]},
        "get_check": {"id": [check.id for check in library.every_check(ListChecks())]},
        "list_checks": {"case": cases, **filters},
        **dict.fromkeys(("search_incidents", "list_incidents"), filters),
    }


@given(data=st.data())
@QUIET
def test_no_answer_exceeds_its_budget(
    server: IncidentServer, known: dict[str, dict[str, list[str]]], data: st.DataObject
) -> None:
    spec = data.draw(st.sampled_from(TOOLS), label="tool")
    needed = spec.input_schema.get("required", [])
    optional = [name for name in spec.parameters if name not in needed and name != "cursor"]
    names = [*needed, *data.draw(st.lists(st.sampled_from(optional), unique=True, max_size=4), label="arguments")]
    values = known.get(spec.name, {})
    arguments = {name: drawn(data, name, spec.parameters[name], values) for name in names}

    result = answer(server, spec.name, arguments)

    if result is not None:
        assert size(result) <= arguments.get("budget", BUDGET)
        assert size(result) == len(json.dumps(sent(result), ensure_ascii=False, separators=(",", ":")))


def sent(result: CallToolResult) -> Any:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_case_keeps_the_smallest_and_the_usual_budget(
    server: IncidentServer, library: Library, lang: str
) -> None:
    for case_id in library.complete("id", ""):
        for budget in (3000, BUDGET):
            result = answer(server, "get_incident", {"id": case_id, "lang": lang, "budget": budget})
            assert result is not None
            assert size(result) <= budget, case_id
            assert result.structured_content["title"]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_check_value_and_page_of_the_vocabulary_keeps_the_budget(
    server: IncidentServer, library: Library, lang: str
) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("get_check", {"id": check.id}) for check in library.every_check(ListChecks())
    ]
    asked += [
        ("get_topic", {"kind": kind, "slug": slug, "limit": 100})
        for kind in Kind
        for slug in sorted(library.vocabulary.values[kind])
    ]
    asked += [("vocab", {"kind": kind, "limit": 25}) for kind in Kind]
    asked += [("list_checks", {"kind": name, "limit": 100}) for name in SourceName]
    asked += [("list_incidents", {"domain": domain, "limit": 100}) for domain in Domain]
    for name, arguments in asked:
        result = answer(server, name, {**arguments, "lang": lang})
        assert result is not None
        assert size(result) <= BUDGET, (name, arguments)


def test_the_usual_budget_is_five_thousand_tokens() -> None:
    assert BUDGET / CHARACTERS_A_TOKEN == 5000


def test_a_check_with_more_replays_than_there_is_room_for_keeps_some_of_each_answer_and_says_where_all_are(
    server: IncidentServer,
) -> None:
    check = {"id": "workload/endpoint_probe_failing"}
    result = answer(server, "get_check", check)
    assert result is not None
    whole = server._live.current().get_check(GetCheck(**check))

    kept = result.structured_content["replays"]
    assert 0 < result.structured_content["left_out"] == len(whole.replays) - len(kept)
    assert {row["must"] for row in kept} == {replay.must for replay in whole.replays}
    assert [row["name"] for row in kept] == [r.name for r in whole.replays if r.name in {row["name"] for row in kept}]
    told = f"{len(whole.replays) - len(kept)} replays; check://{whole.id} holds them all."
    assert result.content[0].text.splitlines()[-1] == f"Left out to keep within the budget: {told}"
    assert any(str(item.uri) == f"check://{whole.id}" for item in result.content[1:])


def test_a_check_that_fits_is_whole(server: IncidentServer) -> None:
    result = answer(server, "get_check", {"id": "gpu/xid_fatal_counted"})
    assert result is not None
    assert "left_out" not in result.structured_content


def test_a_larger_budget_keeps_more_and_cut_names_what_went(server: IncidentServer) -> None:
    small = answer(server, "get_incident", {"id": "IL-0477", "budget": 4000})
    large = answer(server, "get_incident", {"id": "IL-0477", "budget": 100_000})

    assert small is not None
    assert large is not None
    assert large.structured_content["cut"] == []
    gone = {name.partition(".")[0] for name in small.structured_content["cut"]}
    assert gone
    assert gone <= set(large.structured_content)
    for name in gone:
        assert small.structured_content.get(name) != large.structured_content[name]


@pytest.mark.parametrize(
    ("name", "arguments", "rows"),
    [
        ("list_incidents", {"limit": 100}, "cases"),
        ("search_incidents", {"symptoms": "training job hangs", "limit": 20, "detail": "full"}, "cases"),
        ("list_checks", {"limit": 100}, "checks"),
    ],
)
def test_the_longest_lists_keep_the_budget_and_their_cursor_goes_on_where_they_stop(
    server: IncidentServer, name: str, arguments: dict[str, Any], rows: str
) -> None:
    told: list[str] = []
    ids: list[str] = []
    cursor: dict[str, str] = {}
    while len(ids) < arguments["limit"]:
        result = answer(server, name, {**arguments, **cursor})
        assert result is not None
        assert size(result) <= BUDGET
        content = result.structured_content
        told += [line for line in result.content[0].text.splitlines() if line.startswith("Left out")]
        ids += [row["id"] for row in content[rows]]
        assert len(content[rows]) + content.get("left_out", 0) <= arguments["limit"]
        if "next_cursor" not in content:
            break
        cursor = {"cursor": content["next_cursor"]}

    assert told
    assert "the cursor goes on" in told[0]
    assert len(ids) == len(set(ids))
    assert len(ids) >= min(arguments["limit"], content["count"])


def test_a_usual_page_is_whole(server: IncidentServer) -> None:
    result = answer(server, "list_incidents", {})

    assert result is not None
    assert len(result.structured_content["cases"]) == 20
    assert "left_out" not in result.structured_content


def test_a_row_larger_than_the_budget_is_still_shown(library: Library) -> None:
    """An answer of one row that does not fit is better than none."""
    spec = next(spec for spec in TOOLS if spec.name == "list_incidents")

    def ask(limit: int) -> AnswerModel:
        return spec.call(library, {"limit": limit})

    made = bounded(ask(9), 10, ask, lambda of, left_out: made_result(of, spec.output, "", left_out))
    assert len(made.structured_content["cases"]) == 1
    assert made.structured_content["left_out"] == 8
