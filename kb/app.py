"""The application: REST, MCP and website over one live library. The only module that knows all three.

Route order decides: the fixed addresses first, the website next, `/mcp` last. Nothing is mounted at `/`, so
an unknown address reaches the error handler of this application and not that of a part.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from kb import __version__, links
from kb.api import documents, openapi, problems, routes, service
from kb.api.budgets import Budget, budget_of
from kb.api.metering import Meter, Policies
from kb.api.metrics import Metrics
from kb.api.middleware import Cors, Guard, Headers, Limit, Log
from kb.api.representation import Representation
from kb.errors import KbError
from kb.library import SCHEMA_VERSION
from kb.live import LiveLibrary
from kb.mcp_server.deferred import Deferred
from kb.settings import Settings
from kb.web import errors as web_errors
from kb.web import pages

HTML_PATHS = ("/en", "/ko")


def create_app(settings: Settings) -> FastAPI:
    """Everything wired, nothing opened: the library is opened behind, once the application is up."""
    live = LiveLibrary(settings)
    endpoint = Deferred(live, settings)
    counters = Metrics()
    budget = budget_of(settings.redis_url, settings.rate_window)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with endpoint.running(first=live.current):
            yield
        await budget.close()
        live.close()

    app = FastAPI(
        title="Incident Library",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    openapi.install(app, settings)
    service.add_routes(app, live, counters)
    routes.add_routes(app, live, settings)
    documents.add_routes(app, live, settings)
    app.router.routes.extend(pages.routes(live, settings))
    app.router.routes.extend(endpoint.routes)
    for kind in (KbError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _handle)
    _add_middleware(app, settings, counters, budget)
    return app


def create_default_app() -> FastAPI:
    """For a server that starts several processes and can only name a function."""
    return create_app(Settings())


def error_response(request: Request, error: Exception) -> Response:
    """A page under the two languages, a problem document everywhere else."""
    understood = problems.understand(request, error)
    first = "/" + request.url.path.strip("/").split("/", 1)[0]
    if first in HTML_PATHS or request.url.path == "/":
        response = web_errors.error_page(request, understood)
        response.headers.update(getattr(understood, "headers", {}))
        return response
    return problems.respond(request, understood)


async def _handle(request: Request, error: Exception) -> Response:
    return error_response(request, error)


def _add_middleware(app: FastAPI, settings: Settings, counters: Metrics, budget: Budget) -> None:
    """Innermost first: each call wraps what was added before it."""
    app.add_middleware(Limit)
    app.add_middleware(Guard, answer=error_response)
    app.add_middleware(Representation)
    quotas = {"api": settings.rate_limit, "pages": settings.rate_limit_pages}
    app.add_middleware(Meter, budget=budget, policies=Policies(settings.rate_window, quotas), answer=error_response)
    app.add_middleware(Cors, mcp_path=links.MCP, mcp_origins=settings.origins)
    app.add_middleware(Headers, schema_version=SCHEMA_VERSION)
    app.add_middleware(Log, metrics=counters)
