"""Answers that are documents of their own kind: exported files, feeds, schemas, and what robots look for first."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fastapi import FastAPI, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from kb import links, schemas
from kb.api import describing, feeds, files, following, llms
from kb.api.arguments import of_query
from kb.api.render import CACHE, base_of, build_headers
from kb.errors import NotFound
from kb.library import Library
from kb.links import API
from kb.live import LiveLibrary
from kb.model import Kind, Lang
from kb.nearest import nearest
from kb.questions import Feed, ListIncidents, Question, ScopedFeed
from kb.settings import Settings

#: By the kind of file: `case`, `check`, `replay`.
SCHEMAS: dict[str, type[BaseModel]] = {file.partition(".")[0]: model for file, model in schemas.SCHEMAS.items()}
TEXT = "text/plain; charset=utf-8"
SCHEMA_TYPE, LINKSET = "application/schema+json", "application/linkset+json"
CATALOG_PATH = "/.well-known/api-catalog"
CATALOG_PROFILE = "https://www.rfc-editor.org/info/rfc9727"
FULL_TEXT = "llms-full.txt"


class Answers:
    """Each document from its request. What touches the library runs in a thread."""

    def __init__(self, live: LiveLibrary, base_url: str) -> None:
        self._live = live
        self._base_url = base_url

    async def export(self, request: Request) -> Response:
        of_query(request, None)
        library = await run_in_threadpool(self._live.current)
        file, path = library.export(request.path_params["name"])
        return await files.answer(request, library, file, path)

    async def full_text(self, request: Request) -> Response:
        of_query(request, None)
        library = await run_in_threadpool(self._live.current)
        file, path = library.export(FULL_TEXT)
        return await files.answer(request, library, file, path, download=False)

    async def atom(self, request: Request) -> Response:
        return await run_in_threadpool(self._feed, request, "atom")

    async def json_feed(self, request: Request) -> Response:
        return await run_in_threadpool(self._feed, request, "json")

    def _feed(self, request: Request, form: str) -> Response:
        return following.answer(request, self._live.current(), self._base_url, form)

    async def llms_txt(self, request: Request) -> Response:
        of_query(request, None)
        return await run_in_threadpool(self._llms)

    def _llms(self) -> Response:
        library = self._live.current()
        text = _summary(library, self._base_url)
        return Response(text, media_type=TEXT, headers=build_headers(library))

    async def schema(self, request: Request) -> Response:
        of_query(request, None)
        return _json(schema_document(request.path_params["name"], self._base_url), SCHEMA_TYPE)

    async def catalog(self, request: Request) -> Response:
        of_query(request, None)
        response = _json(api_catalog(base_of(request, self._base_url)), f'{LINKSET}; profile="{CATALOG_PROFILE}"')
        response.headers["Link"] = f'<{CATALOG_PATH}>; rel="api-catalog"'
        return response


@dataclass(frozen=True)
class Document:
    """One address that answers with something else than the JSON of an operation.

    media_types: what it may answer with.
    question: judges the query; none where the address takes none.
    missing: whether a name in the path may not exist.
    """

    name: str
    path: str
    summary: str
    media_types: tuple[str, ...]
    answer: Callable[[Answers, Request], Awaitable[Response]]
    question: type[Question] | None = None
    missing: bool = False


EXPORTED = ("application/x-ndjson", "text/csv", "application/vnd.sqlite3", "application/zip", "text/plain")
DOCUMENTS = (
    Document("get_export", f"{API}/export/{{name}}", "Fetch one file of the whole library", EXPORTED, Answers.export,
             missing=True),
    Document("get_schema", f"{API}/schemas/{{name}}.json", "JSON Schema of the files: case, check or replay",
             (SCHEMA_TYPE,), Answers.schema, missing=True),
    Document("get_atom_feed", "/feed.atom", "What came in, as Atom", (feeds.ATOM,), Answers.atom, Feed),
    Document("get_json_feed", "/feed.json", "What came in, as JSON Feed", (feeds.JSON,), Answers.json_feed, Feed),
    Document("get_atom_feed_of", "/feeds/{kind}/{slug}.atom", "What came in of one domain or value, as Atom",
             (feeds.ATOM,), Answers.atom, ScopedFeed, missing=True),
    Document("get_json_feed_of", "/feeds/{kind}/{slug}.json", "What came in of one domain or value, as JSON Feed",
             (feeds.JSON,), Answers.json_feed, ScopedFeed, missing=True),
    Document("get_llms_txt", "/llms.txt", "What this is and where things are, for a language model",
             ("text/plain",), Answers.llms_txt),
    Document("get_llms_full_txt", "/llms-full.txt", "All public cases as one Markdown text", ("text/plain",),
             Answers.full_text),
    Document("get_api_catalog", CATALOG_PATH, "The APIs of this host (RFC 9727)", (LINKSET,), Answers.catalog),
)  # fmt: skip


def add_routes(app: FastAPI, live: LiveLibrary, settings: Settings) -> None:
    """Every document of the table, in its order."""
    answers = Answers(live, settings.base_url)
    for document in DOCUMENTS:
        app.add_api_route(
            document.path,
            _endpoint(document, answers),
            methods=["GET"],
            operation_id=document.name,
            name=document.name,
            summary=document.summary,
            description=describing.described(document.path, document.summary + "."),
            response_class=Response,
            response_model=None,
            responses=describing.document_responses(document.path, document.media_types, missing=document.missing),
            openapi_extra=describing.document_arguments(document.path, document.question),
            tags=["documents"],
        )


def _endpoint(document: Document, answers: Answers) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await document.answer(answers, request)

    return endpoint


def schema_document(name: str, base_url: str) -> dict[str, object]:
    """The JSON Schema (2020-12) of a kind of file.

    Raises:
        NotFound: no such kind of file.
    """
    if name not in SCHEMAS:
        raise NotFound(f"There is no schema `{name[:60]}`.", allowed=tuple(SCHEMAS), nearest=nearest(name, SCHEMAS))
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": links.absolute(base_url, f"{API}/schemas/{name}.json"),
    }
    return {**head, **SCHEMAS[name].model_json_schema()}


def api_catalog(base: str) -> dict[str, object]:
    """A linkset (RFC 9264) with one anchor for the REST API and one for each address of MCP."""
    help_page = [{"href": f"{base}{links.api_help(lang)}", "type": "text/html", "hreflang": [lang]} for lang in Lang]
    rest = {
        "anchor": f"{base}{API}",
        "service-desc": [{"href": f"{base}/openapi.json", "type": "application/json"}],
        "service-doc": help_page,
        "service-meta": [{"href": f"{base}/llms.txt", "type": "text/plain"}],
        "status": [{"href": f"{base}{API}/status", "type": "application/json"}],
        "describedby": [{"href": f"{base}{API}/schemas/case.json", "type": SCHEMA_TYPE}],
    }
    mcp = [{"anchor": f"{base}{path}", "service-doc": help_page} for path in (links.MCP, links.MCP_SEARCH_FETCH)]
    return {"linkset": [rest, *mcp]}


def _summary(library: Library, base_url: str) -> str:
    """With examples that exist; an empty library names the addresses all the same."""
    cases = library.list_incidents(ListIncidents(limit=1)).cases
    example, symptom = (cases[0].id, cases[0].symptoms[0]) if cases else ("IL-0001", "job-hang")
    return llms.text(library.status(), base_url, example, links.api_topic(Kind.symptoms, symptom))


def _json(document: object, media_type: str) -> Response:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Response(text, media_type=media_type, headers={"Cache-Control": CACHE})
