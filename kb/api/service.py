"""The addresses around the library: its schema documents, llms.txt, health and metrics."""

import json
from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from kb import __version__, links
from kb.api import llms, metrics
from kb.api.arguments import of_query
from kb.api.metrics import Metrics
from kb.api.render import CACHE, build_headers
from kb.errors import BuildError
from kb.library import Library
from kb.links import API
from kb.live import LiveLibrary
from kb.model import Incident, Kind
from kb.questions import ListIncidents
from kb.settings import Settings

CASE_SCHEMA = f"{API}/schemas/case.json"
NO_STORE = {"Cache-Control": "no-store"}


def add_routes(app: FastAPI, live: LiveLibrary, settings: Settings, counters: Metrics) -> None:
    """`/openapi.json`, the case schema, `/llms.txt`, `/healthz`, `/readyz`, `/metrics`."""

    def openapi(_request: Request) -> Response:
        return _json(app.openapi(), "application/json")

    def case_schema(_request: Request) -> Response:
        return _json(case_schema_document(settings.base_url), "application/schema+json")

    def llms_txt(_request: Request) -> Response:
        library = live.current()
        text = _llms(library, settings.base_url)
        return Response(text, media_type="text/plain; charset=utf-8", headers=build_headers(library))

    def healthz(_request: Request) -> Response:
        return Response('{"status":"ok"}', media_type="application/json", headers=NO_STORE)

    def readyz(_request: Request) -> Response:
        version = live.current().data_version
        body = json.dumps({"status": "ready", "data_version": version})
        return Response(body, media_type="application/json", headers=NO_STORE)

    def prometheus(_request: Request) -> Response:
        text = counters.text(version=__version__, data_version=_version(live))
        return Response(text, media_type=metrics.MEDIA_TYPE, headers=NO_STORE)

    for path, endpoint in {
        "/openapi.json": openapi,
        CASE_SCHEMA: case_schema,
        "/llms.txt": llms_txt,
        "/healthz": healthz,
        "/readyz": readyz,
        "/metrics": prometheus,
    }.items():
        app.add_api_route(path, _plain(endpoint), methods=["GET"], include_in_schema=False)


def case_schema_document(base_url: str) -> dict[str, object]:
    """The JSON Schema (2020-12) of a case file."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": links.absolute(base_url, CASE_SCHEMA),
    }
    return {**head, **Incident.model_json_schema()}


def _plain(make: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that takes no query at all."""

    async def endpoint(request: Request) -> Response:
        of_query(request, None)
        return await run_in_threadpool(make, request)

    return endpoint


def _llms(library: Library, base_url: str) -> str:
    """With examples that exist; an empty library names the addresses all the same."""
    cases = library.list_incidents(ListIncidents(limit=1)).cases
    example, symptom = (cases[0].id, cases[0].symptoms[0]) if cases else ("IL-0001", "job-hang")
    return llms.text(library.status(), base_url, example, links.api_topic(Kind.symptoms, symptom))


def _version(live: LiveLibrary) -> str:
    """Metrics are answered also while there is nothing to serve."""
    try:
        return live.current().data_version
    except BuildError:
        return ""


def _json(document: object, media_type: str) -> Response:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Response(text, media_type=media_type, headers={"Cache-Control": CACHE})
