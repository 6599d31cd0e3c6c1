"""The parts of the OpenAPI document: arguments, answers, headers and errors of each address."""

from typing import Any

from kb.api import published
from kb.api.costs import cost
from kb.api.examples import ARGUMENTS, BODIES, problem
from kb.api.operations import Operation
from kb.api.problems import MEDIA_TYPE
from kb.model import Kind
from kb.parameters import JsonSchema, required
from kb.questions import Question

Responses = dict[int | str, dict[str, Any]]
PATH_PARTS = {
    "family": "Family of the check, e.g. `gpu`.",
    "name": "Name of the check within its family.",
    "kind": "Kind of the value, or `domains`.",
    "slug": "Slug of the value, or the domain.",
}
OWN_PATH_PARTS = {
    ("/export/", "name"): "Name of the file, as the list of exports gives it.",
    ("/schemas/", "name"): "Kind of file: case, check or replay.",
}
CHOICES = {
    ("/schemas/", "name"): ("case", "check", "replay"),
    ("/feeds/", "kind"): ("domains", *Kind),
}
EXAMPLES = {("/export/", "name"): "all.ndjson", ("/schemas/", "name"): "case"}
ERRORS = {
    404: "Nothing has this id, slug or name; the nearest that exist are named.",
    413: "The body has more than 1 MB.",
    415: "The body is not application/json.",
    416: "The range lies outside the file; `Content-Range` names its size.",
    422: "An argument is unknown, repeated, missing or has a value that cannot be used.",
    429: "The budget of this client address is used up; ask again after `Retry-After` seconds.",
    500: "Internal error.",
    503: "No build of the library is ready; try again after `Retry-After` seconds.",
}
LIMIT_HEADERS = {
    "RateLimit-Policy": "The budget: quota of points (`q`) and seconds of its window (`w`).",
    "RateLimit": "What is left of it: points (`r`) and seconds until all are back (`t`).",
}
HEADERS = {
    "X-Data-Version": "The build of the data that answered.",
    "X-Schema-Version": "The version of these schemas.",
}
LINK = {"Link": "The same for people, as a page."}
CACHE_HEADERS = {
    "ETag": "Strong validator for `If-None-Match`.",
    "Last-Modified": "Day of the newest record.",
}
RETRY = {"Retry-After": "Seconds to wait."}


def arguments(operation: Operation) -> JsonSchema:
    """Parameters or request body of one operation, and what it costs."""
    if operation.method != "POST" or operation.question is None:
        return {"parameters": _parameters(operation.path, operation.question)}
    if operation.body is not None:
        schema: JsonSchema = operation.body
    else:
        schema = published.body(operation.question)
    content = {"schema": schema, "example": BODIES[operation.name]}
    out: JsonSchema = {"requestBody": {"required": True, "content": {"application/json": content}}}
    if operation.body is not None:
        out["parameters"] = _parameters(operation.path, operation.question)
    return out


def document_arguments(path: str, question: type[Question] | None) -> JsonSchema:
    return {"parameters": _parameters(path, question)}


def described(path: str, text: str) -> str:
    """The text of an operation, with its cost."""
    charged = cost(path)
    return f"{text} Costs {charged.points} of the budget." if charged else text


def responses(operation: Operation) -> Responses:
    """The answer, its headers, and every error with its problem document."""
    posted = operation.method == "POST"
    headers = LIMIT_HEADERS | HEADERS | LINK | ({} if posted else CACHE_HEADERS)
    out: Responses = {
        200: {
            "model": operation.answer,
            "description": "The answer.",
            "headers": _headers(headers),
        }
    }
    if not posted:
        out[304] = _unchanged()
    if operation.canonical is not None:
        out[308] = _elsewhere()
    missing = operation.name == "get_incidents_batch" or operation.canonical is not None
    return out | _errors(operation.path, [404] * missing + [413, 415] * posted + [422, 429, 500, 503])


def document_responses(path: str, media_types: tuple[str, ...], *, missing: bool) -> Responses:
    """The same for an address that answers with a file or a text."""
    stored, moved = "/export/" in path, path.startswith("/feeds/")
    headers = _headers(LIMIT_HEADERS | HEADERS | CACHE_HEADERS)
    content = {name: {"schema": {"type": "string"} | ({"format": "binary"} if stored else {})} for name in media_types}
    if "json" in media_types[0] and not stored:
        content = {name: {"schema": {"type": "object"}} for name in media_types}
    out: Responses = {200: {"description": "The document.", "headers": headers, "content": content}}
    if stored or path == "/llms-full.txt":
        out[206] = {"description": "The part that `Range` names.", "headers": headers, "content": content}
    out[304] = _unchanged()
    if moved:
        out[308] = _elsewhere()
    ranged = [416] if 206 in out else []
    return out | _errors(path, [404] * missing + ranged + [422, 429, 500, 503])


def _unchanged() -> dict[str, Any]:
    return {"description": "Unchanged since the `ETag` in `If-None-Match`.", "headers": _headers(CACHE_HEADERS)}


def _elsewhere() -> dict[str, Any]:
    text = "The record's one address, where the one asked is spelt otherwise or renamed."
    return {"description": text, "headers": _headers({"Location": "The address."})}


def _errors(path: str, statuses: list[int]) -> Responses:
    out: Responses = {}
    for status in statuses:
        content = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": problem(status, path)}
        out[status] = {"description": ERRORS[status], "content": {MEDIA_TYPE: content}}
        if status in (429, 503):
            out[status]["headers"] = _headers(RETRY | (LIMIT_HEADERS if status == 429 else {}))
    return out


def _headers(texts: dict[str, str]) -> dict[str, Any]:
    return {name: {"description": text, "schema": {"type": "string"}} for name, text in texts.items()}


def _parameters(path: str, question: type[Question] | None) -> list[JsonSchema]:
    fields = published.arguments(question) if question is not None else {}
    out: list[JsonSchema] = []
    for name in _path_names(path):
        field = fields.pop(name, None) or _part(path, name)
        out.append(_parameter(name, field, where="path", needed=True) | _own_example(path, name))
    if "{family}" in path:
        fields.pop("id", None)
    needed = required(question) if question is not None else []
    return out + [_parameter(name, field, where="query", needed=name in needed) for name, field in fields.items()]


def _own_example(path: str, name: str) -> JsonSchema:
    return next(({"example": value} for (part, of), value in EXAMPLES.items() if of == name and part in path), {})


def _part(path: str, name: str) -> JsonSchema:
    """A part of a path that is no argument of the question."""
    own = (text for (part, of), text in OWN_PATH_PARTS.items() if of == name and part in path)
    schema: JsonSchema = {"type": "string", "description": next(own, PATH_PARTS[name])}
    choices = next((values for (part, of), values in CHOICES.items() if of == name and part in path), None)
    return {**schema, "enum": list(choices)} if choices else schema


def _parameter(name: str, field: JsonSchema, *, where: str, needed: bool) -> JsonSchema:
    schema = {key: value for key, value in field.items() if key != "description"}
    out = {
        "name": name,
        "in": where,
        "required": needed,
        "description": field["description"],
        "schema": schema,
    }
    if where == "query" and not needed:
        # Which means: as if it were not there.
        out["allowEmptyValue"] = True
    if name in ARGUMENTS and (needed or name == "query"):
        out["example"] = ARGUMENTS[name]
    return out


def _path_names(path: str) -> list[str]:
    return [part[1:].partition("}")[0] for part in path.split("/") if part.startswith("{")]
