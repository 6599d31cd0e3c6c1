"""What robots read: the sitemap and robots.txt."""

from collections.abc import Iterator

from markupsafe import escape

from kb import links
from kb.answers import VocabMatch
from kb.library import Library
from kb.model import PUBLIC_PREFIX, Kind, Lang
from kb.questions import ListChecks, ListIncidents, Vocab, ask


def sitemap(library: Library, base_url: str) -> str:
    """Every page of the public cases, values and checks, in both languages, each naming the other."""
    entries = "".join(_entry(base_url, path, library.last_modified) for path in _paths(library))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
        f"{entries}</urlset>\n"
    )


def robots(base_url: str) -> str:
    return f"User-agent: *\nDisallow: /en/theme/\nDisallow: /ko/theme/\n\nSitemap: {base_url}/sitemap.xml\n"


def _entry(base_url: str, path: str, last_modified: str) -> str:
    """One `<url>` a language; `path` is the English one."""
    addresses = {lang: f"{base_url}/{lang}{path.removeprefix('/en')}" for lang in Lang}
    alternates = "".join(
        f'<xhtml:link rel="alternate" hreflang="{lang}" href="{escape(address)}"/>'
        for lang, address in addresses.items()
    )
    return "".join(
        f"<url><loc>{escape(address)}</loc><lastmod>{last_modified}</lastmod>{alternates}</url>\n"
        for address in addresses.values()
    )


def _paths(library: Library) -> Iterator[str]:
    lang = Lang.en
    yield links.library(lang)
    yield links.checks(lang)
    yield links.holes(lang)
    yield links.timeline(lang)
    yield links.api_help(lang)
    yield links.about(lang)
    yield from (links.topics(lang, kind) for kind in Kind)
    cases = library.outline(ask(ListIncidents, {"sort": "id"}))
    yield from (case.page for case in cases if case.id.startswith(PUBLIC_PREFIX))
    for kind in Kind:
        yield from (value.page for value in values(library, kind, lang) if value.cases)
    yield from (check.page for check in library.every_check(ask(ListChecks, {})))


def values(library: Library, kind: Kind, lang: Lang) -> Iterator[VocabMatch]:
    """Every value of a kind, over all pages of the operation."""
    cursor: str | None = None
    while True:
        answer = library.vocab(ask(Vocab, {"kind": kind, "lang": lang, "limit": "25", "cursor": cursor}))
        yield from answer.matches
        cursor = answer.next_cursor
        if cursor is None:
            return
