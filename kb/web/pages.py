"""The pages. Each parses, asks the library once, and renders; whatever is refused is a page of its own."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from urllib.parse import parse_qsl, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from kb import links
from kb.argument_names import judge_names
from kb.errors import BadQuestion, KbError, NotFound
from kb.live import LiveLibrary
from kb.model import ID_PATTERN, Kind, Lang
from kb.questions import GetCheck, GetIncident, GetTopic, ListChecks, ListIncidents, ask
from kb.settings import Settings
from kb.web import machines, static
from kb.web.against import against
from kb.web.asking import arguments, asked, find, toggled
from kb.web.case_view import charts_of_case, linked_data
from kb.web.chart import chart_of
from kb.web.connect import clients, operations
from kb.web.errors import error_page
from kb.web.holes_view import holes_view
from kb.web.kept import kept
from kb.web.markdown import case_markdown, ticket
from kb.web.mine import command, for_case
from kb.web.notes import ClaimNumbers
from kb.web.render import THEMES, YEAR, Page, conditional, negotiated, respond
from kb.web.timeline_view import timeline_view
from kb.web.topic_view import topic_view
from kb.web.twins import check_markdown, topic_markdown
from kb.web.views import library_view

PageFunction = Callable[[Page], Response]
OF_TOPIC = ("symptoms", "cursor")
OF_CHECKS = ("kind", "status", "case", "component")
OF_HOLES = ("show", "kind")


def library_page(page: Page, form: Mapping[str, str] | None = None) -> Response:
    raw = form if form is not None else arguments(page.request.query_params.multi_items())
    found = find(page.library, page.lang, asked(raw, private=form is not None))
    return respond(page, "library.html", view=library_view(page.library, page.lang, found))


def case_page(page: Page) -> Response:
    _given(page)
    case_id = page.request.path_params["id"]
    if _is_other_spelling(case_id):
        return RedirectResponse(links.incident(page.lang, case_id.upper()), 301)
    case = page.library.get_incident(ask(GetIncident, {"id": case_id, "lang": page.lang}))
    return respond(
        page,
        "case.html",
        case=case,
        claims=ClaimNumbers.of([claim.value for claim in case.claims]),
        mine=for_case(page.lang, case.id, case.checks),
        charts=charts_of_case(page.library, case),
        linked_data=linked_data(case, page.base_url),
        ticket=ticket(case, links.absolute(page.base_url, case.page)),
    )


def case_as_markdown(page: Page) -> Response:
    _given(page)
    case_id = page.request.path_params["id"]
    if _is_other_spelling(case_id):
        return RedirectResponse(links.incident_markdown(page.lang, case_id.upper()), 301)
    case = page.library.get_incident(ask(GetIncident, {"id": case_id, "lang": page.lang}))
    text = case_markdown(case, links.absolute(page.base_url, case.page))
    return conditional(page.request, text, "text/markdown", page.lang)


def topic_page(page: Page, kind: Kind) -> Response:
    slug = page.request.path_params["slug"]
    raw = {**_given(page, OF_TOPIC), "kind": kind, "lang": page.lang}
    answer = page.library.get_topic(ask(GetTopic, {**raw, "slug": slug.lower()}))
    if answer.slug != slug:
        return RedirectResponse(answer.page, 301)
    return respond(page, "topic.html", view=topic_view(page.library, page.lang, answer))


def topic_as_markdown(page: Page, kind: Kind) -> Response:
    _given(page)
    slug = page.request.path_params["slug"]
    answer = page.library.get_topic(ask(GetTopic, {"kind": kind, "slug": slug.lower(), "lang": page.lang}))
    if answer.slug != slug:
        return RedirectResponse(links.topic_markdown(page.lang, kind, answer.slug), 301)
    cases = page.library.outline(ask(ListIncidents, {kind.filter_name: answer.slug, "lang": page.lang}))
    text = topic_markdown(answer, cases, links.absolute(page.base_url, answer.page), page.base_url)
    return conditional(page.request, text, "text/markdown", page.lang)


def index_page(page: Page, kind: Kind) -> Response:
    _given(page)
    values = sorted(machines.values(page.library, kind, page.lang), key=lambda value: (-value.cases, value.slug))
    return respond(page, "index.html", kind=kind, values=values)


def checks_page(page: Page) -> Response:
    given = _given(page, OF_CHECKS)
    found = page.library.every_check(ask(ListChecks, {**given, "lang": page.lang}))
    checks = [{"family": check.id.split("/", 1)[0], "check": check} for check in found]
    return respond(page, "checks.html", checks=checks, given=given)


def check_page(page: Page) -> Response:
    _given(page)
    check_id = "{family}/{name}".format(**page.request.path_params)
    if check_id != check_id.lower():
        return RedirectResponse(links.check(page.lang, check_id.lower()), 301)
    check = page.library.get_check(ask(GetCheck, {"id": check_id, "lang": page.lang}))
    run = command([f"--check {check.id}"], [check.kind])
    charts = [(item, chart) for item in check.replays if (chart := chart_of(item, page.lang))]
    race = against(check.replays, page.lang)
    return respond(page, "check.html", check=check, run=run, charts=charts, against=race)


def check_as_markdown(page: Page) -> Response:
    _given(page)
    check_id = "{family}/{name}".format(**page.request.path_params)
    if check_id != check_id.lower():
        return RedirectResponse(links.check_markdown(page.lang, check_id.lower()), 301)
    check = page.library.get_check(ask(GetCheck, {"id": check_id, "lang": page.lang}))
    text = check_markdown(check, links.absolute(page.base_url, check.page))
    return conditional(page.request, text, "text/markdown", page.lang)


def holes_page(page: Page) -> Response:
    given = _given(page, OF_HOLES)
    return respond(page, "holes.html", view=holes_view(page.library, page.lang, given), filtered=bool(given))


def timeline_page(page: Page) -> Response:
    _given(page)
    return respond(page, "timeline.html", view=timeline_view(page.library, page.lang))


def api_page(page: Page) -> Response:
    _given(page)
    return respond(
        page,
        "api.html",
        clients=clients(page.base_url),
        operations=operations(page.lang),
        quota=page.settings.rate_limit,
        window=page.settings.rate_window,
    )


def about_page(page: Page) -> Response:
    _given(page)
    return respond(page, f"about.{page.lang}.html")


def theme_page(page: Page) -> Response:
    """Set or drop the reader's choice of screen and go back to where the link stood."""
    name = page.request.path_params["name"]
    if name not in (*THEMES, "device"):
        raise NotFound(f"There is no screen `{name[:40]}`.", allowed=(*THEMES, "device"))
    response = RedirectResponse(_referring_path(page), 303, headers={"Cache-Control": "no-store"})
    if name == "device":
        response.delete_cookie("theme", path="/")
    else:
        response.set_cookie("theme", name, max_age=YEAR, samesite="lax", path="/")
    return response


