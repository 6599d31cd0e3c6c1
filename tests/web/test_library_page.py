"""The library page: lists, searches, filters, empty answers, and what is left when a log is pasted."""

import gzip
import re
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import FILTER_NAMES, ListIncidents, SearchIncidents, ask
from kb.vocabulary import Term
from kb.web import static
from kb.web.words import Words
from tests.web.conftest import Get, visible

ENGLISH = "step time went from 30 s to 90 s and nothing failed"
KOREAN = "스텝 시간이 30초에서 90초로 늘었는데 에러는 없다"
NONSENSE = "sourdough starter hydration for rye bread"


def ids(html: str) -> list[str]:
    return re.findall(r'<li class="case hang" id="([A-Z]+-\d+)"', html)


def hrefs(html: str, css: str) -> list[str]:
    return [a.replace("&amp;", "&") for a in re.findall(rf'class="{css}" href="([^"]+)"', html)]


@pytest.mark.parametrize(
    ("lang", "said", "unsaid"),
    [
        (Lang.en, "1 case fits the sentence but is left out by the filters.", "No case here is about this."),
        (Lang.ko, "필터에 걸려 빠진 사례가 1건", "이 문장과 맞는 사례가 없습니다."),
    ],
)
def test_what_the_filters_leave_out_is_not_said_to_be_unknown(get: Get, lang: Lang, said: str, unsaid: str) -> None:
    text = visible(get(f"/{lang}/?q=IL-0224&component=etcd"))
    assert said in text
    assert unsaid not in text
    assert Words(lang)("new_case") not in text


@pytest.mark.parametrize("lang", list(Lang))
def test_the_list_is_the_librarys_own_in_its_order(get: Get, library: Library, lang: Lang) -> None:
    answer = library.list_incidents(ask(ListIncidents, {"lang": lang}))
    html = get(f"/{lang}/")

    assert ids(html) == [case.id for case in answer.cases]
    assert all(case.org_name in visible(html) for case in answer.cases)


@pytest.mark.parametrize(("lang", "text", "word"), [("en", ENGLISH, "Strong."), ("ko", KOREAN, "강함.")])
def test_a_search_shows_verdict_reasons_and_scores(get: Get, library: Library, lang: str, text: str, word: str) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": text, "lang": lang, "limit": "20"}))
    html = get(f"/{lang}/?symptoms={quote(text)}")

    assert ids(html) == [case.id for case in answer.cases]
    assert word in visible(html)
    assert html.count('class="why"') == len(answer.cases)
    assert f"{answer.cases[0].score:.2f}" in html
    assert text in html.split("<textarea", 1)[1].split("</textarea>", 1)[0]


def test_a_search_puts_the_list_before_the_graph_and_browsing_the_graph_before_the_list(get: Get) -> None:
    browsing, searching = get("/en/"), get(f"/en/?symptoms={quote(ENGLISH)}")

    assert browsing.index('id="graph"') < browsing.index('class="case hang"')
    assert searching.index('class="case hang"') < searching.index('id="graph"')


def test_the_first_hit_of_a_search_stands_open_and_no_row_of_a_list_does(get: Get) -> None:
    assert get(f"/en/?symptoms={quote(ENGLISH)}").count('<details class="more" open>') == 1
    assert '<details class="more" open>' not in get("/en/")


def test_every_filter_is_a_chip_that_takes_itself_away(get: Get, library: Library) -> None:
    case = library.list_incidents(ask(ListIncidents, {})).cases[0]
    values = {
        "root_cause": case.root_causes[0], "component": case.components[0], "symptom": case.symptoms[0],
        "factor": case.factors[0], "org": case.org, "domain": case.domain.value,
    }  # fmt: skip
    assert set(values) == set(FILTER_NAMES)
    html = get("/en/?" + "&".join(f"{name}={value}" for name, value in values.items()))

    chips = hrefs(html, "chip on")
    assert case.id in ids(html)
    assert len(chips) == 6
    for name, chip in zip(FILTER_NAMES, chips, strict=True):
        assert f"{name}=" not in chip
        assert all(f"{other}={values[other]}" in chip for other in values if other != name)


