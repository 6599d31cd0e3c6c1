"""The OpenAPI 3.1 document of this server, made from the questions and answers that it serves."""

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from kb import __version__
from kb.api import docstrings
from kb.api.examples import ANSWERS
from kb.api.operations import OPERATIONS
from kb.api.problems import Problem
from kb.parameters import JsonSchema
from kb.settings import Settings

DESCRIPTION = """\
Public post-incident reports about Kubernetes and AI infrastructure as structured cases, and the live checks that
would have caught them. No key, no account; reads stay keyless. Read-only. What is asked is not stored.

**Errors** are `application/problem+json` (RFC 9457). Unknown argument names are refused, never ignored; an empty
value means absent.

**Validators**: answers change only with the data version. Use `ETag` with `If-None-Match`; `Last-Modified` is the day
of the newest record, too coarse to compare by. Compressed answers have a tag of their own.

**Paging**: with `next_cursor`, which is opaque. To copy the library fetch an export, then follow `changes`.

**Budgets**: each client address has points, which come back after a window; the fields `RateLimit-Policy` and
`RateLimit` tell how many are left, 429 with `Retry-After` when to come back.

**Versions**: additions to answers are not breaking changes; anything else gets a new version in the path, announced
with `Deprecation` and `Sunset` a year before the old one goes."""
TAGS = (
    ("library", "The questions that the library answers, as JSON."),
    ("documents", "Files, feeds, schemas and texts."),
)


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
        summary="Post-incident reports as cases, and the checks that would have caught them",
        description=DESCRIPTION,
        license_info={
            "name": "Apache-2.0 (software), CC-BY-4.0 (cases)",
            "identifier": "Apache-2.0 AND CC-BY-4.0",
        },
        servers=[{"url": settings.base_url or "/"}],
        tags=[{"name": name, "description": text} for name, text in TAGS],
        routes=app.routes,
    )
    document["components"]["schemas"]["Problem"] = Problem.model_json_schema()
    for operation in OPERATIONS:
        # Put in here, because FastAPI drops what is null on the way.
        described = document["paths"][operation.path][operation.method.lower()]
        described["responses"]["200"]["content"]["application/json"]["example"] = ANSWERS[operation.name]
    docstrings.describe(document["components"]["schemas"])
    # An empty list says that no key is wanted, which is not the same as saying nothing.
    document["security"] = []
    return document
