"""The feed addresses: the whole library, one domain, or one value of the vocabulary."""

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from kb import links
from kb.api import feeds
from kb.api.arguments import Raw, of_query
from kb.api.render import base_of, build_headers
from kb.errors import NotFound
from kb.library import Library
from kb.model import Domain, Kind
from kb.nearest import nearest
from kb.questions import Feed, ScopedFeed, ask

DOMAINS = "domains"
FORMS = {"atom": feeds.atom, "json": feeds.json_feed}
TYPES = {"atom": feeds.ATOM, "json": feeds.JSON}


def answer(request: Request, library: Library, base_url: str, form: str) -> Response:
    """`form` is `atom` or `json`; the path may name a kind and a slug; without them the query may hold filters.

    Raises:
        NotFound: no such kind, domain or value.
    """
    scoped = "kind" in request.path_params
    raw = of_query(request, ScopedFeed if scoped else Feed)
    kind, slug = raw.pop("kind", None), raw.pop("slug", None)
    scope = _scope(library, kind, slug) if kind and slug else {}
    if scoped:
        raw = ask(ScopedFeed, raw).model_dump() | scope
    question = ask(Feed, raw)
    heading, page = feeds.NAME, links.library(question.lang, scope)
    if kind and kind != DOMAINS:
        value = library.vocabulary.require(Kind(kind), slug, field="slug")
        if value.slug != slug:
            return RedirectResponse(links.feed(form, question.lang, f"{kind}/{value.slug}"), 308)
        heading, page = f"{heading}: {value.name.say(question.lang)[0]}", links.topic(question.lang, Kind(kind), slug)
    elif kind:
        heading = f"{heading}: {slug}"
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    text = FORMS[form](library.feed(question), heading, base_of(request, base_url), path, page)
    return Response(text, media_type=TYPES[form], headers=build_headers(library))


def _scope(library: Library, kind: str, slug: str) -> Raw:
    """The filter that the path stands for."""
    if kind != DOMAINS and kind not in tuple(Kind):
        allowed = (DOMAINS, *Kind)
        raise NotFound(f"There are no feeds of `{kind[:60]}`.", allowed=allowed, nearest=nearest(kind, allowed))
    known: tuple[str, ...] = tuple(Domain) if kind == DOMAINS else tuple(library.vocabulary.values[Kind(kind)])
    held = slug in known or (kind != DOMAINS and library.vocabulary.get(Kind(kind), slug) is not None)
    if not held:
        raise NotFound(f"There is no feed of `{slug[:60]}`.", field="slug", nearest=nearest(slug, known))
    return {"domain" if kind == DOMAINS else Kind(kind).filter_name: slug}