def test_values_found_in_the_sentence_are_offered_with_their_counts(get: Get, library: Library) -> None:
    text = "NCCL job hang on GPU nodes"
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": text, "limit": "20"}))
    html = get(f"/en/?symptoms={quote(text)}")

    offered = [s for s in answer.suggested_filters if s.cases]
    assert offered
    assert len(hrefs(html, "chip add")) == len(offered)
    assert f"{offered[0].filter}={offered[0].slug}" in hrefs(html, "chip add")[0]


def test_facets_count_the_selection_and_toggle(get: Get, library: Library) -> None:
    answer = library.list_incidents(ask(ListIncidents, {"domain": "ai-infra"}))
    html = get("/en/?domain=ai-infra")

    for facet in answer.facets:
        for value in facet.values[:6]:
            link = f'href="/en/?domain=ai-infra&amp;{facet.filter}={value.slug}"'
            assert f"{link}><span>" in html.replace("\u2060", ""), value.slug
    on = get("/en/?domain=ai-infra&symptom=throughput-degradation")
    assert re.search(r'<a href="/en/\?domain=ai-infra" aria-current="true"><span>Throughput degradation', on)


def test_a_filter_that_is_on_shows_in_its_facet_even_if_it_is_rare(get: Get, library: Library) -> None:
    facet = next(f for f in library.list_incidents(ask(ListIncidents, {})).facets if f.filter == "factor")
    rare = facet.values[-1]

    assert re.search(rf'aria-current="true"><span>{re.escape(rare.name)}', get(f"/en/?factor={rare.slug}"))


def test_the_pager_walks_the_whole_list_once_and_back(get: Get, library: Library) -> None:
    total = library.list_incidents(ask(ListIncidents, {})).count
    address, seen = "/en/", list[str]()
    while address:
        html = get(address)
        seen += ids(html)
        following = re.search(r'<a href="([^"]+)" rel="next"', html)
        address = following[1].replace("&amp;", "&") if following else ""
    previous = re.search(r'<a href="([^"]+)" rel="prev"', html)

    assert len(seen) == len(set(seen)) == total > 20
    assert previous
    assert seen[-len(ids(html)) - 1] in ids(get(previous[1].replace("&amp;", "&")))


def test_the_graph_uses_short_names_and_says_the_whole_one(get: Get, library: Library) -> None:
    value = library.vocabulary.get(Kind.components, "gpu")
    assert isinstance(value, Term)
    assert value.short
    html = get("/en/?domain=ai-infra")
    graph = html.split('id="graph"', 1)[1].split("</figure>", 1)[0]

    assert f"<span>{value.short.en}</span>" in graph
    # Who speaks to the page says what it shows: the short name comes first, the whole one after it.
    assert re.search(f'aria-label="{value.short.en} [0-9]+: {value.name.en}"', graph)


def test_sorting_is_a_link_and_the_current_order_is_marked(get: Get) -> None:
    html = get("/en/?sort=oldest")

    assert '<a href="/en/?sort=oldest" aria-current="true">Oldest</a>' in html
    assert '<a href="/en/">Newest</a>' in html


def test_dates_are_chips_and_fill_their_fields(get: Get) -> None:
    html = get("/en/?since=2024&until=2025")

    assert len(hrefs(html, "chip on")) == 2
    assert 'name="since" value="2024"' in html
    assert 'name="until" value="2025"' in html


def test_an_empty_list_says_what_to_take_away_and_what_would_be_left(get: Get, library: Library) -> None:
    left = library.list_incidents(ask(ListIncidents, {"component": "etcd"})).count
    html = get("/en/?component=etcd&org=tencent")

    assert ids(html) == []
    assert "Take one away" in visible(html)
    assert f"then {left}" in visible(html)


