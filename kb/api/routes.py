"""The REST routes: each parses, makes the one call of its operation, and renders."""

from collections.abc import Awaitable, Callable
from urllib.parse import quote

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from kb.api import describing, render
from kb.api.alertmanager import BASE, BODY
from kb.api.arguments import Raw, json_object, of_body, of_query
from kb.api.operations import OPERATIONS, Operation
from kb.live import LiveLibrary
from kb.settings import Settings

Endpoint = Callable[[Request], Awaitable[Response]]


def add_routes(app: FastAPI, live: LiveLibrary, settings: Settings) -> None:
    """Every operation of the table, in its order."""
    for operation in OPERATIONS:
        app.add_api_route(
            operation.path,
            _endpoint(operation, live, settings),
            methods=[operation.method],
            operation_id=operation.name,
            name=operation.name,
            summary=operation.summary,
            description=describing.described(operation.path, operation.description or operation.summary + "."),
            response_model=None,
            responses=describing.responses(operation),
            openapi_extra=describing.arguments(operation),
            tags=["library"],
        )


def _endpoint(operation: Operation, live: LiveLibrary, settings: Settings) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        if operation.body is not None:
            arguments = of_query(request, operation.question)
            arguments |= {BODY: await json_object(request), BASE: render.base_of(request, settings.base_url)}
        elif operation.method == "POST":
            arguments = await of_body(request)
        else:
            arguments = of_query(request, operation.question)
        return await run_in_threadpool(_answer, operation, request, arguments, live, settings.base_url)

    return endpoint


def _answer(operation: Operation, request: Request, arguments: Raw, live: LiveLibrary, base_url: str) -> Response:
    library = live.current()
    model = operation.call(library, arguments)
    canonical = operation.canonical(model) if operation.canonical else None
    if canonical is not None and request.scope["path"] != canonical:
        query = request.scope["query_string"].decode("ascii")
        return RedirectResponse(quote(canonical, safe="/:") + (f"?{query}" if query else ""), status_code=308)
    cacheable = operation.method == "GET"
    return render.answer(library, model, base_url=base_url, page=operation.page(model), cacheable=cacheable)
