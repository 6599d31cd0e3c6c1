"""The library page: what a browser has to fetch for it, and how long the server works on one never asked for before."""

import gzip
import re
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlencode

from kb.library import Library
from kb.model import Lang
from kb.questions import Vocab, ask
from tests.bench import report, serving
from tests.bench.timing import Times

#: Of the page, its style sheet, script and icon together, with 20 cases.
MOST_BYTES, MOST_PACKED = 150_000, 35_000
#: Milliseconds for the middle page that no one has asked for, with 500 cases.
MOST_TIME = 15.0


def measure(port: int, library: Library, bare: Mapping[int, Times], rounds: int) -> None:
    report.heading(f"The library page (at most {MOST_BYTES / 1000:.0f} kB, {MOST_PACKED / 1000:.0f} kB packed)")
    report.line("", "kB", "kB packed")
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        for lang in Lang:
            whole, packed = weight(connection, f"/{lang}/")
            report.line(f"/{lang}/ with style, script and icon", f"{whole / 1000:.1f}", f"{packed / 1000:.1f}")
    report.times_heading(f"Its time, every address new (at most {MOST_TIME:.0f} ms with 500 cases)")
    found = library.vocab(ask(Vocab, {"kind": "symptoms"})).matches[: 10 * rounds]
    for callers, floor in bare.items():
        others = "newest" if callers == 1 else "oldest"
        paths = [
            f"/{lang}/?{urlencode({'symptom': m.slug, 'sort': others})}" for m in found for lang in Lang if m.cases
        ]
        paths += [f"/{lang}/?since={1990 + year}&sort={others}" for year in range(5 * rounds) for lang in Lang]
        report.times(f"library page, {callers} at once", serving.call(port, paths, callers), floor)


def weight(connection: HTTPConnection, path: str) -> tuple[int, int]:
    """Bytes of a page with all that it makes a browser fetch, as they are and packed by gzip."""
    page = serving.fetch(connection, path)
    head = page.decode().split("<body>", 1)[0]
    fetched = re.findall(r'<link rel="(?:stylesheet|icon)" href="([^"]+)"|<script src="([^"]+)"', head)
    parts = [page, *(serving.fetch(connection, sheet or script) for sheet, script in fetched)]
    return sum(map(len, parts)), sum(len(gzip.compress(part)) for part in parts)
