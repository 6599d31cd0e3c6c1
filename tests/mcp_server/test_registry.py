"""server.json: what the registry demands, and that nothing unpublished is passed off as an address."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kb import __version__
from kb.mcp_server import http, search_fetch
from kb.mcp_server.registry import MAX_DESCRIPTION, SCHEMA, UNOWNED, server_json, text
from kb.published import PUBLISHED, Published

ROOT = Path(__file__).resolve().parents[2]
WHOLE = Published("https://cases.example.org", "incident-library", "https://github.com/example/incident-library")


#: The rules of the published schema that concern what this document uses, in our words and not its text:
#: which fields there are, which must be there, how long they are, and of what form.
VERSION = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^\d+\.\d+\.\d+$"}
ADDRESS = {"type": "string", "pattern": r"^https?://[^\s]+$"}
INPUT = {"type": "object", "properties": {"description": {"type": "string"}, "isRequired": {"type": "boolean"}}}
ARGUMENT = {
    "type": "object",
    "required": ["type"],
    "properties": {"value": {"type": "string"}, "name": {"type": "string"}},
    "oneOf": [
        {"properties": {"type": {"const": "named"}}, "required": ["name"]},
        {
            "properties": {"type": {"const": "positional"}},
            "anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}],
        },
    ],
}
REMOTE = {
    "type": "object",
    "required": ["type", "url"],
    "properties": {
        "type": {"enum": ["streamable-http", "sse"]},
        "url": ADDRESS,
        "variables": {"type": "object", "additionalProperties": INPUT},
    },
    "additionalProperties": False,
}
PACKAGE = {
    "type": "object",
    "required": ["registryType", "identifier", "transport"],
    "properties": {
        "registryType": {"enum": ["npm", "pypi", "cargo", "oci", "nuget", "mcpb"]},
        "identifier": {"type": "string", "minLength": 1},
        "version": VERSION,
        "runtimeHint": {"type": "string"},
        "runtimeArguments": {"type": "array", "items": ARGUMENT},
        "packageArguments": {"type": "array", "items": ARGUMENT},
        "transport": {"type": "object", "required": ["type"], "properties": {"type": {"enum": ["stdio"]}}},
    },
    "dependentRequired": {"runtimeArguments": ["runtimeHint"]},
    "additionalProperties": False,
}
RULES = Draft202012Validator(
    {
        "type": "object",
        "required": ["$schema", "name", "description", "version"],
        "properties": {
            "$schema": {"const": SCHEMA},
            "name": {
                "type": "string", "minLength": 3, "maxLength": 200, "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
            },
            "title": {"type": "string", "minLength": 1, "maxLength": 100},
            "description": {"type": "string", "minLength": 1, "maxLength": MAX_DESCRIPTION},
            "version": VERSION,
            "websiteUrl": ADDRESS,
            "repository": {
                "type": "object",
                "required": ["url", "source"],
                "properties": {"url": ADDRESS, "source": {"enum": ["github", "gitlab"]}},
                "additionalProperties": False,
            },
            "remotes": {"type": "array", "minItems": 1, "items": REMOTE},
            "packages": {"type": "array", "minItems": 1, "items": PACKAGE},
        },
        "additionalProperties": False,
    }
)  # fmt: skip


@pytest.mark.parametrize("published", [Published(), WHOLE])
def test_the_document_keeps_the_rules_of_the_registry(published: Published) -> None:
    document = server_json(published)

    assert [error.message for error in RULES.iter_errors(document)] == []
    assert MAX_DESCRIPTION == 100
    assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+/[a-z0-9][a-z0-9._-]*[a-z0-9]", document["name"])
    assert document["version"] == __version__
    for remote, path in zip(document["remotes"], (http.PATH, search_fetch.PATH), strict=True):
        assert remote["url"].endswith(path)
        assert set(re.findall(r"\{(\w+)\}", remote["url"])) == set(remote.get("variables", {}))


@pytest.mark.parametrize(
    "change",
    [
        {"name": "incident-library"}, {"name": "a.b/c/d"}, {"description": "x" * 101}, {"version": "latest"},
        {"remotes": [{"type": "http", "url": "https://a.example/mcp"}]}, {"remotes": [{"type": "sse"}]},
        {"packages": [{"registryType": "pypi", "identifier": "x"}]}, {"repository": {"url": "https://a.example"}},
        {"$schema": "https://a.example/schema.json"}, {"homepage": "https://a.example"},
    ],
)  # fmt: skip
def test_a_document_that_breaks_a_rule_is_refused(change: dict[str, object]) -> None:
    assert not RULES.is_valid(server_json(WHOLE) | change)


def test_what_is_published_is_named() -> None:
    document = server_json(WHOLE)

    assert document["name"] == "org.example.cases/incident-library"
    assert document["remotes"][0]["url"] == "https://cases.example.org/mcp"
    assert document["repository"] == {"url": WHOLE.repository, "source": "github"}
    assert document["packages"][0]["identifier"] == "incident-library"


def test_what_is_not_published_stands_nowhere_as_an_address() -> None:
    document = server_json(Published())

    assert document["name"].startswith(UNOWNED)
    assert not {"packages", "repository", "websiteUrl"} & set(document)
    assert re.findall(r"https?://[^\"]+", text(Published()).replace(SCHEMA, "")) == [
        "http://{host}/mcp",
        "http://{host}/mcp/search-fetch",
    ]


def test_the_committed_document_is_the_one_that_the_project_makes() -> None:
    assert (ROOT / "server.json").read_text(encoding="utf-8") == text(PUBLISHED), "run scripts/server-json"
    assert json.loads(text(PUBLISHED))


def test_a_release_waits_until_every_address_is_known() -> None:
    made = "import runpy, sys; import kb.published as p; p.PUBLISHED = p.Published(package='x'); sys.argv[1:] = "
    run = [sys.executable, "-c", f"{made}['--release']; runpy.run_path('scripts/server-json', run_name='__main__')"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 1
    assert "base_url, repository" in done.stderr
