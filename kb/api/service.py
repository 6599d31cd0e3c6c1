"""The addresses around the library: its description, health and metrics."""

import json
from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from kb import __version__
from kb.api import metrics
from kb.api.arguments import of_query
from kb.api.metrics import Metrics
from kb.api.render import CACHE
from kb.errors import BuildError
from kb.live import LiveLibrary

NO_STORE = {"Cache-Control": "no-store"}


def add_routes(app: FastAPI, live: LiveLibrary, counters: Metrics) -> None:
    """`/openapi.json`, `/healthz`, `/readyz`, `/metrics`."""

    def openapi(_request: Request) -> Response:
        return _json(app.openapi(), "application/json")

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
        "/healthz": healthz,
        "/readyz": readyz,
        "/metrics": prometheus,
    }.items():
        app.add_api_route(path, _plain(endpoint), methods=["GET"], include_in_schema=False)


def _plain(make: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that takes no query at all."""

    async def endpoint(request: Request) -> Response:
        of_query(request, None)
        return await run_in_threadpool(make, request)

    return endpoint


def _version(live: LiveLibrary) -> str:
    """Metrics are answered also while there is nothing to serve."""
    try:
        return live.current().data_version
    except BuildError:
        return ""


def _json(document: object, media_type: str) -> Response:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Response(text, media_type=media_type, headers={"Cache-Control": CACHE})
