"""`kb mcp --checks`: two tools that look at the user's cluster, and only after a yes."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, ElicitResult
from tdqs import lint_server, parse_tool_definitions

from kb.checks.blind_spots import metrics_of
from kb.checks.contract import Sample
from kb.checks.site import Ignore, Site
from kb.cli import main
from kb.cli.machine import MAX_ROWS, Given, OwnMachine
from kb.errors import InvalidValue
from kb.library import Library
from kb.live import LiveLibrary
from kb.mcp_server.local import LOCAL_TOOLS, MAX_SHOWN, WHOLE, LocalServer
from kb.mcp_server.reports import report_result
from kb.mcp_server.results import size
from kb.mcp_server.server import IncidentServer
from kb.mcp_server.tools import BUDGET
from kb.model import Lang
from kb.settings import Settings
from tests.checks.fakes import FakePrometheus, failing
from tests.mcp_server.conftest import with_client

XID = "[Thu Mar 14 02:11:09 2024] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.\n"
CHECK = "gpu/xid_kernel_log"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "dmesg.txt"
    path.write_text(XID, encoding="utf-8")
    return path


@pytest.fixture
def machine(settings: Settings, log: Path) -> OwnMachine:
    return OwnMachine(settings, Site(), Given(logs=[str(log)]))


class Asked:
    """A person who answers `action` to whatever is asked."""

    def __init__(self, action: str) -> None:
        self.action: Any = action
        self.questions: list[str] = []

    async def __call__(self, context: object, params: Any) -> ElicitResult:
        self.questions.append(params.message)
        return ElicitResult(action=self.action, content={} if self.action == "accept" else None)


def call(target: Any, mode: str, name: str, arguments: dict[str, Any], person: Asked | None = None) -> CallToolResult:
    async def main() -> CallToolResult:
        async with Client(target, mode=mode, elicitation_callback=person) as client:
            return await client.call_tool(name, arguments)

    return anyio.run(main)


@pytest.fixture
def server(settings: Settings, live: LiveLibrary, machine: OwnMachine) -> LocalServer:
    return LocalServer(live, settings, machine, consented=False)


def test_the_two_tools_are_off_by_default(settings: Settings, live: LiveLibrary, server: LocalServer) -> None:
    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    public, local = with_client(IncidentServer(live, settings), "auto", names), with_client(server, "auto", names)

    assert local == [*public, "run_checks", "blind_spots"]
    for tool in ("run_checks", "blind_spots"):
        result = call(IncidentServer(live, settings), "auto", tool, {})
        assert f"no tool `{tool}`" in result.content[0].text


def test_what_the_server_says_of_itself_is_true_of_it(server: LocalServer) -> None:
    async def said(client: Client) -> tuple[str, list[dict[str, Any]]]:
        tools = (await client.list_tools()).model_dump(mode="json", by_alias=True, exclude_none=True)["tools"]
        return client.instructions or "", tools

    instructions, tools = with_client(server, "auto", said)

    assert "run_checks" in instructions
    assert "runs nothing" not in instructions
    assert len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False)) / 4 < 6500
    report = lint_server(server_name="x", tools=parse_tool_definitions({"tools": tools}).tools)
    assert not [finding for tool in report.tools for finding in tool.findings] + report.findings
    for tool in tools[-2:]:
        assert tool["annotations"]["readOnlyHint"]
        assert tool["annotations"]["openWorldHint"]
        assert not {"prometheus", "kube", "host", "logs"} & set(tool["inputSchema"]["properties"])


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_yes_runs_the_checks_once(server: LocalServer, log: Path, mode: str) -> None:
    person = Asked("accept")
    result = call(server, mode, "run_checks", {"checks": CHECK}, person)

    assert not result.is_error, result.content
    [question] = person.questions
    assert str(log) in question
    assert CHECK in question
    content = result.structured_content
    Draft202012Validator(next(tool.output for tool in LOCAL_TOOLS if tool.name == "run_checks")).validate(content)
    assert (content["exit_status"], content["found"], content["checks_run"]) == (1, 1, 1)
    assert content["findings"][0]["check"] == CHECK
    assert content["findings"][0]["cases"]
    assert "Xid" in result.content[0].text


def test_a_second_run_sees_what_the_log_says_by_then(machine: OwnMachine, log: Path) -> None:
    _, first = machine.run_checks([CHECK], "", "", Lang.en)
    log.write_text("[Thu Mar 14 02:11:09 2024] NVRM: loading NVIDIA UNIX x86_64 Kernel Module\n", encoding="utf-8")
    _, second = machine.run_checks([CHECK], "", "", Lang.en)

    assert (first["found"], second["found"]) == (1, 0)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_no_looks_at_nothing(server: LocalServer, monkeypatch: pytest.MonkeyPatch, mode: str, action: str) -> None:
    monkeypatch.setattr("kb.cli.machine.look", must_not_run)

    result = call(server, mode, "run_checks", {}, Asked(action))

    assert result.is_error
    assert "nothing was looked at" in result.content[0].text


def must_not_run(*_: object, **__: object) -> None:
    raise AssertionError("ran without a yes")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("tool", ["run_checks", "blind_spots"])
def test_a_client_that_cannot_ask_is_told_how_to_allow_it(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch, mode: str, tool: str
) -> None:
    monkeypatch.setattr("kb.cli.machine.look", must_not_run)

    result = call(server, mode, tool, {})

    assert result.is_error
    assert "kb mcp --checks --yes" in result.content[0].text


def test_the_question_comes_in_the_language_of_the_call(server: LocalServer) -> None:
    person = Asked("accept")
    result = call(server, "auto", "run_checks", {"checks": CHECK, "lang": "ko"}, person)

    assert "읽기 전용" in person.questions[0]
    assert any("가" <= letter <= "힣" for letter in result.structured_content["findings"][0]["title"])


def test_a_yes_to_one_question_is_none_to_another(server: LocalServer) -> None:
    """The answer of 2026-07-28 travels with the call, so it is bound to what was asked."""

    async def main() -> tuple[Any, Any]:
        async with Client(server, mode="2026-07-28", elicitation_callback=Asked("accept")) as client:
            first = await client.session.call_tool("run_checks", {"checks": CHECK}, allow_input_required=True)
            said = {key: ElicitResult(action="accept", content={}) for key in first.input_requests}
            other = await client.session.call_tool(
                "run_checks", {}, input_responses=said, request_state=first.request_state, allow_input_required=True
            )
            same = await client.session.call_tool(
                "run_checks", {"checks": CHECK}, input_responses=said, request_state=first.request_state,
                allow_input_required=True,
            )  # fmt: skip
            return other, same

    other, same = anyio.run(main)

    assert other.result_type == "input_required"
    assert same.structured_content["found"] == 1


def test_a_yes_to_a_long_list_is_none_to_one_that_only_begins_alike(server: LocalServer) -> None:
    shown = ",".join([CHECK] * 40)
    person = Asked("accept")

    async def main() -> tuple[Any, Any]:
        async with Client(server, mode="2026-07-28", elicitation_callback=person) as client:
            first = await client.session.call_tool("run_checks", {"checks": shown}, allow_input_required=True)
            said = {key: ElicitResult(action="accept", content={}) for key in first.input_requests}
            other = await client.session.call_tool(
                "run_checks", {"checks": f"{shown},gpu/fell_off_bus_log"}, input_responses=said,
                request_state=first.request_state, allow_input_required=True,
            )  # fmt: skip
            return first, other

    first, other = anyio.run(main)

    [asked] = first.input_requests.values()
    assert len(shown) > MAX_SHOWN
    assert len(asked.params.message) < MAX_SHOWN + 300
    assert asked.params.message.endswith("…")
    assert other.result_type == "input_required"


def test_with_yes_at_the_start_nobody_is_asked(settings: Settings, live: LiveLibrary, machine: OwnMachine) -> None:
    result = call(LocalServer(live, settings, machine, consented=True), "auto", "run_checks", {"case": "il-0224"})

    assert not result.is_error, result.content
    assert result.structured_content["checks_run"] >= 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"prometheus": "http://x"}, "no argument `prometheus`"),
        ({"checks": "gpu/none"}, "gpu/none"),
        ({"case": "IL-99999"}, "There is no case IL-99999"),
        ({"component": "no-such"}, "no-such"),
        ({"lang": "fr"}, "`fr`"),
    ],
)
def test_a_mistake_is_told_in_plain_words(
    settings: Settings, live: LiveLibrary, machine: OwnMachine, arguments: dict[str, Any], said: str
) -> None:
    result = call(LocalServer(live, settings, machine, consented=True), "auto", "run_checks", arguments)

    assert result.is_error
    assert said in result.content[0].text


def test_blind_spots_needs_a_prometheus(settings: Settings, live: LiveLibrary, machine: OwnMachine) -> None:
    result = call(LocalServer(live, settings, machine, consented=True), "auto", "blind_spots", {})

    assert "--prometheus" in result.content[0].text


def test_blind_spots_tells_what_the_metrics_show(
    settings: Settings, live: LiveLibrary, machine: OwnMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = metrics_of(machine._catalogue)

    def everything(expr: str, at: float) -> list[Sample]:
        return [Sample({"__name__": name}, 1.0, at) for name in names if name in expr]

    monkeypatch.setattr("kb.cli.machine.open_prometheus", lambda *_: FakePrometheus(everything))
    own = OwnMachine(settings, Site(), Given(prometheus="http://prometheus.test"))
    result = call(LocalServer(live, settings, own, consented=True), "auto", "blind_spots", {})

    content = result.structured_content
    Draft202012Validator(next(tool.output for tool in LOCAL_TOOLS if tool.name == "blind_spots")).validate(content)
    assert content["seen"] > 0
    assert (content["hidden_count"], content["metrics_missing"]) == (0, [])


def test_a_source_that_does_not_answer_is_told_as_such(
    settings: Settings, live: LiveLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.cli.machine.open_prometheus", lambda *_: failing("timeout"))
    own = OwnMachine(settings, Site(), Given(prometheus="http://prometheus.test"))
    result = call(LocalServer(live, settings, own, consented=True), "auto", "blind_spots", {})

    assert result.is_error
    assert "does not answer" in result.content[0].text


def test_long_reports_are_cut_and_counted(settings: Settings, tmp_path: Path) -> None:
    many = tmp_path / "many.txt"
    lines = [XID.replace("3b", f"{number:02x}") for number in range(1, 200)]
    many.write_text("".join(lines), encoding="utf-8")
    text, report = OwnMachine(settings, Site(), Given(logs=[str(many)])).run_checks([], "", "", "en")  # type: ignore[arg-type]

    assert len(report["findings"]) <= MAX_ROWS
    assert report["found"] >= len(report["findings"])
    made = report_result(text, {**report, "skipped": ["x" * 900] * 90}, BUDGET, WHOLE)
    assert size(made) <= BUDGET
    assert made.structured_content["found"] == report["found"]
    assert made.content[0].text.splitlines()[-1].startswith("Left out to keep within the budget: parts of ")
    assert "skipped" in made.content[0].text.splitlines()[-1]


def test_a_short_report_is_whole() -> None:
    made = report_result("fine", {"findings": [{"check": "a"}]}, BUDGET, WHOLE)

    assert (made.content[0].text, made.structured_content) == ("fine", {"findings": [{"check": "a"}]})


def test_the_command_offers_them_over_its_pipes(settings: Settings, library: Library, log: Path) -> None:
    environment = {**os.environ, "KB_CACHE": str(settings.cache), "KB_DATA": settings.data}
    arguments = ["-m", "kb", "mcp", "--checks", "--logs", str(log)]
    process = StdioServerParameters(command=sys.executable, args=arguments, env=environment)

    person = Asked("accept")
    result = call(process, "auto", "run_checks", {"checks": CHECK}, person)

    assert result.structured_content["found"] == 1
    assert len(person.questions) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--checks"], "needs to be told what the assistant may look at"),
        (["--checks", "--logs", "-"], "Standard input belongs to the assistant"),
        (["--yes"], "only together with `--checks`"),
        (["--prometheus", "http://x"], "only together with `--checks`"),
    ],
)
def test_the_command_refuses_what_it_cannot_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["kb", "mcp", *arguments])

    with pytest.raises(SystemExit) as ended:
        main()

    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (2, "")
    assert said in told.err


def test_a_log_that_can_be_read_only_once_is_refused_at_the_start(tmp_path: Path) -> None:
    os.mkfifo(path := tmp_path / "old")

    with pytest.raises(InvalidValue, match="can be read only once, and each run reads anew") as caught:
        Given(logs=[str(tmp_path / "later.txt"), str(path)])

    assert caught.value.next_step == "Save it to a file and give `--logs` that."


def test_every_kind_of_source_is_named_to_the_person() -> None:
    given = Given(prometheus="http://p:9090", kube="", host="", logs=["a.txt"])

    assert given.words == [
        "Prometheus http://p:9090",
        "Kubernetes (current context)",
        "host (this machine)",
        "log a.txt",
    ]
    with pytest.raises(InvalidValue):
        Given()


def test_what_the_site_has_accepted_is_not_found_again(settings: Settings, live: LiveLibrary, log: Path) -> None:
    known = Ignore.model_validate({"check": CHECK, "reason": "being replaced", "until": "2999-12-31"})
    own = OwnMachine(settings, Site(ignore=(known,)), Given(logs=[str(log)]))
    content = call(
        LocalServer(live, settings, own, consented=True), "auto", "run_checks", {"checks": CHECK}
    ).structured_content

    assert (content["found"], content["accepted"], content["exit_status"]) == (0, 1, 0)


def test_what_lets_in_is_not_shown_to_the_person_or_the_assistant(settings: Settings, live: LiveLibrary) -> None:
    own = OwnMachine(settings, Site(), Given(prometheus="http://reader:secret@127.0.0.1:9"))
    person = Asked("accept")
    result = call(LocalServer(live, settings, own, consented=False), "auto", "blind_spots", {}, person)

    assert "Prometheus http://127.0.0.1:9" in person.questions[0]
    assert "secret" not in person.questions[0] + result.content[0].text


def test_blind_spots_finds_the_prometheus_of_the_cluster_that_was_given(
    settings: Settings, live: LiveLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []

    def opened(*arguments: object) -> FakePrometheus:
        asked.append(arguments)
        return failing("timeout")

    monkeypatch.setattr("kb.cli.machine.open_prometheus", opened)
    own = OwnMachine(settings, Site(), Given(prometheus="auto", kube="prod"))
    call(LocalServer(live, settings, own, consented=True), "auto", "blind_spots", {})

    assert [(arguments[0], arguments[-1]) for arguments in asked] == [("auto", "prod")]
