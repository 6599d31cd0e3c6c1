"""server.json: what the registry demands, and that nothing unpublished is passed off as an address."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kb import __version__
from kb.mcp_server import http, search_fetch
from kb.mcp_server.registry import MAX_DESCRIPTION, SCHEMA, UNOWNED, server_json, text
from kb.published import PUBLISHED, Published

ROOT = Path(__file__).resolve().parents[2]
WHOLE = Published("https://cases.example.org", "incident-library", "https://github.com/example/incident-library")


@pytest.mark.parametrize("published", [Published(), WHOLE])
def test_the_document_keeps_the_rules_of_the_registry(published: Published) -> None:
    document = server_json(published)

    assert document["$schema"] == SCHEMA
    assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+/[a-z0-9][a-z0-9._-]*[a-z0-9]", document["name"])
    assert 0 < len(document["description"]) <= MAX_DESCRIPTION
    assert re.fullmatch(r"\d+\.\d+\.\d+", document["version"])
    assert document["version"] == __version__
    for remote, path in zip(document["remotes"], (http.PATH, search_fetch.PATH), strict=True):
        assert remote["type"] == "streamable-http"
        assert remote["url"].endswith(path)
        assert set(re.findall(r"\{(\w+)\}", remote["url"])) == set(remote.get("variables", {}))


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
