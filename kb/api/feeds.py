"""What came into the library, as Atom (RFC 4287) and JSON Feed 1.1. Both say the same.

An entry's id is made from the case's id alone, so that it survives a change of host.
"""

import json
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape, quoteattr

from kb.answers import FeedAnswer, FeedEntry

ATOM, JSON = "application/atom+xml", "application/feed+json"
NAME = "Incident Library"


def atom(answer: FeedAnswer, heading: str, base_url: str, path: str, page: str) -> str:
    """`path` is the feed's own address, `page` that of the same for people."""
    own, home = quoteattr(f"{base_url}{path}"), quoteattr(f"{base_url}{page}")
    entries = "".join(_entry(entry, base_url) for entry in answer.entries)
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{answer.lang}">\n'
        f"<id>{_urn(path)}</id>\n<title>{_text(heading)}</title>\n<updated>{_moment(answer.updated)}</updated>\n"
        f"<author><name>{NAME}</name></author>\n<rights>CC BY 4.0</rights>\n"
        f'<link rel="self" type="{ATOM}" href={own}/>\n<link rel="alternate" type="text/html" href={home}/>\n'
        f"{entries}</feed>\n"
    )


def _entry(entry: FeedEntry, base_url: str) -> str:
    tags = "".join(f"<category term={quoteattr(_clean(tag))}/>" for tag in (entry.domain, *entry.tags))
    return (
        f"<entry>\n<id>{_urn(entry.id)}</id>\n<title>{_text(f'{entry.id}: {entry.title}')}</title>\n"
        f"<updated>{_moment(entry.on)}</updated>\n<author><name>{_text(entry.org_name)}</name></author>\n"
        f'<link rel="alternate" type="text/html" href={quoteattr(f"{base_url}{entry.page}")}/>\n'
        f"{tags}\n<summary>{_text(entry.summary)}</summary>\n</entry>\n"
    )


def json_feed(answer: FeedAnswer, heading: str, base_url: str, path: str, page: str) -> str:
    items = [
        {
            "id": _urn(entry.id),
            "url": f"{base_url}{entry.page}",
            "title": f"{entry.id}: {entry.title}",
            "content_text": entry.summary,
            "date_published": _moment(entry.on),
            "date_modified": _moment(entry.on),
            "authors": [{"name": entry.org_name}],
            "tags": [entry.domain, *entry.tags],
        }
        for entry in answer.entries
    ]
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": heading,
        "home_page_url": f"{base_url}{page}",
        "feed_url": f"{base_url}{path}",
        "language": answer.lang,
        "authors": [{"name": NAME}],
        "items": items,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _urn(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'incident-library/{name}')}"


def _moment(day: str) -> str:
    """Days are what the library knows; feeds want a time."""
    return f"{day}T00:00:00Z"


def _text(text: str) -> str:
    return escape(_clean(text))


def _clean(text: str) -> str:
    """Without the control characters that XML cannot hold."""
    return "".join(c for c in text if c >= " " or c in "\n\t")
