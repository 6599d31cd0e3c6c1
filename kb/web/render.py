"""From a template and its data to a response: the frame of every page, its headers, and which language it is in."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from kb import links
from kb.answers import StatusAnswer
from kb.library import Library
from kb.model import Kind, Lang
from kb.settings import Settings, shipped
from kb.web import dates, graph_lines, prose, static, steps
from kb.web.notes import ClaimNumbers
from kb.web.tracking import is_mark
from kb.web.words import Words

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-cache",
    "Vary": "Cookie",
}
THEMES = ("light", "dark")
YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class Frame:
    """One request for one page, with all that the frame round it needs; errors have no more than this."""

    request: Request
    lang: Lang

    @property
    def theme(self) -> str | None:
        """The reader's choice; nothing follows the device."""
        theme = self.request.cookies.get("theme")
        return theme if theme in THEMES else None

    @property
    def base_url(self) -> str:
        return str(self.request.base_url).rstrip("/")

    @property
    def status(self) -> StatusAnswer | None:
        """The library's own figures for the footer, where there is a library."""
        return None

    @cached_property
    def words(self) -> Words:
        return Words(self.lang)

    def here(self, lang: Lang) -> str:
        """This page in another language: the same question from its beginning."""
        path = self.request.url.path
        path = f"/{lang}{path[3:]}" if path[:4] in ("/en/", "/ko/") else links.library(lang)
        pairs = [(n, v) for n, v in parse_qsl(self.request.url.query) if n != "cursor" and not is_mark(n)]
        return path + (f"?{urlencode(pairs)}" if pairs else "")


@dataclass(frozen=True)
class Page(Frame):
    """A request that the library of one build answers."""

    settings: Settings
    library: Library

    @property
    def base_url(self) -> str:
        return self.settings.base_url or super().base_url

    @property
    def status(self) -> StatusAnswer:
        return self.library.status()


def negotiated(request: Request) -> Lang:
    """The language of somebody who has not said: their cookie, else what their browser prefers, else English."""
    chosen = request.cookies.get("lang")
    if chosen in (Lang.en, Lang.ko):
        return Lang(chosen)
    best, quality = Lang.en, 0.0
    for part in request.headers.get("accept-language", "").split(",")[:20]:
        tag, _, parameter = part.strip().partition(";")
        lang = tag.split("-", 1)[0].lower()
        weight = _weight(parameter)
        if lang in (Lang.en, Lang.ko) and weight > quality:
            best, quality = Lang(lang), weight
    return best


def _weight(parameter: str) -> float:
    try:
        return float(parameter.strip().removeprefix("q=")) if parameter else 1.0
    except ValueError:
        return 0.0


def respond(page: Frame, template: str, *, status: int = 200, **data: object) -> Response:
    """Render `templates/<template>` in the frame; answers 304 where the reader has the same page."""
    html = environment().get_template(template).render(**_frame(page), **data)
    return conditional(page.request, html, "text/html", page.lang, status=status)


def conditional(request: Request, text: str | bytes, media_type: str, lang: Lang, *, status: int = 200) -> Response:
    """A response with the headers of every page and a weak entity tag of its content."""
    body = text if isinstance(text, bytes) else text.encode()
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:20]}"'
    headers = {**HEADERS, "ETag": tag, "Content-Language": lang.value}
    if status == 200 and tag in request.headers.get("if-none-match", ""):
        response = Response(status_code=304, headers=headers)
    else:
        response = Response(body, status_code=status, media_type=media_type, headers=headers)
    if negotiated(request) is not lang and status == 200:
        response.set_cookie("lang", lang.value, max_age=YEAR, samesite="lax", path="/")
    return response


def _frame(page: Frame) -> dict[str, object]:
    """What the frame needs, whatever the page is."""
    other = Lang.ko if page.lang is Lang.en else Lang.en
    return {
        "lang": page.lang,
        "t": page.words,
        "theme": page.theme,
        "status": page.status,
        "alternates": {page.lang: page.here(page.lang), other: page.here(other)},
        "base_url": page.base_url,
        "path": page.request.url.path,
    }


@lru_cache(32)
def macros(name: str, lang: Lang) -> Mapping[str, Callable[..., Markup]]:
    """The macros of `templates/<name>`, to be called from here: what they make need not be made for each page."""
    return vars(environment().get_template(name).make_module({"lang": lang, "t": Words(lang)}))


@cache
def environment() -> Environment:
    """The templates, opened at the first page. Everything is escaped that is not marked as HTML here."""
    env = Environment(
        loader=FileSystemLoader(shipped("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals.update(links=links, Kind=Kind, kinds=tuple(Kind), static=static.address, Lang=Lang)
    env.filters.update(
        prose=_prose,
        inline=_inline,
        typo=_typo,
        breaks=prose.breaks,
        moment=dates.moment,
        day=dates.day,
        duration=_duration,
        elapsed=_elapsed,
        opened=steps.opened,
        closed=steps.closed,
        paths=graph_lines.paths,
    )
    return env


@pass_context
def _prose(context: Context, text: str, claims: ClaimNumbers | None = None) -> Markup:
    return prose.prose(text, context["lang"], claims)


@pass_context
def _inline(context: Context, text: str, claims: ClaimNumbers | None = None) -> Markup:
    return prose.inline(text, context["lang"], claims)


@pass_context
def _typo(context: Context, text: str) -> Markup:
    return escape(prose.typo(text, context["lang"]))


@pass_context
def _duration(context: Context, value: str) -> str:
    return dates.duration(value, context["lang"])


@pass_context
def _elapsed(context: Context, value: str) -> str:
    return dates.elapsed(value, context["lang"])


#: The marks of the kinds, by the letter of their symbol in the frame.
LETTERS = {Kind.symptoms: "s", Kind.components: "c", Kind.root_causes: "r", Kind.factors: "f"}


def term_line(kind: Kind, name: str, page: str, lang: Lang) -> Markup:
    """A value as an item of a term line: its mark, which says its kind, and its name as a link."""
    mark = Markup('<svg class="m" role="img" aria-label="{}"><use href="#{}"/></svg>')
    drawn = mark.format(Words(lang)(kind.filter_name), LETTERS[kind]) if kind in LETTERS else Markup("")
    return drawn + Markup('<a href="{}">{}</a>').format(page, prose.typo(name, lang))
