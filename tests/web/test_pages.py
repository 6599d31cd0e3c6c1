"""Every kind of page in both languages: what it holds, where it leads, and that none of its links is dead."""

import json
import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from kb.app import create_app
from kb.library import Library
from kb.live import LiveLibrary
from kb.model import Kind, Lang
from kb.questions import FILTER_NAMES, GetCheck, GetIncident, GetTopic, ListIncidents, SearchIncidents, ask
from kb.settings import Settings
from kb.web.connect import clients, operations
from kb.web.pages import routes
from tests.web.conftest import Get, visible

SAMPLE = (
    "/{}/", "/{}/?domain=ai-infra", "/{}/incidents/IL-0477", "/{}/incidents/IL-0224", "/{}/symptoms",
    "/{}/symptoms/job-hang", "/{}/orgs/tencent", "/{}/checks", "/{}/checks/gpu/xid_fatal_counted",
    "/{}/checks/gpu/fell_off_bus_log", "/{}/holes", "/{}/timeline", "/{}/api", "/{}/about",
)  # fmt: skip
OTHER_FACES = ("/api/", "/openapi.json", "/llms.txt", "/mcp", "/feed")


def pages() -> list[str]:
    return [address.format(lang) for lang in Lang for address in SAMPLE]


def links(html: str) -> set[str]:
    found = {a.replace("&amp;", "&") for a in re.findall(r'(?:href|src|action)="(/[^"#]*)', html)}
    return {a for a in found if not a.startswith(OTHER_FACES)}


@pytest.mark.parametrize("address", pages())
def test_a_page_is_whole(get: Get, address: str) -> None:
    html = get(address)

    assert html.startswith(f'<!doctype html>\n<html lang="{address[1:3]}"')
    assert len(re.findall(r"<h1[ >]", html)) == 1
    assert html.rstrip().endswith("</html>")
    assert all(f"<{part}" in html for part in ("header", "nav", "main", "footer"))
    assert 'href="#main"' in html


