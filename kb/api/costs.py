"""What each address costs: points of the client's budget, by how much work the answer is.

The description of every operation states its cost from this table, and the meter charges by it.
"""

from dataclasses import dataclass

from kb.links import API, MCP

RECORD, LIST, SEARCH, BATCH, BULK = 1, 2, 5, 10, 20
#: Beginning of a path → points; the longest that fits counts.
POINTS = {
    f"{API}/": LIST,
    f"{API}/search": SEARCH,
    f"{API}/match/": SEARCH,
    f"{API}/incidents/": RECORD,
    f"{API}/incidents:batch": BATCH,
    f"{API}/checks/": RECORD,
    f"{API}/schemas/": RECORD,
    f"{API}/status": RECORD,
    f"{API}/export/": BULK,
    "/feed": LIST,
    "/llms.txt": RECORD,
    "/llms-full.txt": BULK,
    "/openapi.json": RECORD,
    "/.well-known/": RECORD,
    MCP: SEARCH,
}
#: Never counted: who watches the server must not be turned away, and a page's own parts belong to the page.
FREE = ("/healthz", "/readyz", "/metrics", "/static/", "/favicon.svg", "/robots.txt")
_LONGEST_FIRST = sorted(POINTS, key=len, reverse=True)


@dataclass(frozen=True)
class Cost:
    """`policy` is the budget that pays: `api`, or `pages` for the website."""

    policy: str
    points: int


def cost(path: str) -> Cost | None:
    """What a request for this path costs; nothing where it is free."""
    if path.startswith(FREE):
        return None
    for beginning in _LONGEST_FIRST:
        if path.startswith(beginning):
            return Cost("api", POINTS[beginning])
    return Cost("pages", 1)
