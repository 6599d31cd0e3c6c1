"""What a model is told in every session: small, flat, described."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client

from kb.mcp_server.server import IncidentServer
from kb.mcp_server.tools import TOOLS
from kb.questions import FILTER_NAMES
from tests.mcp_server.conftest import Run, with_client

FLAT_TYPES = {"string", "integer", "number", "boolean"}


async def listed(client: Client) -> list[dict[str, Any]]:
    answer = await client.list_tools()
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)["tools"]


@pytest.fixture
def tools(run: Run) -> list[dict[str, Any]]:
    return run(listed)


def tokens(tools: list[dict[str, Any]]) -> float:
    return len(json.dumps(tools, ensure_ascii=False, separators=(",", ":"))) / 4


def test_the_list_stays_within_its_budget(tools: list[dict[str, Any]]) -> None:
    without = [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in tools]

    assert tokens(without) < 2400
    assert tokens(tools) < 5500


def test_the_tools_come_in_a_fixed_order(tools: list[dict[str, Any]]) -> None:
    assert [tool["name"] for tool in tools] == [
        "search_incidents", "get_incident", "list_incidents", "get_topic", "vocab",
        "list_checks", "get_check", "match_evidence",
    ]  # fmt: skip


def test_every_tool_says_that_it_only_reads_a_closed_catalogue(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        assert tool["title"]
        assert tool["annotations"] == {
            "readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False,
        }  # fmt: skip


def test_inputs_are_flat_and_closed_and_every_argument_is_described(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        schema = tool["inputSchema"]
        Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
        assert set(schema.get("required", ())) <= set(schema["properties"])
        for name, field in schema["properties"].items():
            assert field["type"] in FLAT_TYPES, (tool["name"], name)
            assert field["description"].endswith(".")
            assert not {"$ref", "anyOf", "title"} & set(field)
            if "enum" in field and name not in schema.get("required", ()):
                assert field["default"] in field["enum"], (tool["name"], name)


def test_outputs_are_compact_objects(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        schema = tool["outputSchema"]
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        text = json.dumps(schema)
        assert not any(f'"{word}"' in text for word in ("$ref", "$defs", "anyOf", "null"))
        assert '"title": "' not in text


def test_each_description_names_a_sibling_and_only_tools_that_exist(tools: list[dict[str, Any]]) -> None:
    names = {tool["name"] for tool in tools}
    for tool in tools:
        words = set(tool["description"].replace(".", " ").replace(",", " ").replace(";", " ").split())
        assert (words & names) - {tool["name"]}, tool["name"]
        assert "No login" in tool["description"]
        assert "  " not in tool["description"]
        assert "\n" not in tool["description"]


def test_both_tools_that_filter_take_all_six_filters() -> None:
    for spec in TOOLS:
        if spec.name in ("search_incidents", "list_incidents"):
            assert set(FILTER_NAMES) <= set(spec.parameters)


def test_lists_may_be_cached_by_anybody(server: IncidentServer) -> None:
    async def hints(client: Client) -> list[tuple[int, str]]:
        answers = [
            await client.list_tools(),
            await client.list_prompts(),
            await client.list_resources(),
            await client.list_resource_templates(),
            await client.read_resource("incident://IL-0477"),
        ]
        return [(answer.ttl_ms, answer.cache_scope) for answer in answers]

    found = with_client(server, "auto", hints)

    assert all(ttl > 0 and scope == "public" for ttl, scope in found)
