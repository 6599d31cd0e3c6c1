"""What each argument of each question means, in one line, and its flat JSON Schema.

Every face that publishes a schema (OpenAPI, MCP) takes both from here, so that they cannot differ.
"""

from typing import Any

from pydantic import BaseModel

from kb.questions import (
    DIAGNOSIS_KINDS,
    Changes,
    Feed,
    GetCheck,
    GetIncident,
    GetTopic,
    Holes,
    ListChecks,
    ListIncidents,
    MatchEvidence,
    Question,
    ScopedFeed,
    SearchIncidents,
    Vocab,
)

JsonSchema = dict[str, Any]

COMMON = {
    "lang": "Answer language.",
    "root_cause": "Slug of why it happened, e.g. `config-error`.",
    "component": "Slug of the part involved, e.g. `etcd`.",
    "symptom": "Slug of what was observed, e.g. `job-hang`.",
    "factor": "Slug of what made it worse, e.g. `no-alerting`.",
    "org": "Slug of who had it, e.g. `openai`.",
    "domain": "Only this field.",
    "cursor": "Last page's `next_cursor`.",
}

OWN: dict[type[Question], dict[str, str]] = {
    SearchIncidents: {
        "symptoms": "What is seen: a sentence or log lines, English or Korean.",
        "limit": "Cases per page.",
        "detail": "`full` adds cause, detection, actions.",
    },
    GetIncident: {
        "id": "Case id such as IL-0477.",
        "sections": "Only these fields, e.g. `narrative,actions`.",
        "budget": "Characters at most; `cut` names what was left out.",
    },
    ListIncidents: {
        "since": "Earliest date: 2024, 2024-05 or 2024-05-31.",
        "until": "Latest date, same forms.",
        "sort": "Order by date, or by id.",
        "limit": "Cases per page.",
        "detail": "`full` adds cause, detection, actions.",
    },
    GetTopic: {
        "kind": "Kind of the value.",
        "slug": "Slug of the value, e.g. `job-hang`; `vocab` finds it.",
        "symptoms": "Keep only cases this sentence finds.",
        "limit": "Cases per page.",
    },
    Vocab: {
        "query": "A few words, English or Korean; none lists all.",
        "kind": "Only this kind.",
        "limit": "Values per page.",
    },
    ListChecks: {
        "kind": "Only checks that read this source.",
        "status": "Only checks with this proof.",
        "case": "Only checks that catch this case.",
        "component": "Only checks for this component.",
        "limit": "Checks per page.",
    },
    Changes: {
        "since": "Day, month or year of the copy, or its data version; that day is included.",
        "limit": "Changes per page.",
    },
    Feed: {"limit": "Entries at most."},
    ScopedFeed: {"limit": "Entries at most."},
    Holes: {
        "show": "Which rows of the map.",
        "kind": "Only this kind.",
    },
    GetCheck: {"id": "Check id such as `gpu/xid_fatal_counted`."},
    MatchEvidence: {
        "text": "Pasted output: kernel log, NCCL error, `kubectl describe`.",
        "limit": "Most cases to return.",
    },
}

#: Closed sets of values that are narrower than the type of the argument.
ENUMS: dict[type[Question], dict[str, tuple[str, ...]]] = {Holes: {"kind": DIAGNOSIS_KINDS}}


def about(question: type[Question], name: str) -> str:
    """The line about one argument; `KeyError` where nobody wrote one."""
    own = OWN.get(question, {})
    return own.get(name) or question.model_fields[name].description or COMMON[name]


def properties(question: type[Question]) -> dict[str, JsonSchema]:
    """Argument name → JSON Schema without references, titles or null unions, each with its description.

    The order is that of the question, its own arguments before the inherited `lang` and filters.
    """
    schema = flat(question)
    fields: dict[str, JsonSchema] = schema["properties"]
    inherited = [name for name in fields if name in COMMON]
    order = [name for name in fields if name not in COMMON] + inherited
    out: dict[str, JsonSchema] = {}
    for name in order:
        field = {key: value for key, value in fields[name].items() if not (key == "default" and value is None)}
        if name in ENUMS.get(question, {}):
            field = {"type": "string", "enum": list(ENUMS[question][name])}
        out[name] = {**field, "description": about(question, name)}
    return out


def required(question: type[Question]) -> list[str]:
    return [name for name, field in question.model_fields.items() if field.is_required()]


def flat(model: type[BaseModel]) -> JsonSchema:
    """The JSON Schema of a model with references written out, and without titles and null unions."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    result: JsonSchema = _flat(schema, definitions)
    return result


def _flat(node: Any, definitions: JsonSchema) -> Any:
    if isinstance(node, list):
        return [_flat(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[1]]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    if "anyOf" in node:
        real = [item for item in node["anyOf"] if item != {"type": "null"}]
        if len(real) == 1:
            node = {**real[0], **{key: value for key, value in node.items() if key != "anyOf"}}
            return _flat(node, definitions)
    out: JsonSchema = {}
    for key, value in node.items():
        if key == "properties":
            out[key] = {name: _flat(item, definitions) for name, item in value.items()}
        elif key != "title":
            out[key] = _flat(value, definitions)
    return out
