"""The library's answers, on a fixed choice of real cases."""

import itertools
import time
from typing import Any

import pytest

from kb import case_file
from kb.answers import Verdict, WhyKind
from kb.errors import BadCursor, NotFound, UnknownValue
from kb.library import Library, ranking
from kb.library import search as looking_for
from kb.model import Kind, Lang
from kb.questions import (
    GetCheck,
    GetIncident,
    GetTopic,
    ListChecks,
    ListIncidents,
    MatchEvidence,
    SearchIncidents,
    Vocab,
    ask,
)
from kb.text_index import terms
from kb.vocabulary import Term
from kb.words import normalise
from tests.library_fixtures import DATA


def search(library: Library, symptoms: str, **more: str) -> list[str]:
    return [hit.id for hit in library.search_incidents(ask(SearchIncidents, {"symptoms": symptoms, **more})).cases]


@pytest.mark.parametrize(
    ("symptoms", "expected"),
    [
        ("NVRM: Xid (PCI:0000:4f:00): 79, GPU has fallen off the bus", "IL-0224"),
        ("Failed to initialize NVML: Unknown Error", "IL-0338"),
        ("pods stuck in Pending, no IP addresses left", "IL-0128"),
        ("DNS lookups sometimes take 5 seconds", "IL-0427"),
        ("스텝 시간이 30초에서 90초로 늘었는데 에러는 하나도 없다", "IL-0477"),
        ("운영 네임스페이스를 실수로 지웠어요", "IL-0011"),
        ("the certificate of our chart repository expired", "IL-0076"),
        ("인증서가 만료됐어요", "IL-0076"),
    ],
)
def test_a_symptom_leads_to_its_case(library: Library, symptoms: str, expected: str) -> None:
    assert expected in search(library, symptoms)[:2]


@pytest.mark.parametrize(
    "symptoms",
    [
        "best pizza in town",
        "asdf qwer zxcv",
        "맛있는 김치찌개 레시피",
        "how do I tune postgres vacuum",
        "!!! ???",
        "the and of",
        "x",
        "a b c",
        "은 는 이 가",
        "it does not work",
        "x " * 900,
    ],
)
def test_what_is_not_here_gets_the_verdict_none(library: Library, symptoms: str) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": symptoms}))
    assert (answer.verdict, answer.count, answer.cases) == (Verdict.none, 0, ())


def test_scores_are_absolute_ordered_and_explained(library: Library) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": "GPU has fallen off the bus", "limit": "20"}))
    scores = [hit.score for hit in answer.cases]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert all(hit.why for hit in answer.cases)
    assert answer.cases[0].why[0].kind is WhyKind.evidence


def test_removing_what_the_reason_names_lowers_the_score(library: Library) -> None:
    text = "Xid 79, node unusable, kubelet rejects pods"
    best = library.search_incidents(ask(SearchIncidents, {"symptoms": text})).cases[0]
    without = library.search_incidents(ask(SearchIncidents, {"symptoms": text.replace("Xid 79, ", "")}))
    after = next((hit.score for hit in without.cases if hit.id == best.id), 0.0)
    assert after < best.score


def test_highlights_are_ranges_of_a_plain_passage(library: Library) -> None:
    hit = library.search_incidents(ask(SearchIncidents, {"symptoms": "GPU has fallen off the bus"})).cases[0]
    span = hit.highlights["title"]
    assert "<" not in span.text
    assert {span.text[a:b].lower() for a, b in span.spans} & {"gpu", "off", "bus"}


def test_values_found_in_the_words_are_offered_with_what_they_would_leave(library: Library) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": "OOMKilled pods on GPU nodes", "limit": "20"}))
    assert answer.suggested_filters
    for offered in answer.suggested_filters:
        given = {"symptoms": "OOMKilled pods on GPU nodes", offered.filter: offered.slug}
        assert library.search_incidents(ask(SearchIncidents, given)).count == offered.cases > 0


def test_a_misspelt_word_is_put_right(library: Library) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": "the certifcate expired"}))
    assert answer.did_you_mean


