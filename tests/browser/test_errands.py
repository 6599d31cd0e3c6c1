"""What a person comes for, with a real browser: in each language, with JavaScript and without."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, keep
from tests.browser.pages import LANGS

WORDS = {
    "en": {
        "symptom": "A GPU has fallen off the bus, Xid 79",
        "search": "Search",
        "strong": "Strong.",
        "api": "API & MCP",
        "sources": "Sources",
        "other": "한국어",
    },
    "ko": {
        "symptom": "GPU가 버스에서 떨어졌고 Xid 79가 남았다",
        "search": "찾기",
        "strong": "강함.",
        "api": "API·MCP",
        "sources": "출처",
        "other": "English",
    },
}
EACH = pytest.mark.parametrize(("lang", "script"), [(lang, script) for lang in LANGS for script in (True, False)])
LIST_ID = re.compile(r"IL-\d{4}")


def start(open_page: Open, lang: str, *, script: bool, path: str = "/{lang}/") -> Page:
    viewport = {"width": 1440, "height": 900}
    return open_page(path.format(lang=lang), java_script_enabled=script, viewport=viewport, reduced_motion="reduce")


def followed(page: Page, link: Locator) -> None:
    """Clicks what loads another page and waits for all of it: a click returns as soon as its first bytes came."""
    with page.expect_navigation():
        link.click()


def search(page: Page, lang: str) -> None:
    page.get_by_role("search").get_by_role("textbox").fill(WORDS[lang]["symptom"])
    page.get_by_role("button", name=WORDS[lang]["search"], exact=True).click()
    expect(page.locator("#verdict b").first).to_have_text(WORDS[lang]["strong"])


@EACH
def test_find_a_case_by_what_is_seen(open_page: Open, lang: str, script: bool) -> None:
    page = start(open_page, lang, script=script)
    search(page, lang)
    expect(page.locator(".case").first.locator(".id")).to_have_text("IL-0224")
    expect(page.locator(".case").first.locator(".why")).to_contain_text("79")
    expect(page).to_have_url(re.compile("symptoms="))
    page.locator(".lang a").click()
    other = "en" if lang == "ko" else "ko"
    expect(page).to_have_url(re.compile(f"/{other}/\\?symptoms="))
    expect(page.locator(".case").first.locator(".id")).to_have_text("IL-0224")


@EACH
def test_narrow_by_three_filters_and_come_back(open_page: Open, lang: str, script: bool) -> None:
    page = start(open_page, lang, script=script)
    counts = [shown(page)]
    for number, kind in enumerate(("symptoms", "components", "root_causes"), start=1):
        facet = page.locator(".facet", has=page.locator(f"h3 a[href='/{lang}/{kind}']"))
        facet.locator("li > a:not([aria-current]):has(svg)").first.click()
        expect(page.locator(".chip.on")).to_have_count(number)
        counts.append(shown(page))
    assert counts == sorted(counts, reverse=True)
    assert 0 < counts[-1] < counts[0]
    keep(page, f"errand-narrowed-{lang}-{'script' if script else 'plain'}")
    for number in (2, 1, 0):
        page.go_back()
        expect(page.locator(".chip.on")).to_have_count(number)
        assert shown(page) == counts[number]


def shown(page: Page) -> int:
    """How many cases the list has, by its own word."""
    text = page.locator("#list .bar b").first.inner_text()
    return int(re.sub(r"\D", "", text))


@EACH
def test_open_a_case_and_reach_its_source(open_page: Open, lang: str, script: bool) -> None:
    page = start(open_page, lang, script=script)
    search(page, lang)
    page.locator(".case h3 a").first.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page).to_have_url(re.compile(f"/{lang}/incidents/IL-0224$"))
    source = page.get_by_role("region", name=WORDS[lang]["sources"]).locator("li a").first
    address = source.get_attribute("href")
    assert address
    assert address.startswith("https://")
    source.click()
    expect(page).to_have_url(address)


@EACH
def test_from_a_case_to_its_check_and_the_command(open_page: Open, lang: str, script: bool) -> None:
    page = start(open_page, lang, script=script, path="/{lang}/incidents/IL-0224")
    expect(page.locator("#check .chart").first).to_be_visible()
    followed(page, page.locator("#check .card .hd a").first)
    expect(page).to_have_url(re.compile(f"/{lang}/checks/gpu/"))
    check = page.locator(".idline code").inner_text()
    command = page.locator("#run pre").inner_text()
    assert "kb check" in command
    assert f"--check {check}" in command
    expect(page.locator("#run .copy")).to_have_count(int(script))


@EACH
def test_find_how_to_connect_an_assistant(open_page: Open, site: str, lang: str, script: bool) -> None:
    page = start(open_page, lang, script=script)
    followed(page, page.locator(".nav").get_by_role("link", name=WORDS[lang]["api"]))
    blocks = page.locator("#connect pre").all_inner_texts()
    assert f"claude mcp add --transport http incident-library {site}/mcp" in blocks
    assert any("[mcp_servers.incident-library]" in text for text in blocks)


@pytest.mark.parametrize("lang", LANGS)
def test_with_script_filters_change_the_list_and_keep_the_frame(open_page: Open, lang: str) -> None:
    page = start(open_page, lang, script=True)
    page.evaluate("window.stayed = true")
    facet = page.locator(".facet", has=page.locator(f"h3 a[href='/{lang}/symptoms']"))
    first = facet.locator("li > a:has(svg)").first
    name = first.locator("span").inner_text()
    first.click()
    expect(page.locator(".chip.on")).to_have_count(1)
    assert page.evaluate("window.stayed") is True
    assert name in page.title()
    assert page.evaluate("document.activeElement.querySelector('span')?.innerText") == name
    expect(page.get_by_role("status")).to_have_text(page.title())
    expect(page.locator(".lang a")).to_have_attribute("href", re.compile("symptom="))


@pytest.mark.parametrize("lang", LANGS)
def test_the_graph_lights_what_hangs_together_and_adds_a_filter(open_page: Open, lang: str) -> None:
    page = start(open_page, lang, script=True)
    # In a large graph only the strongest bands are drawn: take a value that has one. Small graphs name cases,
    # large ones nodes; either way a node lists what its lines carry.
    ends = " ".join(path.get_attribute("data-c") or "" for path in page.locator(".g-e path").all()[:12]).split()
    nodes = [page.locator(f".g a[data-c~='{end}'][href*='=']") for end in ends]
    node = next(found.first for found in nodes if found.count())
    node.hover()
    expect(page.locator("[data-lit] path[data-on]").first).to_be_attached()
    node.focus()
    page.keyboard.press("Escape")
    expect(page.locator("[data-lit]")).to_have_count(0)
    node.click()
    expect(page.locator(".chip.on")).to_have_count(1)


@EACH
def test_text_that_was_posted_can_be_filtered_and_stays_out_of_the_address(
    open_page: Open, lang: str, script: bool
) -> None:
    page = start(open_page, lang, script=script)
    page.get_by_role("search").get_by_role("textbox").fill(WORDS[lang]["symptom"])
    page.locator("button[formmethod=post]").click()
    expect(page.locator("#verdict")).to_be_visible()
    before = shown(page)
    page.locator(".facet button").first.click()
    expect(page.locator(".chip.on")).to_have_count(1)
    assert shown(page) <= before
    expect(page.get_by_role("search").get_by_role("textbox")).to_have_value(WORDS[lang]["symptom"])
    page.locator(".chip.on").click()
    expect(page.locator(".chip.on")).to_have_count(0)
    assert shown(page) == before
    assert "?" not in page.url


@pytest.mark.parametrize("lang", LANGS)
def test_a_search_can_be_paged_there_and_back(open_page: Open, lang: str) -> None:
    page = start(open_page, lang, script=False, path="/{lang}/?symptoms=service+unavailable+cluster+failed+error")
    first = page.locator(".case .id").all_inner_texts()
    followed(page, page.locator("a[rel=next]"))
    second = page.locator(".case .id").all_inner_texts()
    assert second
    assert not set(second) & set(first)
    followed(page, page.locator("a[rel=prev]"))
    assert page.locator(".case .id").all_inner_texts() == first
