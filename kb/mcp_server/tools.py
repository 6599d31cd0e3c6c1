"""The eight tools: what each takes and gives, and the one `Library` call it makes."""

from collections.abc import Callable
from dataclasses import dataclass

from kb.answers import AnswerModel
from kb.library import Library
from kb.mcp_server import descriptions
from kb.mcp_server.outputs import (
    CheckListOut,
    EvidenceOut,
    ListOut,
    Out,
    SearchOut,
    TopicOut,
    VocabOut,
)
from kb.mcp_server.records import CheckOut, IncidentOut
from kb.model import ID_PATTERN
from kb.parameters import JsonSchema, properties, required
from kb.questions import (
    GetCheck,
    GetIncident,
    GetTopic,
    ListChecks,
    ListIncidents,
    MatchEvidence,
    Question,
    SearchIncidents,
    Vocab,
    ask,
)

ANY = "any"
BUDGET = 20_000
#: Limits that a schema need not repeat: the library refuses what breaks them, in words.
UNSAID = ("maxLength", "minLength", "pattern")


@dataclass(frozen=True)
class ToolSpec:
    """One tool.

    hidden: arguments of the question that this face does not offer.
    call: raw arguments to the answer.
    """

    name: str
    title: str
    description: str
    question: type[Question]
    output: type[Out]
    call: Callable[[Library, JsonSchema], AnswerModel]
    hidden: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, JsonSchema]:
        fields = {name: field for name, field in properties(self.question).items() if name not in self.hidden}
        return {name: _published(field, name in required(self.question)) for name, field in fields.items()}

    @property
    def input_schema(self) -> JsonSchema:
        schema: JsonSchema = {"type": "object", "properties": self.parameters, "additionalProperties": False}
        needed = required(self.question)
        return {**schema, "required": needed} if needed else schema


def _published(field: JsonSchema, needed: bool) -> JsonSchema:
    """Flat and short; an optional choice says `any` instead of null."""
    out = {key: value for key, value in field.items() if key not in UNSAID or value == ID_PATTERN}
    if "enum" in out and not needed and "default" not in out:
        out["enum"] = [ANY, *out["enum"]]
        out["default"] = ANY
    return out


def _search(library: Library, raw: JsonSchema) -> AnswerModel:
    return library.search_incidents(ask(SearchIncidents, raw))


def _get(library: Library, raw: JsonSchema) -> AnswerModel:
    """Uncut: the budget is kept on what is sent, of which this is only the matter."""
    return library.get_incident(ask(GetIncident, raw).model_copy(update={"budget": None}))


def budget_of(raw: JsonSchema) -> int:
    """Characters that the answer about one case may take."""
    return ask(GetIncident, raw).budget or BUDGET


def _list(library: Library, raw: JsonSchema) -> AnswerModel:
    return library.list_incidents(ask(ListIncidents, raw))


def _topic(library: Library, raw: JsonSchema) -> AnswerModel:
    return library.get_topic(ask(GetTopic, raw))


def _vocab(library: Library, raw: JsonSchema) -> AnswerModel:
    return library.vocab(ask(Vocab, raw))


def _checks(library: Library, raw: JsonSchema) -> AnswerModel:
    return library.list_checks(ask(ListChecks, raw))


def _check(library: Library, raw: JsonSchema) -> AnswerModel:
    return library.get_check(ask(GetCheck, raw))


def _evidence(library: Library, raw: JsonSchema) -> AnswerModel:
    return library.match_evidence(ask(MatchEvidence, raw))


TOOLS = (
    ToolSpec("search_incidents", "Search incidents by symptom", descriptions.SEARCH_INCIDENTS,
             SearchIncidents, SearchOut, _search),
    ToolSpec("get_incident", "Get one incident", descriptions.GET_INCIDENT,
             GetIncident, IncidentOut, _get),
    ToolSpec("list_incidents", "List incidents by filters", descriptions.LIST_INCIDENTS,
             ListIncidents, ListOut, _list, hidden=("detail",)),
    ToolSpec("get_topic", "Get one vocabulary value", descriptions.GET_TOPIC,
             GetTopic, TopicOut, _topic),
    ToolSpec("vocab", "Find vocabulary values", descriptions.VOCAB,
             Vocab, VocabOut, _vocab),
    ToolSpec("list_checks", "List live checks", descriptions.LIST_CHECKS,
             ListChecks, CheckListOut, _checks),
    ToolSpec("get_check", "Get one live check", descriptions.GET_CHECK,
             GetCheck, CheckOut, _check),
    ToolSpec("match_evidence", "Match pasted output", descriptions.MATCH_EVIDENCE,
             MatchEvidence, EvidenceOut, _evidence),
)  # fmt: skip