def test_search_pages_join_without_gap_or_repeat(library: Library) -> None:
    whole = search(library, "training job hangs", limit="20")
    pages: list[str] = []
    cursor: str | None = None
    while True:
        given = {"symptoms": "training job hangs", "limit": "2", "cursor": cursor}
        answer = library.search_incidents(ask(SearchIncidents, given))
        pages += [hit.id for hit in answer.cases]
        cursor = answer.next_cursor
        if cursor is None:
            break
    assert pages[: len(whole)] == whole
    assert len(pages) == len(set(pages)) == answer.count


def test_a_sentence_is_looked_at_once_for_the_list_its_pages_and_what_is_drawn(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []
    embed = library._store.embed
    monkeypatch.setattr(library._store, "embed", lambda text: (embedded.append(text), embed(text))[1])
    given = {"symptoms": "a training job that hangs on its last step", "limit": "2"}
    first = library.search_incidents(ask(SearchIncidents, given))
    assert first.next_cursor
    library.search_incidents(ask(SearchIncidents, given | {"cursor": first.next_cursor}))
    library.search_incidents(ask(SearchIncidents, given | {"domain": "ai-infra", "lang": "ko"}))
    drawn = library.outline(ask(SearchIncidents, given))
    assert embedded == [given["symptoms"]]
    assert len(drawn) == first.count
    assert [case.id for case in drawn[:2]] == [hit.id for hit in first.cases]


@pytest.mark.parametrize(
    "dressed",
    [
        "THE CERTIFICATE EXPIRED AND PODS ARE STUCK",
        "\x1b[31mthe certificate expired\x1b[0m and pods are stuck",
        "the certifi\u200bcate expired and p\u00adods are stuck",
    ],
)
def test_how_a_question_is_dressed_changes_nothing(library: Library, dressed: str) -> None:
    plain = library.search_incidents(ask(SearchIncidents, {"symptoms": "the certificate expired and pods are stuck"}))
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": dressed}))
    assert answer.verdict is plain.verdict is Verdict.strong
    assert [(hit.id, hit.score) for hit in answer.cases] == [(hit.id, hit.score) for hit in plain.cases]


@pytest.mark.parametrize("text", ["IL-0224", "il-224"])
def test_who_asks_for_an_id_alone_gets_that_case_alone(library: Library, text: str) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": text}))
    assert [hit.id for hit in answer.cases] == ["IL-0224"]
    assert answer.did_you_mean == ()


def test_one_common_word_is_never_strong_but_a_name_is(library: Library) -> None:
    assert library.search_incidents(ask(SearchIncidents, {"symptoms": "장애"})).verdict is not Verdict.strong
    assert library.search_incidents(ask(SearchIncidents, {"symptoms": "gpu"})).verdict is Verdict.strong


def test_a_reason_names_the_part_that_matched(library: Library) -> None:
    text = 'level=error msg="dial tcp 10.0.0.1:2379: connect: connection refused" component=etcd-client'
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": text}))
    said = {
        word for hit in answer.cases for why in hit.why if why.kind is WhyKind.words for word in why.text.split(", ")
    }
    assert said
    assert not said & {"10.0.0.1:2379", "etcd-client"}
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": "the certificate expired"}))
    assert answer.cases[0].why[0].text == "certificate, expired", "in the order of the question"


def test_words_that_say_nothing_lead_to_no_value(library: Library) -> None:
    assert library.vocab(ask(Vocab, {"query": "\N{FIRE}"})).verdict is Verdict.none


def test_what_a_filter_leaves_out_is_counted(library: Library) -> None:
    given = {"symptoms": "IL-0224"}
    assert library.search_incidents(ask(SearchIncidents, given)).left_out_by_filters == 0
    excluded = library.search_incidents(ask(SearchIncidents, given | {"component": "etcd"}))
    assert (excluded.verdict, excluded.left_out_by_filters) == (Verdict.none, 1)
    given = {"symptoms": "the certificate expired", "limit": "20"}
    whole = library.search_incidents(ask(SearchIncidents, given))
    for domain in ("kubernetes", "ai-infra"):
        part = library.search_incidents(ask(SearchIncidents, given | {"domain": domain}))
        assert part.count + part.left_out_by_filters == whole.count
    foreign = library.search_incidents(ask(SearchIncidents, {"symptoms": "best pizza", "domain": "kubernetes"}))
    assert foreign.left_out_by_filters == 0


def test_a_filter_that_leaves_the_best_case_out_leaves_those_that_answer_by_themselves(library: Library) -> None:
    given = {"symptoms": "the certificate expired and kubelet cannot join", "limit": "20"}
    whole = library.search_incidents(ask(SearchIncidents, given))
    first = library.get_incident(ask(GetIncident, {"id": whole.cases[0].id}))
    others = [org for org in library.vocabulary.values[Kind.orgs] if org != first.org]
    by_score = {hit.id: hit.score for hit in whole.cases}
    found = [library.search_incidents(ask(SearchIncidents, given | {"org": org})) for org in others]
    kept = {hit.id: hit.score for answer in found for hit in answer.cases}
    assert kept.keys() >= by_score.keys() - {first.id}
    assert all(kept[i] == by_score[i] for i in kept.keys() & by_score.keys())
    given = {"symptoms": "one slow GPU delays everyone", "limit": "20"}
    by_themselves = [
        hit for hit in library.search_incidents(ask(SearchIncidents, given)).cases if hit.score < ranking.LEAST
    ]
    assert by_themselves
    for hit in by_themselves:
        org = library.get_incident(ask(GetIncident, {"id": hit.id})).org
        part = library.search_incidents(ask(SearchIncidents, given | {"org": org})).cases
        assert (hit.id, hit.score) in [(other.id, other.score) for other in part]


def test_list_pages_join_both_ways_in_every_order(library: Library) -> None:
    for sort in ("newest", "oldest", "id"):
        whole = library.list_incidents(ask(ListIncidents, {"sort": sort, "limit": "100"}))
        first = library.list_incidents(ask(ListIncidents, {"sort": sort, "limit": "7"}))
        second = library.list_incidents(ask(ListIncidents, {"sort": sort, "limit": "7", "cursor": first.next_cursor}))
        back = library.list_incidents(
            ask(ListIncidents, {"sort": sort, "limit": "7", "cursor": second.previous_cursor})
        )
        assert [c.id for c in (*first.cases, *second.cases)] == [c.id for c in whole.cases[:14]]
        assert (second.first, back.cases) == (8, first.cases)


def test_undated_cases_come_last_and_fall_out_of_a_range(library: Library) -> None:
    newest = library.list_incidents(ask(ListIncidents, {"limit": "100"}))
    dates = [case.date for case in newest.cases]
    known = [date for date in dates if date]
    assert dates[: len(known)] == known
    assert known == sorted(known, reverse=True)
    ranged = library.list_incidents(ask(ListIncidents, {"since": "2023", "until": "2023", "limit": "100"}))
    assert ranged.cases
    assert all(case.date and case.date.startswith("2023") for case in ranged.cases)
    assert ranged.undated_excluded == len(dates) - len(known)


def test_filters_must_all_hold_and_facets_count_the_selection(library: Library) -> None:
    both = library.list_incidents(ask(ListIncidents, {"domain": "ai-infra", "component": "gpu", "limit": "100"}))
    assert both.cases
    assert all(case.domain == "ai-infra" and "gpu" in case.components for case in both.cases)
    for facet in both.facets:
        for value in facet.values:
            with_it = {"domain": "ai-infra", "component": "gpu", facet.filter: value.slug, "limit": "100"}
            if facet.filter != "component":
                assert library.list_incidents(ask(ListIncidents, with_it)).count == value.count


def test_cursors_of_other_questions_or_makers_are_refused(library: Library) -> None:
    cursor = library.list_incidents(ask(ListIncidents, {"limit": "2"})).next_cursor
    assert cursor
    for given, message in (
        ({"cursor": cursor, "sort": "id"}, "another question"),
        ({"cursor": cursor[:-6]}, "cut or not one"),
        ({"cursor": "x" * 40}, "cut or not one"),
        ({"cursor": "WzEsMl0"}, "cut or not one"),
    ):
        with pytest.raises(BadCursor, match=message):
            library.list_incidents(ask(ListIncidents, given))


def test_unknown_values_name_the_nearest_and_the_next_step(library: Library) -> None:
    with pytest.raises(UnknownValue, match="Nearest: pod-pending"):
        library.list_incidents(ask(ListIncidents, {"symptom": "pod-pendng"}))
    with pytest.raises(UnknownValue, match="one of the components"):
        library.list_incidents(ask(ListIncidents, {"symptom": "gpu"}))
    with pytest.raises(NotFound, match="There is no case IL-9999"):
        library.get_incident(ask(GetIncident, {"id": "IL-9999"}))
    with pytest.raises(NotFound, match=r"Nearest: gpu/xid_fatal_counted"):
        library.get_check(ask(GetCheck, {"id": "gpu/xid_fatal"}))


def test_a_whole_case_stands_in_either_language(library: Library) -> None:
    english = library.get_incident(ask(GetIncident, {"id": "IL-0477"}))
    korean = library.get_incident(ask(GetIncident, {"id": "IL-0477", "lang": "ko"}))
    assert english.claims
    assert english.sources == korean.sources
    assert any("가" <= letter <= "힣" for letter in korean.title)
    assert korean.lang_fallback == ()
    assert korean.page == "/ko/incidents/IL-0477"


def test_sections_and_budget_bound_an_answer_and_say_what_was_cut(library: Library) -> None:
    asked = ask(GetIncident, {"id": "IL-0097", "sections": "sources,claims"})
    part = library.get_incident(asked)
    assert part.sources
    assert part.claims
    assert part.timeline == part.actions == ()
    assert "narrative" in part.cut
    with pytest.raises(UnknownValue, match="Nearest: narrative"):
        library.get_incident(ask(GetIncident, {"id": "IL-0097", "sections": "narative"}))


@pytest.mark.parametrize("budget", [3000, 5000, 8000, 20_000])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_no_case_exceeds_its_budget(library: Library, budget: int, lang: str) -> None:
    for case in library.list_incidents(ask(ListIncidents, {"limit": "100"})).cases:
        answer = library.get_incident(ask(GetIncident, {"id": case.id, "budget": str(budget), "lang": lang}))
        assert len(answer.model_dump_json()) <= budget
        assert answer.id == case.id


def test_a_korean_reason_fits_every_number(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def neighbours_of_one(*asked: Any, **more: Any) -> ranking.Ranking:
        ranked = ranking.rank(*asked, **more)
        for match in ranked.matches:
            match.alike = "IL-0224"
        return ranked

    monkeypatch.setattr(looking_for, "rank", neighbours_of_one)
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": "GPU가 버스에서 그만 떨어졌다", "lang": "ko"}))
    said = [why.text for hit in answer.cases for why in hit.why if why.kind is WhyKind.similar]

    assert said
    assert set(said) == {"IL-0224 사례와 닮음"}


def test_similar_cases_say_what_they_share_and_are_never_the_case_itself(library: Library) -> None:
    answer = library.get_incident(ask(GetIncident, {"id": "IL-0097"}))
    assert answer.similar_cases
    assert all(similar.id != "IL-0097" and similar.reason for similar in answer.similar_cases)


def test_a_topic_carries_its_cases_neighbours_and_checks(library: Library) -> None:
    topic = library.get_topic(ask(GetTopic, {"kind": "symptoms", "slug": "gpu-unavailable"}))
    assert topic.count == len(topic.cases) > 0
    assert "gpu/fell_off_bus_log" in [check.id for check in topic.checks]
    assert all(value.count == len(value.cases) for value in topic.related_terms)
    assert not [v for v in topic.related_terms if (v.kind, v.slug) == (Kind.symptoms, "gpu-unavailable")]


@pytest.mark.parametrize("lang", list(Lang))
def test_a_topic_shows_its_edge_on_two_cases(library: Library, lang: Lang) -> None:
    value = library.vocabulary.values[Kind.symptoms]["straggler"]
    topic = library.get_topic(ask(GetTopic, {"kind": "symptoms", "slug": "straggler", "lang": lang}))
    assert isinstance(value, Term)
    assert value.examples
    assert topic.examples
    belongs, near = topic.examples.belongs, topic.examples.does_not_belong
    assert belongs
    assert near
    assert near.instead
    assert value.examples.does_not_belong
    assert (belongs.id, belongs.why) == (value.examples.belongs.case, value.examples.belongs.why.say(lang)[0])
    assert belongs.instead is None
    assert belongs.id in [case.id for case in topic.cases]
    assert (near.id, near.instead.slug) == (value.examples.does_not_belong.case, "throughput-degradation")
    assert near.title == library.get_incident(ask(GetIncident, {"id": near.id, "lang": lang})).title


def test_an_example_whose_case_is_not_here_is_left_out(library: Library) -> None:
    topic = library.get_topic(ask(GetTopic, {"kind": "symptoms", "slug": "gpu-unavailable"}))
    assert topic.examples
    assert topic.examples.belongs
    assert topic.examples.does_not_belong is None
    assert library.get_topic(ask(GetTopic, {"kind": "orgs", "slug": "tencent"})).examples is None


def test_a_value_without_a_case_says_why_it_is_there(library: Library) -> None:
    topic = library.get_topic(ask(GetTopic, {"kind": "root_causes", "slug": "security-event"}))
    assert (topic.count, bool(topic.no_case)) == (0, True)


def test_a_sentence_narrows_a_topic_and_is_echoed(library: Library) -> None:
    given = {"kind": "components", "slug": "gpu", "symptoms": "GPU fell off the PCIe bus, Xid 79"}
    topic = library.get_topic(ask(GetTopic, given))
    assert (topic.symptoms, topic.cases[0].id) == (given["symptoms"], "IL-0224")
    nothing = library.get_topic(ask(GetTopic, {**given, "symptoms": "best pizza in town"}))
    assert (nothing.verdict, nothing.count) == (Verdict.none, 0)


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ("cert ran out", "certificate-expiry"),
        ("인증서 만료", "certificate-expiry"),
        ("nodes are slow one of them", "straggler"),
        ("파드가 안 떠요", "pod-pending"),
        ("CrashLoopBackOff", "crash-loop"),
    ],
)
def test_words_lead_to_vocabulary_values(library: Library, query: str, slug: str) -> None:
    answer = library.vocab(ask(Vocab, {"query": query}))
    assert slug in [match.slug for match in answer.matches[:3]]
    assert answer.verdict is not Verdict.none


