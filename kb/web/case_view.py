"""What a case's page needs beside the answer: linked data for search engines, and its replays as charts."""

from kb.answers import IncidentAnswer, ReplayAnswer
from kb.library import Library
from kb.model import Lang, Precision
from kb.web.chart import Chart, chart_of

LICENSE = "https://creativecommons.org/licenses/by/4.0/"


def linked_data(case: IncidentAnswer, base_url: str) -> dict[str, object]:
    """The case as a schema.org `TechArticle`; only what the case states."""
    published = case.dates.published
    data: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "TechArticle",
        "@id": f"{base_url}{case.page}",
        "url": f"{base_url}{case.page}",
        "identifier": case.id,
        "headline": case.title,
        "abstract": case.summary,
        "inLanguage": case.lang.value,
        "about": [{"@type": "DefinedTerm", "name": t.name, "url": f"{base_url}{t.page}"} for t in case.terms],
        "mentions": {"@type": "Organization", "name": case.organisation.name},
        "citation": [
            {"@type": "CreativeWork", "name": source.title, "url": source.url, "publisher": source.publisher}
            for source in case.sources
        ],
        "isBasedOn": [source.url for source in case.sources],
        "dateModified": case.review.on,
        "license": LICENSE,
    }
    if published and published.precision in (Precision.day, Precision.minute):
        data["datePublished"] = published.at
    return data


def charts_of_case(library: Library, case: IncidentAnswer) -> dict[str, list[tuple[ReplayAnswer, Chart]]]:
    """Check id → the replays of this case and what they look like."""
    found: dict[str, list[tuple[ReplayAnswer, Chart]]] = {}
    for link in case.checks:
        replay = library.replay(link.id, link.replay, Lang(case.lang))
        chart = chart_of(replay, case.lang)
        found[link.id] = [(replay, chart)] if chart else []
    return found
