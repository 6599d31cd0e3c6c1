"""The server on the user's own machine with two tools more, which look at the cluster: `kb mcp --checks`.

What they may look at is fixed when the server is started; no argument names an address, a file or a context, so a model
can be talked into nothing. They read only, and ask before each run.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, InputRequiredResult, Tool, ToolAnnotations

from kb.argument_names import judge_names
from kb.mcp_server.base import Live, State, tool
from kb.mcp_server.calls import answered
from kb.mcp_server.consent import consent
from kb.mcp_server.reports import report_result
from kb.mcp_server.server import INSTRUCTIONS, IncidentServer
from kb.mcp_server.tools import BUDGET
from kb.model import Lang
from kb.parameters import JsonSchema
from kb.questions import Question, ask
from kb.settings import Settings

WHOLE = "`kb check` and `kb blind-spots` on this machine print all"
#: Characters of the arguments in the question to the person.
MAX_SHOWN = 400

RUN_CHECKS = """\
Look at the user's cluster, read-only, for the library's incidents: run the named checks, those that would have caught a
case, those of a component, or without arguments all that the sources given at start can answer. Asks the user first. To
choose checks use list_checks and get_check; for what monitoring could not see, blind_spots. `unknown` was not seen and
is not healthy. Lists are shortened, counts are whole. Takes seconds to minutes."""

BLIND_SPOTS = """\
Say which of the library's incidents the user's Prometheus could not have seen, and which exporter or metric would show
them. Asks the user first; reads metric names only. To look for incidents under way use run_checks. Needs a Prometheus
given at start, and promtool. Takes up to some minutes."""

QUESTIONS = {
    Lang.en: "The assistant wants to look at {what}, read-only ({where}). Allow it this once?",
    Lang.ko: "어시스턴트가 {what} 읽기 전용으로 살펴보려 합니다({where}). 이번 한 번 허용하시겠습니까?",
}
#: Unlike the library, a cluster is a world outside.
ANNOTATIONS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True)
TEXT: JsonSchema = {"type": "string"}
TEXTS: JsonSchema = {"type": "array", "items": TEXT}
COUNT: JsonSchema = {"type": "integer"}
ROWS: JsonSchema = {"type": "array", "items": {"type": "object"}}
LANG: JsonSchema = {"type": "string", "enum": ["en", "ko"], "default": "en", "description": "Answer language."}


class Machine(Protocol):
    """The user's machine: what was named at start, and the two ways of looking at it."""

    @property
    def where(self) -> str:
        """The sources, as the person named them."""
        ...

    def run_checks(self, checks: list[str], case: str, component: str, lang: Lang) -> tuple[str, JsonSchema]:
        """Report as Markdown and as data. Raises KbError."""
        ...

    def blind_spots(self, lang: Lang) -> tuple[str, JsonSchema]:
        """Report as Markdown and as data. Raises KbError."""
        ...


@dataclass(frozen=True)
class LocalTool:
    name: str
    title: str
    description: str
    parameters: JsonSchema
    output: JsonSchema
    what: dict[Lang, str]
    call: Callable[[Machine, JsonSchema, Lang], tuple[str, JsonSchema]]


def _run(machine: Machine, given: JsonSchema, lang: Lang) -> tuple[str, JsonSchema]:
    checks = [name.strip() for name in str(given.get("checks") or "").split(",") if name.strip()]
    return machine.run_checks(checks, str(given.get("case") or ""), str(given.get("component") or ""), lang)


LOCAL_TOOLS = (
    LocalTool(
        "run_checks",
        "Run live checks",
        RUN_CHECKS,
        {
            "checks": {**TEXT, "description": "Check ids, e.g. `gpu/xid_fatal_counted`, separated by commas."},
            "case": {**TEXT, "description": "Only checks that would have caught this case, e.g. IL-0477."},
            "component": {**TEXT, "description": "Only checks for this component's slug, e.g. `etcd`."},
            "lang": LANG,
        },
        {
            "exit_status": COUNT, "checks_run": COUNT, "looked_at": COUNT, "clear": COUNT, "found": COUNT,
            "findings": ROWS, "unknown_count": COUNT, "unknown": ROWS, "accepted": COUNT,
            "not_applicable": TEXTS, "skipped": TEXTS, "started": TEXT, "data_version": TEXT,
        },
        {Lang.en: "your cluster with live checks", Lang.ko: "클러스터를 라이브 검사로"},
        _run,
    ),
    LocalTool(
        "blind_spots",
        "Find blind spots",
        BLIND_SPOTS,
        {"lang": LANG},
        {"seen": COUNT, "hidden_count": COUNT, "hidden": ROWS, "gaps": ROWS, "metrics_missing": TEXTS},
        {Lang.en: "the names of your metrics", Lang.ko: "지표 이름을"},
        lambda machine, _, lang: machine.blind_spots(lang),
    ),
)  # fmt: skip


class LocalServer(IncidentServer):
    """consented: the person allowed every run when starting the server (`--yes`)."""

    def __init__(self, live: Live, settings: Settings, machine: Machine, *, consented: bool) -> None:
        said = INSTRUCTIONS.replace(
            "this server runs nothing and reaches no cluster.",
            "here run_checks does that and asks the user first; blind_spots says what monitoring could not see.",
        )
        super().__init__(live, settings, instructions=said)
        self._machine = machine
        self._consented = consented

    async def list_tools(self) -> list[Tool]:
        return [*await super().list_tools(), *map(_listed, LOCAL_TOOLS)]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[State, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Raises ToolError: one plain sentence, also for a no."""
        called = next((one for one in LOCAL_TOOLS if one.name == name), None)
        if called is None:
            return await super().call_tool(name, arguments, context)
        lang = await answered(lambda: _judge(called, arguments))
        if not self._consented:
            question = QUESTIONS[lang].format(what=called.what[lang], where=self._machine.where)
            narrowed = {key: value for key, value in arguments.items() if value and key != "lang"}
            about = json.dumps(narrowed, sort_keys=True) if narrowed else ""
            shown = about if len(about) <= MAX_SHOWN else f"{about[:MAX_SHOWN]}…"
            asked = await consent(context, f"{question} {shown}".rstrip(), about)
            if asked is not None:
                return asked
        text, report = await answered(lambda: called.call(self._machine, arguments, lang))
        return report_result(text, report, BUDGET, WHOLE)


def _judge(called: LocalTool, arguments: JsonSchema) -> Lang:
    judge_names(arguments, tuple(called.parameters))
    return ask(Question, {"lang": arguments.get("lang")}).lang


def _listed(one: LocalTool) -> Tool:
    return tool(
        one.name,
        one.title,
        one.description,
        {"type": "object", "properties": one.parameters, "additionalProperties": False},
        {"type": "object", "properties": one.output, "required": list(one.output)},
        ANNOTATIONS,
    )