def sitemap(page: Page) -> Response:
    return conditional(page.request, machines.sitemap(page.library, page.base_url), "application/xml", page.lang)


def robots(page: Page) -> Response:
    return conditional(page.request, machines.robots(page.base_url), "text/plain", page.lang)


def front_door(request: Request) -> Response:
    """`/` leads to the reader's language."""
    query = f"?{request.url.query}" if request.url.query else ""
    headers = {"Vary": "Accept-Language, Cookie", "Cache-Control": "private, no-cache"}
    return RedirectResponse(links.library(negotiated(request)) + query, 307, headers=headers)


def static_file(request: Request) -> Response:
    name = request.path_params.get("name", "favicon.svg")
    return static.serve(request, name) or error_page(request, NotFound(f"There is no file `{name[:60]}`."))


def routes(live: LiveLibrary, settings: Settings) -> list[BaseRoute]:
    """Every address of the website. Nothing is opened or read before the first request."""
    found: list[BaseRoute] = [
        Route("/", front_door),
        Route("/favicon.svg", static_file),
        Route("/static/{name}", static_file),
        Route("/sitemap.xml", _served(live, settings, Lang.en, sitemap)),
        Route("/robots.txt", _served(live, settings, Lang.en, robots)),
    ]
    for lang in Lang:
        pages: dict[str, PageFunction] = {
            "/incidents/{id}.md": case_as_markdown,
            "/incidents/{id}": case_page,
            "/checks": checks_page,
            "/checks/{family}/{name}.md": check_as_markdown,
            "/checks/{family}/{name}": check_page,
            "/holes": holes_page,
            "/timeline": timeline_page,
            "/api": api_page,
            "/about": about_page,
            "/theme/{name}": theme_page,
        }
        for kind in Kind:
            pages[f"/{kind}"] = _of_kind(index_page, kind)
            pages[f"/{kind}/{{slug}}.md"] = _of_kind(topic_as_markdown, kind)
            pages[f"/{kind}/{{slug}}"] = _of_kind(topic_page, kind)
        found.append(Route(f"/{lang}/", _served(live, settings, lang, library_page), methods=["GET"]))
        found.append(Route(f"/{lang}/", _posted(live, settings, lang), methods=["POST"]))
        found.append(Route(f"/{lang}", _slashed(lang)))
        found += [Route(f"/{lang}{path}", _served(live, settings, lang, page)) for path, page in pages.items()]
    return found


