"""Every address of the library, and how a filter is toggled. Paths only; `absolute` puts the host in front."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from kb.model import Kind, Lang

API = "/api/v1"
#: With all tools, and with `search` and `fetch` alone.
MCP, MCP_SEARCH_FETCH = "/mcp", "/mcp/search-fetch"


def absolute(base_url: str, path: str) -> str:
    return f"{base_url}{path}"


def absolute_pages(data: Any, base_url: str) -> Any:
    """Plain JSON with the host in front of every `page`; unchanged where the public address is not known."""
    if not base_url:
        return data
    if isinstance(data, dict):
        return {
            key: absolute(base_url, value) if key == "page" and value else absolute_pages(value, base_url)
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [absolute_pages(item, base_url) for item in data]
    return data


def library(lang: Lang, query: Mapping[str, str] | None = None) -> str:
    return f"/{lang}/" + _query(query or {})


def incident(lang: Lang, case_id: str) -> str:
    return f"/{lang}/incidents/{case_id}"


def incident_markdown(lang: Lang, case_id: str) -> str:
    return f"/{lang}/incidents/{case_id}.md"


def topic(lang: Lang, kind: Kind, slug: str) -> str:
    return f"/{lang}/{kind}/{slug}"


def topic_markdown(lang: Lang, kind: Kind, slug: str) -> str:
    return f"/{lang}/{kind}/{slug}.md"


def topics(lang: Lang, kind: Kind) -> str:
    return f"/{lang}/{kind}"


def checks(lang: Lang) -> str:
    return f"/{lang}/checks"


def check(lang: Lang, check_id: str) -> str:
    return f"/{lang}/checks/{check_id}"


def check_markdown(lang: Lang, check_id: str) -> str:
    return f"/{lang}/checks/{check_id}.md"


def holes(lang: Lang) -> str:
    return f"/{lang}/holes"


def timeline(lang: Lang) -> str:
    return f"/{lang}/timeline"


def about(lang: Lang) -> str:
    return f"/{lang}/about"


def api_help(lang: Lang) -> str:
    return f"/{lang}/api"


def api_incident(case_id: str) -> str:
    return f"{API}/incidents/{case_id}"


def api_list(query: Mapping[str, str] | None = None) -> str:
    return f"{API}/incidents" + _query(query or {})


def api_search(query: Mapping[str, str]) -> str:
    return f"{API}/search" + _query(query)


def api_topic(kind: Kind, slug: str) -> str:
    return f"{API}/topics/{kind}/{slug}"


def api_export(name: str) -> str:
    return f"{API}/export/{name}"


def feed(form: str, lang: Lang, scope: str = "") -> str:
    """`form` is `atom` or `json`; `scope` is empty, `domains/ai-infra` or `symptoms/job-hang`."""
    path = f"/feeds/{scope}.{form}" if scope else f"/feed.{form}"
    return path if lang is Lang.en else f"{path}?lang={lang}"


def api_check(check_id: str) -> str:
    return f"{API}/checks/{check_id}"


def with_query(path: str, query: Mapping[str, str]) -> str:
    return path + _query(query)


def toggle(query: Mapping[str, str], name: str, value: str) -> dict[str, str]:
    """The same question with one filter put on, or taken off if it is on; paging starts anew."""
    changed = without(query, name)
    if query.get(name) != value:
        changed[name] = value
    return changed


def without(query: Mapping[str, str], name: str) -> dict[str, str]:
    """The same question without one argument, from its beginning."""
    return {key: item for key, item in query.items() if key not in (name, "cursor")}


def with_argument(address: str, name: str, value: str) -> str:
    """An address of ours with one argument more."""
    return f"{address}{'&' if '?' in address else '?'}{name}={quote(value, safe='')}"


def _query(query: Mapping[str, str]) -> str:
    pairs = [(key, value) for key, value in query.items() if value != ""]
    return "?" + urlencode(pairs, quote_via=quote) if pairs else ""
