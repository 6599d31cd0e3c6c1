"""Errors in the frame of every page: what was wrong, the nearest that exists, and where to go."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from kb import links
from kb.errors import BadCursor, BadQuestion, KbError
from kb.model import Kind, Lang
from kb.web.render import Frame, negotiated, respond

#: Errors that only HTTP knows and that a page may meet.
KNOWN_TO_HTTP = ("too-large", "unsupported-media-type", "quota-exceeded")
KNOWN = ("not-found", "unknown-argument", "unknown-value", "invalid-value", "bad-cursor", "bad-question", "no-build")


@dataclass(frozen=True)
class Suggestion:
    """A nearest or an allowed value; `href` where the value has an address of its own."""

    name: str
    href: str | None


def error_page(request: Request, error: KbError) -> Response:
    """Any error of the tree as a page in the reader's language.

    The heading is in that language; the error's own sentence is English and marked so. Never a trace or a path.
    """
    lang = language(request)
    data = {
        "error": error,
        "kind": _heading(error),
        "nearest": [Suggestion(name, _address(request, lang, error, name)) for name in error.nearest],
        "allowed": error.allowed[:12],
        "beginning": _beginning(request) if isinstance(error, BadCursor) else None,
    }
    response = respond(Frame(request, lang), "error.html", status=error.status, **data)
    response.headers["Cache-Control"] = "no-store"
    return response


def language(request: Request) -> Lang:
    """The language of the address, else the negotiated one."""
    first = request.url.path.split("/", 2)[1]
    return Lang(first) if first in (Lang.en, Lang.ko) else negotiated(request)


def _beginning(request: Request) -> str:
    """The same list from its first page."""
    query = {name: value for name, value in request.query_params.items() if name != "cursor"}
    return links.with_query(request.url.path, query)


def _heading(error: KbError) -> str:
    if error.status == 405:
        return "method"
    if error.kind in KNOWN:
        return error.kind
    if error.kind in KNOWN_TO_HTTP:
        return error.kind
    return "bad-question" if isinstance(error, BadQuestion) else "internal"


def _address(request: Request, lang: Lang, error: KbError, name: str) -> str | None:
    """Where a nearest value leads: a topic, a check, a case, or the same list with that filter."""
    parts = request.url.path.strip("/").split("/")
    filters = {kind.filter_name: kind for kind in Kind}
    if error.field in filters and len(parts) < 3:
        query = {**request.query_params, error.field: name}
        return links.library(lang, {k: v for k, v in query.items() if k != "cursor"})
    if len(parts) > 2 and parts[1] in tuple(Kind):
        return links.topic(lang, Kind(parts[1]), name)
    if len(parts) > 2 and parts[1] == "checks":
        return links.check(lang, name)
    if len(parts) > 2 and parts[1] == "incidents":
        return links.incident(lang, name)
    return None