def _of_kind(function: Callable[[Page, Kind], Response], kind: Kind) -> PageFunction:
    return lambda page: function(page, kind)


def _slashed(lang: Lang) -> Callable[[Request], Response]:
    return lambda _request: RedirectResponse(links.library(lang), 301)


def _served(live: LiveLibrary, settings: Settings, lang: Lang, function: PageFunction) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        try:
            return kept(Page(request, lang, settings, live.current()), function)
        except KbError as error:
            return error_page(request, _missing(request, error))

    return endpoint


def _missing(request: Request, error: KbError) -> KbError:
    """A value that the address itself names and that does not exist is a page that does not exist."""
    if isinstance(error, BadQuestion) and error.field in request.path_params:
        return NotFound(error.what, field=error.field, nearest=error.nearest, next_step=error.next_step)
    return error


def _posted(live: LiveLibrary, settings: Settings, lang: Lang) -> Callable[[Request], Awaitable[Response]]:
    """The library page for text that is kept out of addresses: read, answered, and forgotten."""

    async def endpoint(request: Request) -> Response:
        body = (await request.body()).decode("utf-8", "replace")

        def answer(again: Request) -> Response:
            form = toggled(arguments(parse_qsl(body, keep_blank_values=True)))
            return library_page(Page(again, lang, settings, live.current()), form)

        return await run_in_threadpool(_answered, request, answer)

    return endpoint


def _answered(request: Request, answer: Callable[[Request], Response]) -> Response:
    try:
        return answer(request)
    except KbError as error:
        return error_page(request, error)


def _is_other_spelling(case_id: str) -> bool:
    """Whether it is a case id but for its letters."""
    return case_id != case_id.upper() and re.fullmatch(ID_PATTERN, case_id.upper()) is not None


def _given(page: Page, names: Sequence[str] = ()) -> dict[str, str]:
    """The arguments of the address.

    names: those that the page takes.

    Raises:
        UnknownArgument: another, with the nearest that there is.
        InvalidValue: one name twice with different values.
    """
    given = arguments(page.request.query_params.multi_items())
    judge_names(given, names)
    return given


def _referring_path(page: Page) -> str:
    """Path and query of the page that the link stood on, if it is one of ours; never another host."""
    referrer = urlsplit(page.request.headers.get("referer", ""))
    own = referrer.netloc == page.request.url.netloc and referrer.path.startswith((f"/{Lang.en}/", f"/{Lang.ko}/"))
    if not own:
        return links.library(page.lang)
    return referrer.path + (f"?{referrer.query}" if referrer.query else "")