@pytest.mark.parametrize(
    ("query", "lang", "meant", "slug", "label"),
    [
        ("checkpiont coruption", "en", "checkpoint corruption", "checkpoint-failure", "corrupt checkpoint"),
        ("팬딩 상태", "ko", "펜딩 상태", "pod-pending", "펜딩 상태"),
    ],
)
def test_a_misspelt_value_is_found_and_says_by_which_name(
    library: Library, query: str, lang: str, meant: str, slug: str, label: str
) -> None:
    answer = library.vocab(ask(Vocab, {"query": query, "lang": lang}))
    assert answer.did_you_mean == (meant,)
    first = answer.matches[0]
    assert (first.slug, first.why[0].kind, first.why[0].text) == (slug, WhyKind.words, label)
    span = first.highlights["label"]
    assert (span.text, span.spans[0][0]) == (label, 0)
    for match in answer.matches:
        assert match.why
        label_span = match.highlights.get("label")
        assert (label_span is not None) == (match.why[0].kind is WhyKind.words)


def test_a_name_in_the_language_asked_for_is_the_reason(library: Library) -> None:
    for lang in ("en", "ko"):
        matches = library.vocab(ask(Vocab, {"query": "gpu", "lang": lang, "limit": "25"})).matches
        named = {match.slug: match.why[0].text for match in matches}
        assert named["gpu-unavailable"].isascii() is (lang == "en")
    assert library.vocab(ask(Vocab, {"query": "a"})).matches == ()


