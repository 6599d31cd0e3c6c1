"""An answer model as an HTTP response, with the headers that belong to the build it came from."""

import json
from datetime import UTC, datetime
from email.utils import format_datetime

from starlette.requests import Request
from starlette.responses import Response

from kb import links
from kb.answers import AnswerModel
from kb.library import Library

CACHE = "public, max-age=60, must-revalidate"


def build_headers(library: Library) -> dict[str, str]:
    """Which build answered, and the day of its newest record."""
    return {
        "Cache-Control": CACHE,
        "X-Data-Version": library.data_version,
        "Last-Modified": http_date(library.last_modified),
    }


def base_of(request: Request, base_url: str) -> str:
    """The public address of this server: as configured, else as asked."""
    return base_url or str(request.base_url).rstrip("/")


def answer(library: Library, model: AnswerModel, *, base_url: str, page: str, cacheable: bool = True) -> Response:
    """`model` as JSON, and in `Link` the page for people (`page` is its path)."""
    headers = build_headers(library)
    headers["Link"] = f'<{links.absolute(base_url, page)}>; rel="alternate"; type="text/html"'
    if not cacheable:
        headers["Cache-Control"] = "no-store"
    return Response(body(model, base_url), media_type="application/json", headers=headers)


def body(model: AnswerModel, base_url: str) -> str:
    """Compact JSON, Hangul unescaped; every `page` is absolute where the library knows its public address."""
    if not base_url:
        return model.model_dump_json()
    data = links.absolute_pages(model.model_dump(mode="json"), base_url)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def http_date(day: str) -> str:
    """`2026-11-29` → `Sun, 29 Nov 2026 00:00:00 GMT`."""
    return format_datetime(datetime.fromisoformat(day).replace(tzinfo=UTC), usegmt=True)
