"""Every error of the HTTP faces as one shape: RFC 9457 `application/problem+json`."""

import json
import logging
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from kb import links
from kb.errors import BuildError, KbError, NotFound
from kb.model import Lang

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = "5"
#: Kinds that have a registered type of their own.
REGISTERED = {"quota-exceeded": "https://iana.org/assignments/http-problem-types#quota-exceeded"}
log = logging.getLogger(__name__)


class Problem(BaseModel):
    """One error. `detail` alone is enough for a person; the other members are for programs."""

    model_config = ConfigDict(json_schema_extra={"required": ["type", "title", "status", "detail", "instance"]})

    type: str = Field(description="Address of the explanation of this kind of error.")
    title: str = Field(description="The kind of error, the same words every time.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What was wrong, what is allowed and what to do next.")
    instance: str = Field(description="The path that was asked, without its query.")
    field: str | None = Field(default=None, description="The argument that was wrong.")
    allowed: list[str] | None = Field(default=None, description="The values that would have been taken.")
    nearest: list[str] | None = Field(default=None, description="The closest values that exist, best first.")
    next_step: str | None = Field(default=None, description="What to do now.")


class HttpFault(KbError):
    """An error that only HTTP knows: a wrong method, a body too large, a media type, a crash."""

    def __init__(self, status: int, kind: str, what: str, *, next_step: str = "") -> None:
        self.status = status
        self.kind = kind
        self.headers: dict[str, str] = {}
        super().__init__(what, next_step=next_step)


def understand(request: Request, error: Exception) -> KbError:
    """Any exception as one of our errors, fit to be shown; what is not fit is logged and called internal."""
    if isinstance(error, KbError) and (error.status < 500 or isinstance(error, BuildError)):
        return error
    if isinstance(error, HTTPException):
        return _from_http(request, error)
    if isinstance(error, RequestValidationError):
        return HttpFault(422, "bad-question", "The request cannot be used.")
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return HttpFault(500, "internal", "Internal error; it has been logged.", next_step="Try again later.")


def respond(request: Request, error: KbError) -> Response:
    """The problem document. `instance` is the path without the query, which may hold a pasted log."""
    body: dict[str, Any] = {
        "type": REGISTERED.get(error.kind) or f"{links.api_help(Lang.en)}#{error.kind}",
        "title": error.kind.replace("-", " ").capitalize(),
        "status": error.status,
        "detail": str(error),
        "instance": request.url.path,
    }
    members = {
        "field": error.field,
        "allowed": list(error.allowed),
        "nearest": list(error.nearest),
        "next_step": error.next_step,
    }
    body.update({name: value for name, value in members.items() if value})
    headers = {"Cache-Control": "no-store", **getattr(error, "headers", {})}
    if isinstance(error, BuildError):
        headers["Retry-After"] = RETRY_SECONDS
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(_encoded(text), status_code=error.status, media_type=MEDIA_TYPE, headers=headers)


def _encoded(text: str) -> bytes:
    """UTF-8; a lone surrogate from a broken address becomes a question mark."""
    return text.encode("utf-8", errors="replace")


def _from_http(request: Request, error: HTTPException) -> KbError:
    path = request.url.path
    if error.status_code == 404:
        return NotFound(f"There is nothing at {path[:200]}.", next_step="See /openapi.json for every address.")
    if error.status_code == 405:
        methods = allowed_methods(request)
        fault = HttpFault(
            405,
            "method-not-allowed",
            f"{request.method} is not answered at {path[:200]}.",
            next_step=f"Use {' or '.join(methods)}." if methods else "",
        )
        fault.headers["Allow"] = ", ".join(methods)
        return fault
    titles = {403: "bad-request", 413: "too-large", 415: "unsupported-media-type", 421: "bad-request"}
    kind = titles.get(error.status_code, "internal" if error.status_code >= 500 else "bad-question")
    return HttpFault(error.status_code, kind, str(error.detail))


def allowed_methods(request: Request) -> list[str]:
    """All methods answered at this path; the router itself names only those of the first route that fits."""
    found: set[str] = set()
    for route in request.app.routes:
        match, _ = route.matches(request.scope)
        if match is not Match.NONE:
            found |= set(getattr(route, "methods", None) or ())
    if "GET" in found:
        found.add("HEAD")
    return sorted(found)
