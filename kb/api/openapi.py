"""What the OpenAPI 3.1 document says of each operation; its schemas come from questions and answers."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from kb import __version__
from kb.api.operations import Operation
from kb.api.problems import MEDIA_TYPE, Problem
from kb.parameters import JsonSchema, properties, required
from kb.settings import Settings

EXAMPLES: dict[str, str] = {
    "symptoms": "NCCL watchdog timeout, GPU utilisation falls to 0",
    "query": "certificate expired",
    "id": "IL-0477",
    "kind": "symptoms",
    "slug": "job-hang",
    "family": "gpu",
    "name": "xid_fatal_counted",
}
PATH_PARTS = {"family": "Family of the check, e.g. `gpu`.", "name": "Name of the check within its family."}
ERRORS = {
    404: "Nothing has this id, slug or name; the nearest that exist are named.",
    413: "The body has more than 1 MB.",
    415: "The body is not application/json.",
    422: "An argument is unknown, repeated, missing or has a value that cannot be used.",
    500: "Internal error.",
    503: "No build of the library is ready; try again after `Retry-After` seconds.",
}
HEADERS = {
    "X-Data-Version": "The build of the data that answered.",
    "X-Schema-Version": "The version of these schemas.",
    "Link": "The same for people, as a page.",
}
CACHE_HEADERS = {
    "ETag": "Strong validator for `If-None-Match`.",
    "Last-Modified": "Day of the newest record.",
}
DESCRIPTION = """\
Public post-incident reports about Kubernetes and AI infrastructure as structured cases, and the
live checks that would have caught them. No key, no account; reads stay keyless. Read-only. What is asked
is not stored.

Every error is `application/problem+json` (RFC 9457). Unknown argument names are refused, never ignored;
an empty
value means absent. Answers change only with the data version: use `ETag` with `If-None-Match`
(`Last-Modified` is
the day of the newest record, too coarse to compare by). Page with `next_cursor`. Additions to answers are
not
breaking changes; anything else gets a new version in the path."""


def arguments(operation: Operation) -> JsonSchema:
    """Parameters or request body of one operation."""
    if operation.method == "POST" and operation.question is not None:
        schema = {
            "type": "object",
            "properties": properties(operation.question),
            "required": required(operation.question),
            "additionalProperties": False,
        }
        return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
    return {"parameters": _parameters(operation)}


def responses(operation: Operation) -> dict[int | str, dict[str, Any]]:
    """The answer, its headers, and every error with its problem document."""
    posted = operation.method == "POST"
    headers = HEADERS if posted else HEADERS | CACHE_HEADERS
    described = {name: {"description": text, "schema": {"type": "string"}} for name, text in headers.items()}
    out: dict[int | str, dict[str, Any]] = {
        200: {"model": operation.answer, "description": "The answer.", "headers": described}
    }
    if not posted:
        out[304] = {"description": "Unchanged since the `ETag` in `If-None-Match`."}
    if operation.canonical is not None:
        out[308] = {"description": "The record's one address, where the one asked is spelt otherwise or renamed."}
    for status in _statuses(operation):
        content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        out[status] = {"description": ERRORS[status], "content": content}
    return out


def install(app: FastAPI, settings: Settings) -> None:
    """Give the application its document, made on the first request for it."""

    def document() -> JsonSchema:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app, settings)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI, settings: Settings) -> JsonSchema:
    document = get_openapi(
        title="Incident Library",
        version=__version__,
        openapi_version="3.1.0",
        description=DESCRIPTION,
        license_info={
            "name": "Apache-2.0 (software), CC-BY-4.0 (cases)",
            "identifier": "Apache-2.0 AND CC-BY-4.0",
        },
        servers=[{"url": settings.base_url or "/"}],
        routes=app.routes,
    )
    document["components"]["schemas"]["Problem"] = Problem.model_json_schema()
    return document


def _statuses(operation: Operation) -> list[int]:
    posted = operation.method == "POST"
    missing = operation.name == "get_incidents_batch" or operation.canonical is not None
    return [404] * missing + [413, 415] * posted + [422, 500, 503]


def _parameters(operation: Operation) -> list[JsonSchema]:
    question = operation.question
    fields = properties(question) if question is not None else {}
    out: list[JsonSchema] = []
    for name in _path_names(operation.path):
        field = fields.pop(name, None) or {"type": "string", "description": PATH_PARTS[name]}
        out.append(_parameter(name, field, where="path", needed=True))
    if "{family}" in operation.path:
        fields.pop("id", None)
    needed = required(question) if question is not None else []
    return out + [_parameter(name, field, where="query", needed=name in needed) for name, field in fields.items()]


def _parameter(name: str, field: JsonSchema, *, where: str, needed: bool) -> JsonSchema:
    schema = {key: value for key, value in field.items() if key != "description"}
    if name == "id":
        schema["pattern"] = "^[A-Za-z]{2,8}-[0-9]{4,}$"
    out = {
        "name": name,
        "in": where,
        "required": needed,
        "description": field["description"],
        "schema": schema,
    }
    if name in EXAMPLES and (needed or name == "query"):
        out["example"] = EXAMPLES[name]
    return out


def _path_names(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]
