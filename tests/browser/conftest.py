"""A real server and Debian's Chromium. A machine without the browser fails these tests; none is left out."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

from kb.settings import Settings
from tests.serving import served

ROOT = Path(__file__).resolve().parent.parent.parent
SHOTS = ROOT / ".artifacts" / "browser"
CHROMIUM = os.environ.get("KB_CHROMIUM", "/usr/bin/chromium")

Open = Callable[..., Page]


@pytest.fixture(scope="package")
def site(settings: Settings) -> Iterator[str]:
    with served(settings) as address:
        yield address


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    # Not for the whole session: while Playwright runs, its event loop is the thread's own.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def axe() -> str:
    """The script of axe-core."""
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def open_page(browser: Browser, site: str) -> Iterator[Open]:
    """Opens a page of the site in a context of its own, with its `status` and all that its console `said`.

    Whatever it asks of another host is answered with a stub.
    """
    with opening(browser, site) as open_at:
        yield open_at


@contextmanager
def opening(browser: Browser, site: str) -> Iterator[Open]:
    contexts: list[BrowserContext] = []

    def stub(route: Route) -> None:
        if urlsplit(route.request.url).netloc == urlsplit(site).netloc:
            route.fallback()
        elif route.request.is_navigation_request():
            route.fulfill(status=200, content_type="text/html", body="<title>elsewhere</title>")
        else:
            raise AssertionError(f"asked another host for {route.request.url}")

    def open_at(path: str, **options: object) -> Page:
        context = browser.new_context(base_url=site, **options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        context.route("**/*", stub)
        page = context.new_page()
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        answer = page.goto(path)
        assert answer is not None
        page.status = answer.status
        return page

    yield open_at
    for context in contexts:
        context.close()


def keep(page: Page, name: str) -> None:
    """A picture of the whole page among the artefacts."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)
