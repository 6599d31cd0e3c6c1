"""Every type of page, in both languages: reachable by everybody, never wider than its window, kept as a picture."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Open, keep, opening
from tests.browser.pages import ERRORS, LANGS, PAGES

WIDTHS = (320, 390, 768, 1120, 1440, 1920)
PICTURES = {390: "dark", 768: "light", 1440: "light"}
EACH = [(name, lang) for name in PAGES for lang in LANGS]
SMALLEST_TARGET = 23.5
"""Pixels; 24 but for rounding."""
TOO_SMALL = """least => [...document.querySelectorAll("a[href], button, summary, input, textarea")]
  .filter((e) => {
    const { width, height } = e.getBoundingClientRect();
    const words = (of) => of.textContent.trim().length;
    const inText = getComputedStyle(e).display === "inline" && words(e.parentElement) > words(e) + 3;
    return width && !inText && !e.matches(".skip") && Math.min(width, height) < least;
  })
  .map((e) => `${e.closest("[class]")?.className} ${e.textContent.trim().slice(0, 30)}`)"""
DESK = {"width": 1440, "height": 900}


@pytest.fixture(scope="module", params=EACH, ids="-".join)
def page(request: pytest.FixtureRequest, browser: Browser, site: str) -> Iterator[Page]:
    """Each page once, for all tests that look at it."""
    name, lang = request.param
    with opening(browser, site) as open_at:
        page = open_at(PAGES[name].format(lang=lang), viewport=DESK, reduced_motion="reduce")
        page.name, page.lang = name, lang
        yield page


def test_it_answers_as_it_should_and_its_console_is_silent(page: Page) -> None:
    status = ERRORS.get(page.name, 200)
    assert page.status == status
    assert [text for text in page.said if status == 200 or f"status of {status}" not in text] == []


def test_axe_finds_nothing_in_either_theme(page: Page, axe: str) -> None:
    unfold(page)
    page.evaluate(axe)
    page.emulate_media(color_scheme="light")
    assert violations(page) == []
    # The dark theme changes colours and nothing else.
    page.emulate_media(color_scheme="dark")
    assert violations(page, only="color-contrast") == []


def test_it_never_scrolls_sideways_and_is_kept_as_a_picture(page: Page) -> None:
    too_wide = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if width in PICTURES:
            fold(page)
            page.emulate_media(color_scheme=PICTURES[width])
            keep(page, f"{page.name}-{page.lang}-{width}-{PICTURES[width]}")
        unfold(page)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if over > 0:
            too_wide[width] = over
    assert too_wide == {}


def test_a_finger_meets_every_link_that_stands_alone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    fold(page)
    assert page.evaluate(TOO_SMALL, SMALLEST_TARGET) == []


def unfold(page: Page) -> None:
    """Open whatever opens, so that nothing escapes the eye."""
    page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")


def fold(page: Page) -> None:
    page.eval_on_selector_all("details", "all => all.forEach(one => one.open = false)")


def violations(page: Page, only: str = "") -> list[str]:
    options = {"resultTypes": ["violations"], "iframes": False, "preload": False} | (
        {"runOnly": [only]} if only else {}
    )
    found: Any = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{rule['id']}: {node['target']} {node['html'][:120]}"
        for rule in found["violations"]
        for node in rule["nodes"][:3]
    ]


def test_printing_a_case_drops_what_paper_cannot_use_and_opens_what_is_closed(open_page: Open) -> None:
    page = open_page("/en/incidents/IL-0335")
    page.emulate_media(media="print")
    for selector in (".nav", ".lang", ".toc", ".jump", ".copy"):
        assert page.locator(f"{selector} >> visible=true").count() == 0, selector
    assert page.locator("#sources a").first.is_visible()
    written = page.evaluate("getComputedStyle(document.querySelector('#sources .src a'), '::after').content")
    assert "http" in written
    keep(page, "case-en-print")


def test_the_picture_for_networks_has_the_size_that_its_page_says(open_page: Open) -> None:
    page = open_page("/ko/")
    address = page.locator("meta[property='og:image']").get_attribute("content")
    size = page.evaluate(
        "async (a) => { const i = new Image(); i.src = a; await i.decode(); return [i.width, i.height]; }", address
    )
    assert size == [1200, 630]
