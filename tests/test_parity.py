"""The same twenty questions through a socket, a process, HTML and MCP: the same answers.

Nothing is called in this process: the website and REST go through a real server, the command line is a process of
its own, MCP goes through the official client.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import anyio
import httpx
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from kb.settings import Settings
from tests.serving import served

SEARCHES: tuple[dict[str, str], ...] = (
    {"symptoms": "pods stuck in Pending"},
    {"symptoms": "파드가 pending 상태에서 안 넘어가요", "lang": "ko"},
    {"symptoms": "GPU has fallen off the bus", "limit": "3"},
    {"symptoms": "학습이 멈췄는데 에러가 없다", "lang": "ko", "limit": "20"},
    {"symptoms": "node not ready", "domain": "kubernetes"},
    {"symptoms": "training hangs", "component": "training-framework"},
    {"symptoms": "best pizza in town"},
    {"symptoms": "OOMKilled"},
    {"symptoms": 'a & b <script> "quotes" 100%', "lang": "en"},
    {"symptoms": "인증서가 만료됐어요", "lang": "ko"},
)
LISTS: tuple[dict[str, str], ...] = (
    {},
    {"domain": "ai-infra"},
    {"component": "gpu", "lang": "ko"},
    {"symptom": "node-not-ready", "sort": "oldest"},
    {"since": "2024", "sort": "id"},
    {"org": "dfds", "root_cause": "capacity"},
)
TOPICS: tuple[dict[str, str], ...] = (
    {"kind": "symptoms", "slug": "gpu-unavailable"},
    {"kind": "root_causes", "slug": "capacity", "lang": "ko"},
    {"kind": "symptoms", "slug": "job-hang", "lang": "ko"},
)
CASES: tuple[dict[str, str], ...] = ({"id": "IL-0477"}, {"id": "IL-0097", "lang": "ko"})


@pytest.fixture(scope="module")
def here(settings: Settings) -> Iterator[str]:
    with served(settings) as address:
        yield address


def rest(here: str, path: str, arguments: dict[str, str]) -> Any:
    answer = httpx.get(f"{here}/api/v1/{path}", params=arguments, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def command(settings: Settings, *arguments: str) -> Any:
    env = {**os.environ, "KB_DATA": settings.data, "KB_CACHE": str(settings.cache_folder)}
    done = subprocess.run(
        [sys.executable, "-m", "kb", *arguments, "--json"], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def options(arguments: dict[str, str], *positional: str) -> list[str]:
    named = {k: v for k, v in arguments.items() if k not in positional}
    return [arguments[name] for name in positional] + [f"--{k.replace('_', '-')}={v}" for k, v in named.items()]


def mcp(here: str, tool: str, arguments: dict[str, str]) -> Any:
    typed: dict[str, Any] = {k: int(v) if v.isdigit() else v for k, v in arguments.items()}

    async def call() -> Any:
        async with Client(streamable_http_client(f"{here}/mcp")) as client:
            return await client.call_tool(tool, typed)

    result = anyio.run(call)
    assert not result.is_error, result.content
    return result.structured_content


def page(here: str, lang: str, path: str, arguments: dict[str, str]) -> str:
    # The website has its own language and length of a page.
    query = urlencode({k: v for k, v in arguments.items() if k not in ("lang", "limit")})
    answer = httpx.get(f"{here}/{lang}/{path}?{query}", timeout=30, follow_redirects=True)
    assert answer.status_code == 200, answer.text
    return answer.text


def listed(html: str) -> list[str]:
    """The cases of the list on a page, in order; the graph and the rail name cases too and stand elsewhere."""
    rows = re.findall(r'<li class="case[^"]*" id="(IL-\d+)"', html)
    return rows or re.findall(r'class="id" href="/(?:en|ko)/incidents/(IL-\d+)"', html)


@pytest.mark.parametrize("asked", SEARCHES, ids=lambda asked: asked["symptoms"][:20])
def test_search_answers_alike_on_every_face(here: str, settings: Settings, asked: dict[str, str]) -> None:
    answers = [
        rest(here, "search", asked),
        command(settings, "search", *options(asked, "symptoms")),
        mcp(here, "search_incidents", asked),
        httpx.post(f"{here}/api/v1/search", json=asked, timeout=30).json(),
    ]
    told = [
        (a["verdict"], a["count"], [(c["id"], c["score"], c["title"]) for c in a["cases"]], a["data_version"])
        for a in answers
    ]
    assert told[1:] == told[:-1]
    best = [next_best(answer) for answer in answers]
    assert best[1:] == best[:-1]
    shown = listed(page(here, asked.get("lang", "en"), "", asked))
    ids = [case["id"] for case in answers[0]["cases"]]
    assert shown[: len(ids)] == ids


@pytest.mark.parametrize("asked", LISTS, ids=lambda asked: urlencode(asked) or "all")
def test_lists_are_alike_on_every_face(here: str, settings: Settings, asked: dict[str, str]) -> None:
    answers = [
        rest(here, "incidents", asked),
        command(settings, "list", *options(asked)),
        mcp(here, "list_incidents", asked),
    ]
    told = [(a["count"], [(c["id"], c["title"], c["date"]) for c in a["cases"]]) for a in answers]
    assert told[1:] == told[:-1]
    assert listed(page(here, asked.get("lang", "en"), "", asked)) == [case[0] for case in told[0][1]]


def check_ids(topic: Any) -> list[str]:
    """MCP names the checks only, to stay small."""
    return [check if isinstance(check, str) else check["id"] for check in topic["checks"]]


def next_best(answer: Any) -> list[tuple[str, list[str], float]]:
    return [(one["check"], one["separates"], one["gain"]) for one in answer["next_checks"]]


@pytest.mark.parametrize("asked", TOPICS, ids=lambda asked: asked["slug"])
def test_topics_are_alike_on_every_face(here: str, settings: Settings, asked: dict[str, str]) -> None:
    lang = {k: v for k, v in asked.items() if k == "lang"}
    answers = [
        rest(here, f"topics/{asked['kind']}/{asked['slug']}", lang),
        command(settings, "topic", *options(asked, "kind", "slug")),
        mcp(here, "get_topic", asked),
    ]
    told = [(a["count"], [c["id"] for c in a["cases"]], check_ids(a), next_best(a)) for a in answers]
    assert told[1:] == told[:-1]
    html = page(here, asked.get("lang", "en"), f"{asked['kind']}/{asked['slug']}", {})
    assert listed(html) == told[0][1]
    shown = html.split('id="next"', 1)[1].split("</ol>", 1)[0] if 'id="next"' in html else ""
    assert re.findall(r'<li><a href="/\w+/checks/([^"]+)"', shown) == [check for check, _, _ in told[0][3]]


@pytest.mark.parametrize("asked", CASES, ids=lambda asked: asked["id"])
def test_a_case_is_alike_on_every_face(here: str, settings: Settings, asked: dict[str, str]) -> None:
    lang = {k: v for k, v in asked.items() if k == "lang"}
    whole = rest(here, f"incidents/{asked['id']}", lang)
    assert command(settings, "show", *options(asked, "id")) == whole
    short = mcp(here, "get_incident", asked)
    for field in ("id", "title", "summary", "root_causes", "symptoms"):
        assert short[field] == whole[field]
    html = page(here, asked.get("lang", "en"), f"incidents/{asked['id']}", {})
    assert whole["id"] in html
    for source in whole["sources"]:
        assert source["url"] in html


@pytest.mark.parametrize(
    ("path", "line", "tool", "arguments"),
    [
        ("search?symptons=x", ["search", "--symptons=x", "y"], "search_incidents", {"symptons": "x"}),
        ("incidents?symptom=pod-pendng", ["list", "--symptom=pod-pendng"], "list_incidents", {"symptom": "pod-pendng"}),
        ("incidents/IL-9999", ["show", "IL-9999"], "get_incident", {"id": "IL-9999"}),
        ("incidents?limit=0", ["list", "--limit=0"], "list_incidents", {"limit": 0}),
    ],
)
def test_errors_are_errors_on_every_face(
    here: str, settings: Settings, path: str, line: list[str], tool: str, arguments: dict[str, Any]
) -> None:
    answer = httpx.get(f"{here}/api/v1/{path}", timeout=30)
    assert answer.status_code in (404, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    env = {**os.environ, "KB_DATA": settings.data, "KB_CACHE": str(settings.cache_folder)}
    done = subprocess.run([sys.executable, "-m", "kb", *line], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)

    async def call() -> Any:
        async with Client(streamable_http_client(f"{here}/mcp")) as client:
            return await client.call_tool(tool, arguments)

    result = anyio.run(call)
    assert result.is_error
    said = done.stderr.removeprefix("kb: ").strip()
    if "symptons" not in said:  # the command line knows its options by name and refuses others itself
        assert said == answer.json()["detail"] == result.content[0].text
