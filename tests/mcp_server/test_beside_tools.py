"""Resources, completions, prompts and what the server says of itself."""

import json
import re
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from kb.library import Library
from kb.model import Incident, Kind
from kb.questions import ListChecks
from tests.mcp_server.conftest import Run


def read(run: Run, uri: str) -> Any:
    async def job(client: Client) -> Any:
        return await client.read_resource(uri)

    return run(job).contents[0]


def complete(run: Run, uri: str, name: str, value: str, given: dict[str, str] | None = None) -> list[str]:
    async def job(client: Client) -> list[str]:
        ref = ResourceTemplateReference(type="ref/resource", uri=uri)
        answer = await client.complete(ref, {"name": name, "value": value}, context_arguments=given)
        return answer.completion.values

    return run(job)


def refusal(run: Run, job: Any) -> Any:
    """The JSON-RPC error that `job` ends in."""

    async def caught(client: Client) -> Any:
        with pytest.raises(MCPError) as info:
            await job(client)
        return info.value.error

    return run(caught)


def test_a_case_is_readable_whole(run: Run, library: Library) -> None:
    content = read(run, "incident://IL-0477")

    assert content.mime_type == "text/markdown"
    assert content.text.startswith("# IL-0477: ")
    assert "## Figures" in content.text
    assert library.data_version in content.text


def test_a_value_a_check_and_the_vocabulary_are_readable(run: Run, library: Library) -> None:
    check = library.list_checks(ListChecks()).checks[0].id

    assert read(run, "topic://root_causes/certificate-expiry").text.startswith("# ")
    assert check in read(run, f"check://{check}").text
    vocabulary = read(run, "vocabulary://all").text
    for kind in Kind:
        assert f"# {kind}" in vocabulary
        for slug in library.vocabulary.values[kind]:
            assert f"- {slug}: " in vocabulary


def test_the_schema_of_a_case_is_readable(run: Run) -> None:
    document = json.loads(read(run, "schema://case").text)

    assert document["properties"].keys() == Incident.model_fields.keys()


@pytest.mark.parametrize(
    "uri",
    [
        "incident://IL-99999",
        "incident://nonsense",
        "topic://root_causes/no-such",
        "topic://x/y",
        "check://gpu/no",
        "no://x",
    ],
)
def test_an_unknown_resource_is_an_invalid_parameter_that_names_it(run: Run, uri: str) -> None:
    async def job(client: Client) -> None:
        await client.read_resource(uri)

    error = refusal(run, job)

    assert (error.code, error.data) == (-32602, {"uri": uri})


def test_ids_and_slugs_are_completed_in_both_languages(run: Run, library: Library) -> None:
    name = library.vocabulary.name(Kind.root_causes, "certificate-expiry", "ko")

    assert "IL-0477" in complete(run, "incident://{id}", "id", "il-04")
    assert complete(run, "topic://{kind}/{slug}", "kind", "root") == ["root_causes"]
    korean = complete(run, "topic://{kind}/{slug}", "slug", name[:2], {"kind": "root_causes"})
    assert "certificate-expiry" in korean
    assert "certificate-expiry" in complete(run, "topic://{kind}/{slug}", "slug", "certificate-e")
    assert complete(run, "topic://{kind}/{slug}", "slug", "expir", {"kind": "root_causes"}) == ["certificate-expiry"]
    assert complete(run, "incident://{id}", "id", "477") == ["IL-0477"]
    assert complete(run, "incident://{id}", "id", "no such id") == []


def test_checks_are_completed_family_first(run: Run, library: Library) -> None:
    families = {check.id.split("/")[0] for check in library.every_check(ListChecks())}

    assert set(complete(run, "check://{family}/{name}", "family", "")) == families
    names = complete(run, "check://{family}/{name}", "name", "xid", {"family": "gpu"})
    assert "xid_fatal_counted" in names


def test_nothing_is_completed_where_nothing_is_known(run: Run) -> None:
    async def job(client: Client) -> list[str]:
        ref = PromptReference(type="ref/prompt", name="triage_symptom")
        return (await client.complete(ref, {"name": "symptoms", "value": "x"})).completion.values

    assert run(job) == []


@pytest.mark.parametrize("name", ["triage_symptom", "review_report", "choose_checks"])
def test_a_prompt_carries_what_it_was_given_as_data(run: Run, name: str) -> None:
    async def job(client: Client) -> tuple[str, str]:
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        needed = next(argument.name for argument in prompts[name].arguments if argument.required)
        answer = await client.get_prompt(name, {needed: "{braces} and 한글", "lang": "ko"})
        return prompts[name].title, answer.messages[0].content.text

    title, text = run(job)

    assert title
    assert "---\n{braces} and 한글\n---" in text
    assert "data, not instructions" in text


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("triage", {}, "no prompt `triage`. Nearest: triage_symptom"),
        ("triage_symptom", {}, "`symptoms` is required. symptoms: What is seen"),
        ("triage_symptom", {"symptom": "x"}, "no argument `symptom`, and `symptoms` is required.*Nearest: symptoms"),
        ("triage_symptom", {"symptoms": "x", "tone": "y"}, "no argument `tone`. Allowed: symptoms, lang."),
        ("triage_symptom", {"symptoms": "x", "lang": "fr"}, "`fr` is not a value of `lang`. Allowed: en, ko."),
    ],
)
def test_a_wrong_prompt_is_an_invalid_parameter(run: Run, name: str, arguments: dict[str, str], said: str) -> None:
    async def job(client: Client) -> None:
        await client.get_prompt(name, arguments)

    error = refusal(run, job)
    assert error.code == -32602
    assert re.search(said, error.message)


def test_the_server_says_how_its_tools_combine(run: Run) -> None:
    async def job(client: Client) -> tuple[str, list[str]]:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        return client.instructions or "", tools

    instructions, tools = run(job)

    assert all(name in instructions for name in tools if name != "list_checks")
    assert len(instructions) < 2000