@pytest.mark.parametrize("address", pages())
def test_a_page_has_no_style_or_script_of_its_own_and_asks_no_other_host(get: Get, address: str) -> None:
    html = get(address)

    assert "<style" not in html
    assert not re.search(r'\sstyle="|\son[a-z]+="', html)
    assert not re.search(r"<script(?! src=| type=\"application/ld\+json\")", html)
    assert not re.search(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(?!/|http://testserver/)', html)


@pytest.mark.parametrize("address", pages())
def test_ids_are_unique_and_every_jump_lands(get: Get, address: str) -> None:
    html = get(address)
    ids = re.findall(r'\sid="([^"]+)"', html)

    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(ids)
    assert {
        t for group in re.findall(r'aria-(?:labelledby|describedby)="([^"]+)"', html) for t in group.split()
    } <= set(ids)


def test_no_link_of_any_page_is_dead(client: TestClient, get: Get) -> None:
    waiting, seen = set(pages()), set[str]()
    followed = {address for page in waiting for address in links(get(page))}
    for address in sorted(followed):
        seen.add(address)
        assert client.get(address).status_code in (200, 303), address
    assert len(seen) > 300


@pytest.mark.parametrize("address", pages())
def test_a_page_leads_to_itself_in_the_other_language(get: Get, client: TestClient, address: str) -> None:
    other = "ko" if address[1:3] == "en" else "en"
    html = get(address)
    twin = f"/{other}{address[3:]}"

    assert f'<link rel="alternate" hreflang="{other}" href="http://testserver{twin}">' in html
    assert f'<a href="{twin}" lang="{other}" hreflang="{other}">' in html
    assert client.get(twin).status_code == 200


def test_every_case_has_a_page_in_both_languages(get: Get, library: Library) -> None:
    for case in library.list_incidents(ask(ListIncidents, {"limit": "100"})).cases:
        for lang in Lang:
            assert case.id in get(f"/{lang}/incidents/{case.id}")


@pytest.mark.parametrize("lang", list(Lang))
@pytest.mark.parametrize("case_id", ["IL-0477", "IL-0224", "IL-0097", "IL-0261"])
def test_a_case_shows_every_field_of_the_format(get: Get, library: Library, lang: Lang, case_id: str) -> None:
    case = library.get_incident(ask(GetIncident, {"id": case_id, "lang": lang}))
    html = get(f"/{lang}/incidents/{case_id}")
    text = re.sub("[\u2060\u00a0]", " ", visible(html)).replace(" ", "")

    def shown(value: str | None) -> bool:
        plain = re.sub("[\u2060\u00a0`]", "", value or "")
        return not value or all(re.sub(r"\s", "", word) in flat for word in re.split(r"\s+", plain))

    import html as entities

    flat = re.sub(r"[\s\u2060\u00a0]", "", entities.unescape(text))
    story = case.narrative
    for value in (
        case.title, case.summary, case.severity, case.impact.scope, case.impact.users, case.impact.regions,
        story.symptom, story.cause, story.trigger, story.detection, story.lessons, *case.actions, *case.follow_ups,
        *(entry.text for entry in case.timeline), *case.evidence, *(claim.value for claim in case.claims),
        *(claim.text for claim in case.claims), *(claim.where for claim in case.claims),
        *(source.title for source in case.sources), *(term.name for term in case.terms),
        *(check.id for check in case.checks), *(other.title for other in case.similar_cases),
        *(relation.id for relation in case.relations), case.no_check,
    ):  # fmt: skip
        assert shown(value), value
    assert all(f'href="{source.url}"'.replace("&", "&amp;") in html for source in case.sources)


def test_silence_is_shown(get: Get, library: Library) -> None:
    case = library.get_incident(ask(GetIncident, {"id": "IL-0477"}))
    absent = [
        case.severity, case.impact.users, case.impact.regions, case.time_to_detect, case.time_to_recover,
        case.narrative.trigger, *([None] if not case.follow_ups else []), *([None] if not case.components else []),
    ]  # fmt: skip

    assert get("/en/incidents/IL-0477").count('<span class="ns">not stated</span>') >= absent.count(None) > 4


@pytest.mark.parametrize(("lang", "word"), [("en", "Provisional."), ("ko", "잠정 사례입니다.")])
def test_a_provisional_case_says_so_first(get: Get, lang: str, word: str) -> None:
    html = get(f"/{lang}/incidents/IL-0477")

    assert html.index(word) < html.index("<h1")
    assert word not in get(f"/{lang}/incidents/IL-0224")


def test_figures_lead_to_their_claims(get: Get) -> None:
    html = get("/en/incidents/IL-0477")

    noted = set(re.findall(r'<a class="c" href="#(c\d+)">', html))
    assert len(noted) >= 4
    assert all(f'<tr id="{claim}">' in html for claim in noted)


def test_a_case_names_its_checks_and_how_far_they_are_believed(get: Get) -> None:
    html = get("/en/incidents/IL-0224")

    assert 'href="/en/checks/gpu/xid_fatal_counted"' in html
    assert "replay of this case:" in visible(html)
    assert "kb check \\\n  --for IL-0224" in re.sub('<span class="nw">|</span>', "", html)


def test_linked_data_is_data_and_cannot_end_its_element(get: Get, library: Library) -> None:
    html = get("/en/incidents/IL-0477")
    body = html.split('<script type="application/ld+json">')[1].split("</script>")[0]
    case = library.get_incident(ask(GetIncident, {"id": "IL-0477"}))

    assert not set("<>&") & set(body)
    assert json.loads(body)["headline"] == case.title
    assert json.loads(body)["url"] == "http://testserver/en/incidents/IL-0477"


@pytest.mark.parametrize("lang", list(Lang))
def test_a_check_is_there_as_markdown(client: TestClient, get: Get, library: Library, lang: Lang) -> None:
    check = library.get_check(ask(GetCheck, {"id": "gpu/xid_fatal_counted", "lang": lang}))
    answer = client.get(f"/{lang}/checks/{check.id}.md")

    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.text.startswith(f"# {check.id}: {check.title}")
    assert check.rule is not None
    assert check.rule.strip() in answer.text
    assert all(f"- `{replay.name}` (" in answer.text for replay in check.replays)
    assert all(f"- {case}: " in answer.text for case in check.cases)
    assert all(knob.reason in answer.text for knob in check.knobs)
    assert f'href="/{lang}/checks/{check.id}.md"' in get(f"/{lang}/checks/{check.id}")


@pytest.mark.parametrize(("lang", "said"), [("en", "has to hold for 5\u00a0min"), ("ko", "5분 동안 이어져야 함")])
def test_how_long_a_rule_has_to_hold_is_said_in_the_language_of_the_markdown(get: Get, lang: str, said: str) -> None:
    assert said in get(f"/{lang}/checks/workload/node_not_ready.md")


@pytest.mark.parametrize("lang", list(Lang))
@pytest.mark.parametrize(("kind", "slug"), [(Kind.symptoms, "job-hang"), (Kind.components, "gpu")])
def test_a_value_is_there_as_markdown_with_all_its_cases(
    client: TestClient, get: Get, library: Library, kind: Kind, slug: str, lang: Lang
) -> None:
    topic = library.get_topic(ask(GetTopic, {"kind": kind, "slug": slug, "lang": lang}))
    cases = library.outline(ask(ListIncidents, {kind.filter_name: slug}))
    answer = client.get(f"/{lang}/{kind}/{slug}.md")

    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.text.startswith(f"# {topic.name}\n")
    listed = answer.text.rsplit("\n## ", 1)[1]
    assert topic.count == len(cases) == listed.count(f"(http://testserver/{lang}/incidents/")
    assert all(f"[{case.id}: " in listed for case in cases)
    assert all(f"/{lang}/checks/{check.id})" in answer.text for check in topic.checks)
    assert f'href="/{lang}/{kind}/{slug}.md"' in get(f"/{lang}/{kind}/{slug}")


@pytest.mark.parametrize("lang", list(Lang))
def test_a_case_is_there_as_markdown(client: TestClient, library: Library, lang: Lang) -> None:
    case = library.get_incident(ask(GetIncident, {"id": "IL-0224", "lang": lang}))
    answer = client.get(f"/{lang}/incidents/IL-0224.md")

    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.text.startswith(f"# IL-0224: {case.title}")
    assert all(source.url in answer.text for source in case.sources)
    assert all(claim.value in answer.text for claim in case.claims)
    assert ("적혀 있지 않음" if lang is Lang.ko else "not stated") in answer.text


@pytest.mark.parametrize(
    ("address", "canonical"),
    [
        ("/en/incidents/il-0477", "/en/incidents/IL-0477"),
        ("/ko/incidents/il-0477.md", "/ko/incidents/IL-0477.md"),
        ("/ko/checks/GPU/xid_fatal_counted.md", "/ko/checks/gpu/xid_fatal_counted.md"),
        ("/en/symptoms/Job-Hang.md", "/en/symptoms/job-hang.md"),
        ("/en/symptoms/Job-Hang", "/en/symptoms/job-hang"),
        ("/ko/checks/GPU/xid_fatal_counted", "/ko/checks/gpu/xid_fatal_counted"),
        ("/en", "/en/"),
    ],
)
def test_other_spellings_of_an_address_lead_to_the_canonical_one(
    client: TestClient, address: str, canonical: str
) -> None:
    answer = client.get(address)

    assert (answer.status_code, answer.headers["location"]) == (301, canonical)


@pytest.mark.parametrize("lang", list(Lang))
def test_a_topic_shows_what_it_is_and_what_hangs_on_it(get: Get, library: Library, lang: Lang) -> None:
    topic = library.get_topic(ask(GetTopic, {"kind": "symptoms", "slug": "job-hang", "lang": lang}))
    html = get(f"/{lang}/symptoms/job-hang")
    text = re.sub("[\u2060\u00a0]", " ", html)

    assert topic.name in text
    assert all(f'id="{case.id}"' in html for case in topic.cases)
    assert all(alias in text for alias in topic.aliases if "·" not in alias)
    first = topic.related_terms[0]
    assert (
        f'href="/{lang}/?symptom=job-hang&amp;{first.kind.filter_name}={first.slug}"' in html
        or first.kind == "symptoms"
    )


@pytest.mark.parametrize("lang", list(Lang))
def test_a_topic_and_a_search_name_the_next_best_checks(get: Get, library: Library, lang: Lang) -> None:
    topic = library.get_topic(ask(GetTopic, {"kind": "symptoms", "slug": "job-hang", "lang": lang}))
    search = library.search_incidents(ask(SearchIncidents, {"symptoms": "training hangs", "lang": lang}))

    for answer, address in ((topic, f"/{lang}/symptoms/job-hang"), (search, f"/{lang}/?symptoms=training+hangs")):
        shown = get(address).split('id="next"', 1)[1].split("</ol>", 1)[0]
        assert re.findall(r'<li><a href="([^"]+)"', shown) == [one.page for one in answer.next_checks] != []
        for one in answer.next_checks:
            assert all(f'href="/{lang}/root_causes/{slug}"' in shown for slug in one.separates)
    assert 'id="next"' not in get(f"/{lang}/orgs/tencent")


def test_a_topic_narrows_to_the_cases_that_fit_a_sentence(get: Get, library: Library) -> None:
    asked = {"kind": "symptoms", "slug": "job-hang", "symptoms": "NCCL timeout"}
    topic = library.get_topic(ask(GetTopic, asked))
    html = get("/en/symptoms/job-hang?symptoms=NCCL+timeout")

    assert re.findall(r'<li class="case hang" id="([^"]+)"', html) == [case.id for case in topic.cases]
    assert "NCCL timeout</textarea>" in html


@pytest.mark.parametrize("lang", list(Lang))
def test_a_topic_shows_a_case_that_belongs_and_one_that_does_not(get: Get, library: Library, lang: Lang) -> None:
    topic = library.get_topic(ask(GetTopic, {"kind": "symptoms", "slug": "straggler", "lang": lang}))
    shown = re.sub("[\u2060\u00a0]", " ", get(f"/{lang}/symptoms/straggler").split('id="check"', 1)[0])
    markdown = get(f"/{lang}/symptoms/straggler.md")

    assert topic.examples
    for case in (topic.examples.belongs, topic.examples.does_not_belong):
        assert case
        assert case.why in shown
        assert f'href="{case.page}"' in shown
        assert case.why in markdown
    assert f'href="/{lang}/symptoms/throughput-degradation"' in shown
    assert topic.no_case is None
    reason = library.get_topic(ask(GetTopic, {"kind": "root_causes", "slug": "security-event", "lang": lang})).no_case
    assert reason
    assert reason in re.sub("[\u2060\u00a0]", " ", get(f"/{lang}/root_causes/security-event"))


@pytest.mark.parametrize("kind", list(Kind))
def test_an_index_lists_every_value_of_its_kind(get: Get, library: Library, kind: Kind) -> None:
    html = get(f"/en/{kind}")

    assert all(f'href="/en/{kind}/{slug}"' in html for slug in library.vocabulary.values[kind])


@pytest.mark.parametrize("lang", list(Lang))
def test_a_check_shows_rule_knobs_and_what_its_replays_gave(get: Get, library: Library, lang: Lang) -> None:
    check = library.get_check(ask(GetCheck, {"id": "gpu/xid_fatal_counted", "lang": lang}))
    html = get(f"/{lang}/checks/gpu/xid_fatal_counted")
    text = html.replace("<wbr>", "").replace("&#34;", '"').replace("&gt;", ">")

    assert check.rule
    assert check.rule in text
    assert all(f"<code>{knob.name}</code>" in text for knob in check.knobs)
    assert all(f'id="replay-{replay.name}"' in html for replay in check.replays)
    assert all(f'href="/{lang}/incidents/{case}"' in html for case in check.cases)


def test_a_check_of_many_cases_draws_some_and_says_where_the_others_are(get: Get, library: Library) -> None:
    check = library.get_check(ask(GetCheck, {"id": "workload/endpoint_probe_failing"}))
    html = get("/en/checks/workload/endpoint_probe_failing")

    assert html.count("Replay of ") == 4
    fired = [replay for replay in check.replays if replay.answer == "found" and replay.case]
    assert f"{len(fired) - 4} more replays" in visible(html)
    assert all(f'id="replay-{replay.name}"' in html for replay in check.replays)


def test_what_to_do_stands_before_the_proofs(get: Get) -> None:
    html = get("/en/checks/gpu/xid_fatal_counted")

    assert html.index('id="next"') < html.index("Replay of ") < html.index('id="proofs"')


def test_whole_copies_and_feeds_have_a_way_in_from_every_page(get: Get) -> None:
    foot = get("/ko/about").split("<footer", 1)[1]

    assert 'href="/ko/api#downloads"' in foot
    assert "/feed.atom" in foot
    assert all(f'href="/api/v1/export/all.{form}"' in get("/ko/api") for form in ("ndjson", "csv", "sqlite", "zip"))


def test_the_catalogue_filters_by_source_and_state(get: Get) -> None:
    assert 'href="/en/checks/gpu/fell_off_bus_log"' in get("/en/checks?kind=logs")
    assert 'href="/en/checks/gpu/xid_fatal_counted"' not in get("/en/checks?kind=logs")
    assert "0 checks" in visible(get("/en/checks?kind=steps&status=draft"))


def test_the_api_page_shows_every_client_and_every_operation(get: Get) -> None:
    html = get("/en/api")

    assert {"Claude Code", "Codex", "Cursor", "VS Code", "curl"} <= {client.name for client in clients("")}
    assert all(client.name in html for client in clients(""))
    assert all(f"<code>{operation.tool}</code>" in html for operation in operations(Lang.en))
    assert "http://testserver/mcp" in html
    assert "http://testserver/mcp/search-fetch" in html


@pytest.mark.parametrize(
    ("lang", "told", "unmetered"),
    [
        ("en", "300 points that come back every 90 seconds", "counts no requests"),
        ("ko", "90초 단위로 다시 차는 점수가 300점", "제한하지 않습니다"),
    ],
)
def test_the_budget_that_is_told_is_the_one_that_is_set(
    live: LiveLibrary, settings: Settings, lang: str, told: str, unmetered: str
) -> None:
    def page(quota: int) -> str:
        set_so = settings.model_copy(update={"rate_limit": quota, "rate_window": 90})
        with TestClient(Starlette(routes=routes(live, set_so))) as client:
            return visible(client.get(f"/{lang}/api").text)

    assert told in page(300)
    assert unmetered in page(0)
    assert "RateLimit" not in page(0)


def test_every_address_on_another_face_that_a_page_shows_answers(get: Get, settings: Settings) -> None:
    shown = {a for page in pages() for a in re.findall(r'href="(/[^"#]*)', get(page)) if a.startswith(OTHER_FACES)}
    with TestClient(create_app(settings)) as client:
        dead = [a for a in sorted(shown) if client.get(a.replace("&amp;", "&")).status_code != 200]

    assert dead == []
    assert {operation.path for operation in operations(Lang.en)[:7]} <= {a.replace("&amp;", "&") for a in shown}


@pytest.mark.parametrize("name", ["curl", "curl, POST"])
def test_the_curl_examples_answer_what_they_promise(settings: Settings, library: Library, name: str) -> None:
    text = next(client.text for client in clients("") if client.name == name).replace("\\\n", " ")
    symptoms = re.search(r"symptoms=([^']+)'|-d '(.+)'", text)
    assert symptoms
    with TestClient(create_app(settings)) as client:
        answer = (
            client.get("/api/v1/search", params={"symptoms": symptoms[1]})
            if symptoms[1]
            else client.post("/api/v1/search", json=json.loads(symptoms[2]))
        )

    assert answer.status_code == 200
    assert answer.json()["verdict"] != "none"


def test_about_promises_that_nothing_is_stored(get: Get) -> None:
    assert "Nothing that is typed or pasted here is stored" in visible(get("/en/about"))
    assert "저장하지 않습니다" in visible(get("/ko/about"))


def test_both_about_pages_have_the_same_sections(get: Get) -> None:
    sections = [re.findall(r'<section class="hang sec" id="(\w+)"', get(f"/{lang}/about")) for lang in Lang]

    assert sections[0] == sections[1]
    assert len(sections[0]) >= 6


def test_the_sitemap_names_every_public_page_in_both_languages(client: TestClient, library: Library) -> None:
    text = client.get("/sitemap.xml").text
    cases = library.list_incidents(ask(ListIncidents, {"limit": "100"})).cases

    assert all(f"<loc>http://testserver/{lang}/incidents/{case.id}</loc>" in text for lang in Lang for case in cases)
    assert 'hreflang="ko" href="http://testserver/ko/checks/gpu/xid_fatal_counted"' in text


def test_every_address_in_the_sitemap_answers(client: TestClient) -> None:
    addresses = re.findall(r"<loc>http://testserver([^<]+)</loc>", client.get("/sitemap.xml").text)

    assert [a for a in addresses[::7] if client.get(a).status_code != 200] == []


def test_robots_are_sent_to_the_sitemap(client: TestClient) -> None:
    answer = client.get("/robots.txt")

    assert answer.headers["content-type"].startswith("text/plain")
    assert "Sitemap: http://testserver/sitemap.xml" in answer.text


def test_filters_of_the_page_are_those_of_the_questions() -> None:
    assert [kind.filter_name for kind in Kind if kind.filter_name not in FILTER_NAMES] == []
