"""The second endpoint: exactly `search` and `fetch`, in the shape that its clients demand, in both languages."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp_types import CallToolResult

from kb.library import Library
from kb.live import LiveLibrary
from kb.mcp_server.search_fetch import MAX_TEXT, PATH, SearchFetchServer
from kb.mcp_server.tools import TOOLS
from kb.model import Kind
from kb.questions import GetIncident
from kb.settings import Settings
from tests.mcp_server.conftest import with_client

ENGLISH, KOREAN = "pods stuck in Pending", "학습이 멈췄는데 로그가 없다"


@pytest.fixture(scope="module")
def second(settings: Settings, live: LiveLibrary) -> SearchFetchServer:
    return SearchFetchServer(live, settings.model_copy(update={"base_url": "https://cases.example"}))


def call(server: Any, name: str, arguments: dict[str, Any], mode: str = "auto") -> CallToolResult:
    async def job(client: Client) -> CallToolResult:
        return await client.call_tool(name, arguments)

    return with_client(server, mode, job)


def told(result: CallToolResult) -> Any:
    """What a client that reads only the text gets."""
    assert not result.is_error, result.content
    assert [item.type for item in result.content] == ["text"]
    return json.loads(result.content[0].text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_there_are_two_tools_with_one_argument_each(second: SearchFetchServer, mode: str) -> None:
    async def job(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = with_client(second, mode, job)

    assert [(tool.name, list(tool.input_schema["properties"])) for tool in tools] == [
        ("search", ["query"]),
        ("fetch", ["id"]),
    ]
    for tool in tools:
        assert tool.input_schema["required"] == list(tool.input_schema["properties"])
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations.read_only_hint
        Draft202012Validator.check_schema(tool.output_schema)


@pytest.mark.parametrize(("query", "lang"), [(ENGLISH, "en"), (KOREAN, "ko")])
def test_a_search_gives_ids_titles_and_whole_addresses(
    second: SearchFetchServer, library: Library, query: str, lang: str
) -> None:
    result = call(second, "search", {"query": query})
    answer = told(result)

    assert answer == result.structured_content
    assert list(answer) == ["results"]
    assert answer["results"]
    for found in answer["results"]:
        assert list(found) == ["id", "title", "url"]
        case = library.get_incident(GetIncident(id=found["id"].split(":")[0], lang=lang))
        assert found["title"] == case.title
        assert found["url"] == f"https://cases.example/{lang}/incidents/{case.id}"


@pytest.mark.parametrize("query", [ENGLISH, KOREAN])
def test_what_was_found_can_be_fetched_in_the_same_language(second: SearchFetchServer, query: str) -> None:
    for found in told(call(second, "search", {"query": query}))["results"]:
        result = call(second, "fetch", {"id": found["id"]})
        document = told(result)

        assert document == result.structured_content
        assert list(document) == ["id", "title", "text", "url", "metadata"]
        assert {name: document[name] for name in found} == found
        assert found["title"] in document["text"]
        assert all(isinstance(value, str) and value for value in document["metadata"].values())


def test_no_document_is_cut(library: Library, second: SearchFetchServer) -> None:
    for case_id in library.complete("id", ""):
        for lang in ("en", "ko"):
            document = told(call(second, "fetch", {"id": f"{case_id}:{lang}"}))
            assert len(document["text"]) < MAX_TEXT
            assert library.data_version in document["text"]


def test_nothing_similar_is_an_empty_list(second: SearchFetchServer) -> None:
    assert told(call(second, "search", {"query": "zzzz qqqq xxxx"})) == {"results": []}


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("search", {}, "`query` is required. Describe"),
        ("search", {"query": "x", "limit": 5}, "no argument `limit`"),
        ("search", {"symptoms": "x"}, "no argument `symptoms`, and `query` is required. Allowed: query."),
        ("search", {"query": "x" * 2001}, "`query` has 2001 characters; at most 2000 are taken. Shorten it to the"),
        ("search", {"query": "\0"}, "`query` cannot be used: holds no readable character"),
        ("fetch", {"id": "IL-99999"}, "IL-99999"),
        ("fetch", {"ids": "IL-0477"}, "no argument `ids`, and `id` is required. Allowed: id. Nearest: id."),
        ("fetch", {"id": "nonsense"}, "Write it like IL-0001"),
        ("fetch", {"id": "IL-0477:fr"}, "`fr` is not a value of `lang`"),
        ("fetch", {}, "`id` is required"),
        ("get_incident", {"id": "IL-0477"}, "no tool `get_incident`"),
    ],
)
def test_a_mistake_is_told_in_plain_words(
    second: SearchFetchServer, name: str, arguments: dict[str, Any], said: str
) -> None:
    result = call(second, name, arguments)

    assert result.is_error
    assert said in result.content[0].text
    assert not [tool.name for tool in TOOLS if tool.name in result.content[0].text.replace(f"`{name}`", "")]


def test_lower_case_ids_are_fetched_too(second: SearchFetchServer) -> None:
    assert told(call(second, "fetch", {"id": "il-0477"}))["id"] == "IL-0477"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_http_addresses_are_those_of_the_server_that_was_asked(address: str, mode: str) -> None:
    document = told(call(f"{address}{PATH}", "fetch", {"id": "IL-0477:ko"}, mode))

    assert PATH == "/mcp/search-fetch"
    assert document["url"] == f"{address}/ko/incidents/IL-0477"
    assert f"{address}/ko/incidents/IL-0477" in document["text"]


def test_filters_find_their_words_in_the_metadata(second: SearchFetchServer, library: Library) -> None:
    metadata = told(call(second, "fetch", {"id": "IL-0477"}))["metadata"]

    assert set(metadata["root_causes"].split(", ")) <= set(library.vocabulary.values[Kind.root_causes])
    assert metadata["data_version"] == library.data_version
