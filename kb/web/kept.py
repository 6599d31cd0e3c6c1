"""Pages that were made, as they are sent. A build does not change, so none of them is ever stale."""

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

from starlette.responses import Response

from kb.library import Library
from kb.web.asking import TEXT_NAMES
from kb.web.render import Page, conditional

#: Bytes of all pages together, of which a list takes some 90,000.
ROOM = 8_000_000
#: A page larger than this would push out too many others.
LARGEST = 800_000


class Kept(NamedTuple):
    body: bytes
    media_type: str


class KeptPages:
    """Those of one build that were asked for last, by what they depend on."""

    def __init__(self, _library: Library) -> None:
        self._pages: dict[object, Kept] = {}
        self._size = 0
        self._lock = Lock()

    def get(self, key: object) -> Kept | None:
        with self._lock:
            page = self._pages.pop(key, None)
            if page is not None:
                self._pages[key] = page  # the last in the row, which goes last
            return page

    def put(self, key: object, page: Kept) -> None:
        if len(page.body) > LARGEST:
            return
        with self._lock:
            former = self._pages.pop(key, None)
            self._size += len(page.body) - (len(former.body) if former else 0)
            self._pages[key] = page
            while self._size > ROOM:
                self._size -= len(self._pages.pop(next(iter(self._pages))).body)


def kept(page: Page, make: Callable[[Page], Response]) -> Response:
    """The page as it was made before, if it was. What holds somebody's own words is forgotten."""
    request = page.request
    if any(name in request.query_params for name in TEXT_NAMES):
        return make(page)
    pages, key = page.library.part(KeptPages), _key(page)
    former = pages.get(key)
    if former is not None:
        return conditional(request, former.body, former.media_type, page.lang)
    response = make(page)
    if response.status_code == 200 and response.media_type:
        pages.put(key, Kept(bytes(response.body), response.media_type))
    return response


def _key(page: Page) -> object:
    """All that a page without free text depends on, within a build."""
    url = page.request.url
    return url.path, url.query, page.theme, page.base_url, page.settings
