"""The server as an assistant starts it: a process, standard input and output."""

import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from kb.cli import keeping
from kb.errors import NoBuild
from kb.library import Library
from kb.live import LiveLibrary
from kb.mcp_server.stdio import Prepared
from kb.settings import Settings
from tests.mcp_server.conftest import with_client

SERVE = "from kb.mcp_server.stdio import serve; from kb.settings import Settings; serve(Settings())"


def process(settings: Settings, *arguments: str) -> StdioServerParameters:
    environment = {**os.environ, "KB_CACHE": str(settings.cache), "KB_DATA": settings.data}
    return StdioServerParameters(command=sys.executable, args=list(arguments), env=environment)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_command_answers_over_its_pipes(settings: Settings, library: Library, mode: str) -> None:
    async def job(client: Client) -> tuple[int, Any]:
        tools = await client.list_tools()
        answer = await client.call_tool("get_incident", {"id": "IL-0477"})
        return len(tools.tools), answer.structured_content

    count, content = with_client(process(settings, "-m", "kb", "mcp"), mode, job)

    assert (count, content["id"]) == (8, "IL-0477")


def test_without_a_build_the_tools_are_listed_all_the_same(settings: Settings, tmp_path: Path) -> None:
    async def job(client: Client) -> tuple[int, str]:
        tools = await client.list_tools()
        answer = await client.call_tool("vocab", {})
        return len(tools.tools), answer.content[0].text

    bare = settings.model_copy(update={"cache": tmp_path})
    count, text = with_client(process(bare, "-c", SERVE), "auto", job)

    assert count == 8
    assert "kb build" in text


def test_a_call_waits_for_the_preparation_and_the_list_does_not(live: LiveLibrary, library: Library) -> None:
    gate = threading.Event()
    prepared = Prepared(live, gate.wait)
    answers: list[str] = []
    caller = threading.Thread(target=lambda: answers.append(prepared.current().data_version))
    caller.start()

    assert not answers
    gate.set()
    caller.join(10)

    assert answers == [library.data_version]


def test_a_preparation_that_fails_is_told_to_whoever_needed_it(live: LiveLibrary) -> None:
    def fail() -> None:
        raise NoBuild("The disk is full.")

    with pytest.raises(NoBuild, match="The disk is full"):
        Prepared(live, fail).current()


def test_an_older_build_answers_while_the_new_one_is_made(settings: Settings, library: Library) -> None:
    gate, said = threading.Event(), list[str]()
    own = LiveLibrary(settings)
    prepared = Prepared(own, gate.wait, said.append)

    assert prepared.current().data_version == library.data_version
    assert not gate.is_set()
    assert [library.data_version in line for line in said] == [True]
    gate.set()
    prepared._thread.join(10)
    own.close()


def test_an_older_build_goes_on_answering_where_the_new_one_fails(settings: Settings, library: Library) -> None:
    said: list[str] = []

    def fail() -> None:
        raise NoBuild("The disk is full.")

    own = LiveLibrary(settings)
    prepared = Prepared(own, fail, said.append)
    prepared._thread.join(30)

    assert prepared.current().data_version == library.data_version
    assert "The disk is full" in said[-1]
    own.close()


def test_without_an_older_build_the_new_one_is_waited_for(settings: Settings, tmp_path: Path) -> None:
    said: list[str] = []

    def fail() -> None:
        raise NoBuild("The disk is full.")

    with pytest.raises(NoBuild, match="The disk is full"):
        Prepared(LiveLibrary(settings.model_copy(update={"cache": tmp_path})), fail, said.append).current()
    assert said == []


def test_the_command_speaks_of_an_older_build_only_where_files_were_touched(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[Any] = []
    monkeypatch.setattr("kb.mcp_server.stdio.serve", lambda *_, say, **__: given.append(say))
    for fresh in (True, False):
        monkeypatch.setattr(keeping, "is_fresh", lambda _, fresh=fresh: fresh)
        keeping.mcp()

    assert given[0] is None
    given[1]("an older build answers")
    assert capsys.readouterr() == ("", "an older build answers\n")