@pytest.mark.parametrize("lang", list(Lang))
def test_the_front_page_says_what_this_is_and_offers_searches_that_are_answered(
    get: Get, library: Library, lang: Lang
) -> None:
    words = Words(lang)
    front, elsewhere = visible(get(f"/{lang}/")), visible(get(f"/{lang}/?symptom=job-hang"))
    examples = words.plain("try_these").split("|")

    for said in (words.plain("site_about"), words.plain("intro_answer"), *examples):
        assert said in front
        assert said not in elsewhere
    for text in examples:
        assert library.search_incidents(ask(SearchIncidents, {"symptoms": text, "lang": lang})).verdict == "strong"


def test_an_empty_list_names_each_filter_once(get: Get) -> None:
    html = get("/en/?component=etcd&org=tencent")

    assert len(hrefs(html, "chip on")) == 2
    assert "Clear all" in visible(html)


@pytest.mark.parametrize(("lang", "word"), [("en", "None."), ("ko", "없음.")])
def test_a_question_that_the_library_cannot_answer_gets_a_way_out_and_no_filler(get: Get, lang: str, word: str) -> None:
    html = get(f"/{lang}/?symptoms={quote(NONSENSE)}")

    assert word in visible(html)
    assert ids(html) == []
    assert f'href="/{lang}/symptoms"' in html
    assert 'id="graph"' not in html


def test_blank_text_is_no_search(get: Get) -> None:
    assert ids(get("/en/?symptoms=%20%20")) == ids(get("/en/"))


def test_the_other_names_of_the_text_are_taken(get: Get) -> None:
    assert ids(get(f"/en/?q={quote(ENGLISH)}")) == ids(get(f"/en/?symptoms={quote(ENGLISH)}")) != []


def test_posted_text_is_answered_and_stands_in_no_address(client: TestClient) -> None:
    text = "NCCL timeout " * 100 + "job hang xyzzy"
    answer = client.post("/en/", data={"symptoms": text, "domain": "ai-infra"})

    assert answer.status_code == 200
    assert ids(answer.text)
    assert "xyzzy" not in "".join(re.findall(r'href="([^"]*)"', answer.text))
    assert "xyzzy" in answer.text


def test_a_whole_log_is_searched_by_its_codes_and_says_how_much_was_read(client: TestClient) -> None:
    log = "node up\r\n" * 400 + "NVRM: Xid (PCI:0000:b3:00): 79, pid=1, GPU has fallen off the bus.\n"
    answer = client.post("/ko/", data={"symptoms": log})

    assert answer.status_code == 200
    assert "IL-0224" in ids(answer.text)
    assert "Xid" in visible(answer.text)
    assert "찾은 코드" in visible(answer.text)


def test_the_own_cluster_gets_a_command_for_components_that_have_checks(get: Get) -> None:
    html = re.sub('<span class="nw">|</span>', "", get("/en/?component=gpu"))

    assert re.search(r"<pre>kb check \\\n(  --component [a-z-]+ \\\n)*  --component gpu \\\n", html)
    assert "Use the Incident Library MCP server" in html


@pytest.mark.parametrize("name", ["colour", "limitt", "lang2"])
def test_names_that_no_filter_has_are_refused(client: TestClient, name: str) -> None:
    answer = client.get(f"/en/?{name}=1")

    assert answer.status_code == 422
    assert name in visible(answer.text)


def test_one_name_with_two_values_is_refused(client: TestClient) -> None:
    assert client.get("/en/?component=gpu&component=etcd").status_code == 422
    assert client.get("/en/?component=gpu&component=gpu").status_code == 200


@pytest.mark.parametrize("address", ["/en/", "/ko/", f"/ko/?symptoms={quote(KOREAN)}"])
def test_the_page_is_light(get: Get, address: str) -> None:
    html = get(address).encode()
    # What a browser fetches for the page; the preview picture is for networks that show its link.
    whole = [html, *(file.body for name, file in static.files().items() if name != "preview.png")]

    assert sum(map(len, whole)) <= 150_000
    assert sum(len(gzip.compress(part)) for part in whole) <= 35_000


def test_hostile_words_in_the_question_stay_words(get: Get) -> None:
    html = get("/en/?symptoms=" + quote('</textarea><script>alert(1)</script>"onload="x') + "&domain=ai-infra")

    assert "<script>alert" not in html
    assert "&lt;/textarea&gt;&lt;script&gt;" in html