@pytest.mark.parametrize("text", ["straggler", "a straggler", "the stragler", "Straggler"])
def test_a_name_that_is_the_whole_question_is_answered_whatever_stands_beside_it(library: Library, text: str) -> None:
    assert library.search_incidents(ask(SearchIncidents, {"symptoms": text})).verdict is not Verdict.none


def test_nothing_that_can_be_read_has_no_near_misses(library: Library) -> None:
    for text in ("🔥", "...", "은 는"):
        answer = library.search_incidents(ask(SearchIncidents, {"symptoms": text}))
        assert (answer.verdict, answer.near_misses_cut) == (Verdict.none, 0)


def test_letters_that_are_spelled_out_are_named_as_letters(library: Library) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": "지피유가 사라졌다", "lang": "ko"}))
    assert any("지피유가 (gpu)" in why.text for hit in answer.cases for why in hit.why)
    assert not any("지피유가" in why.text.replace("지피유가 (gpu)", "") for hit in answer.cases for why in hit.why)


@pytest.mark.parametrize("unit", ["x", "0f", "SXid(", "가", "a-", "Xid  "])
def test_a_long_run_of_anything_is_read_in_time(library: Library, unit: str) -> None:
    started = time.process_time()
    library.match_evidence(ask(MatchEvidence, {"text": unit * (200_000 // len(unit))}))
    assert time.process_time() - started < 20  # a second or so; what goes back and forth takes minutes


def test_values_that_nearly_fit_are_counted_and_a_plain_list_gives_no_reasons(library: Library) -> None:
    answer = library.vocab(ask(Vocab, {"query": "nodes disappear", "limit": "25"}))
    assert answer.near_misses_cut > 0
    assert answer.did_you_mean == ()
    listed = library.vocab(ask(Vocab, {}))
    assert (listed.near_misses_cut, listed.did_you_mean, listed.matches[0].why) == (0, (), ())
    assert library.vocab(ask(Vocab, {"query": "zxcv qwer"})).matches == ()


def test_the_vocabulary_can_say_no_and_can_be_listed_whole(library: Library) -> None:
    assert library.vocab(ask(Vocab, {"query": "zxcv qwer"})).verdict is Verdict.none
    listed: list[str] = []
    cursor: str | None = None
    for _ in itertools.count():
        answer = library.vocab(ask(Vocab, {"limit": "25", "cursor": cursor}))
        listed += [f"{match.kind}/{match.slug}" for match in answer.matches]
        cursor = answer.next_cursor
        if cursor is None:
            break
    assert len(listed) == len(set(listed)) == answer.count


def test_pasted_output_is_matched_by_its_keys(library: Library) -> None:
    log = "noise\n" * 3000 + "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
    answer = library.match_evidence(ask(MatchEvidence, {"text": log}))
    assert {"xid", "saying"} <= {key.kind for key in answer.keys}
    assert answer.cases[0].id == "IL-0224"
    assert "gpu/fell_off_bus_log" in [check.id for check in answer.checks]
    assert answer.characters_used == len(log.strip())


def test_pasted_output_without_keys_says_none(library: Library) -> None:
    answer = library.match_evidence(ask(MatchEvidence, {"text": "everything is fine"}))
    assert (answer.verdict, answer.keys, answer.cases) == (Verdict.none, (), ())


def test_checks_are_listed_by_case_kind_and_component(library: Library) -> None:
    for given in ({"case": "IL-0224"}, {"kind": "logs"}, {"component": "gpu"}, {"status": "proven"}):
        listed = library.list_checks(ask(ListChecks, {**given, "limit": 200}))
        assert "gpu/fell_off_bus_log" in [check.id for check in listed.checks]
    with pytest.raises(UnknownValue, match="prometheus, kubernetes, host, logs, steps"):
        library.list_checks(ask(ListChecks, {"kind": "log"}))
    with pytest.raises(UnknownValue, match="no case IL-9999") as caught:
        library.list_checks(ask(ListChecks, {"case": "IL-9999"}))
    assert (caught.value.field, bool(caught.value.nearest)) == ("case", True)


def test_completions_begin_with_the_prefix_in_either_language(library: Library) -> None:
    assert "IL-0477" in library.complete("id", "il-04")
    assert "pod-pending" in library.complete("symptoms", "파드")
    assert "pod-pending" in library.complete("symptoms", "pod")
    assert "gpu/xid_fatal_counted" in library.complete("check", "xid")
    assert library.complete("nothing", "x") == ()


def test_status_counts_what_is_served(library: Library) -> None:
    status = library.status()
    assert status.cases == sum(status.by_domain.values()) == library.list_incidents(ask(ListIncidents, {})).count
    assert status.records == sum(status.by_status.values()) == status.cases + sum(status.not_served.values())
    assert status.meaning is True


@pytest.mark.parametrize("text", ["IL-0477", "il-477", "what is IL-0477?", "IL-0477이 뭐였지"])
def test_an_id_in_the_search_box_finds_that_case_first(library: Library, text: str) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": text}))
    assert (answer.cases[0].id, answer.cases[0].score, answer.verdict) == ("IL-0477", 1.0, Verdict.strong)
    assert answer.cases[0].why[0].text.lower().startswith("il-")


def test_a_slug_in_the_search_box_finds_that_case_first(library: Library) -> None:
    slug = library.get_incident(ask(GetIncident, {"id": "IL-0224"})).slug
    assert search(library, slug)[0] == search(library, f"see {slug.upper()} please")[0] == "IL-0224"


def test_a_misspelt_word_is_replaced_by_a_real_one_and_found(library: Library) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": "the certifciate exipred"}))
    assert answer.did_you_mean == ("the certificate expired",)
    assert "IL-0076" in [hit.id for hit in answer.cases[:2]]


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("kube-prxoy is down", "kube-proxy is down"),
        ("인증써가 만료됐다", "인증서가 만료됐다"),
        ("Certifciate EXIPRED", "Certificate EXPIRED"),
        ("CrashLooopBackOff in my pod now", "crashloopbackoff in my pod now"),
        ("fsync is slow on nodejs pods", None),
        ("statefulsets and configmaps", None),
        ("링크가 붙었다 떨어진다", None),
        ("파드끼리 통신이 안 된다", None),
        ("the certificate expired", None),
    ],
)
def test_only_the_misspelt_part_of_a_question_is_changed(library: Library, asked: str, meant: str | None) -> None:
    answer = library.search_incidents(ask(SearchIncidents, {"symptoms": asked}))
    assert answer.did_you_mean == ((meant,) if meant else ())


@pytest.mark.parametrize(
    "symptoms", ["who won the election", "what to eat for lunch", "오늘 점심 뭐 먹지", "tell me a joke"]
)
def test_chatter_and_other_trades_get_nothing(library: Library, symptoms: str) -> None:
    assert library.search_incidents(ask(SearchIncidents, {"symptoms": symptoms})).verdict is Verdict.none


@pytest.mark.parametrize(
    "symptoms",
    ["pods stuck in Pending, no IP addresses left", "GPU가 버스에서 떨어졌다", "memory exhaustion on the node"],
)
def test_a_word_that_is_given_as_a_reason_stands_in_the_case_itself(library: Library, symptoms: str) -> None:
    for hit in library.search_incidents(ask(SearchIncidents, {"symptoms": symptoms, "limit": "20"})).cases:
        case = case_file.read_incident(DATA / "incidents" / f"{hit.id}.yaml")
        own = {form for form, _, _ in terms(normalise(case.model_dump_json()), keep_stop=True)}
        for reason in (why.text for why in hit.why if why.kind is WhyKind.words):
            for word in reason.split(", "):
                shown = word.partition(" (")[2].rstrip(")") or word
                assert {form for form, _, _ in terms(normalise(shown), keep_stop=True)} & own, (hit.id, word)


def test_a_filter_leaves_cases_out_and_changes_no_score(library: Library) -> None:
    given = {"symptoms": "training job hangs", "limit": "20"}
    free = {hit.id: hit.score for hit in library.search_incidents(ask(SearchIncidents, given)).cases}
    few = library.search_incidents(ask(SearchIncidents, given | {"domain": "ai-infra"})).cases
    assert few
    assert all(free.get(hit.id, hit.score) == hit.score for hit in few)


@pytest.mark.parametrize("text", ["xid79", "[31mXid[0m (PCI:0000:4f:00): 79", "Xid79 then nothing"])
def test_a_key_is_matched_however_it_is_written(library: Library, text: str) -> None:
    answer = library.match_evidence(ask(MatchEvidence, {"text": text}))
    assert "IL-0224" in [hit.id for hit in answer.cases]
    assert answer.verdict is not Verdict.none
