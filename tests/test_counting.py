"""Facets and gains from arrays, counted a second time case by case; the words of a question, cut once."""

from collections import Counter

import pytest

from kb.library import Library
from kb.library.asked import Asked
from kb.library.counting import SECONDARY, Counts
from kb.library.separating import Separator
from kb.model import Kind, Lang


@pytest.mark.parametrize("every", [1, 2, 7, 10**6])
@pytest.mark.parametrize("lang", list(Lang))
def test_facets_count_the_values_of_the_chosen_cases(library: Library, every: int, lang: Lang) -> None:
    store = library._store
    numbers = list(range(0, len(store.ids), every))
    incidents = [store.cases[store.ids[number]].incident for number in numbers]
    for facet in store.counts.facets(numbers, lang):
        carried = [incident.terms(facet.kind) for incident in incidents]
        counts = Counter(slug for slugs in carried for slug in slugs)
        expected = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        assert [(value.slug, value.count) for value in facet.values] == expected
        assert all(value.name == store.vocabulary.name(facet.kind, value.slug, lang) for value in facet.values)
        assert facet.not_stated == sum(not slugs for slugs in carried)


def test_a_value_says_more_about_the_cases_whose_main_one_it_is(library: Library) -> None:
    store = library._store
    for (kind, slug), (numbers, shares) in store.counts.carriers.items():
        ids = [store.ids[number] for number in numbers.tolist()]
        assert set(ids) == store.by_term[kind, slug]
        main = [store.cases[case_id].incident.terms(kind)[0] == slug for case_id in ids]
        assert shares.tolist() == [1.0 if first else SECONDARY for first in main]
    assert set(store.counts.carriers) == set(store.by_term)


def test_a_choice_of_no_case_counts_nothing(library: Library) -> None:
    assert [facet.kind for facet in library._store.counts.facets([], Lang.en)] == list(Kind)
    assert {(facet.values, facet.not_stated) for facet in library._store.counts.facets([], Lang.en)} == {((), 0)}


def test_a_library_without_cases_counts_nothing(library: Library) -> None:
    assert {facet.values for facet in Counts([], library.vocabulary).facets([], Lang.ko)} == {()}


def test_a_check_that_halves_two_equal_causes_gains_one_bit_and_one_that_splits_a_cause_gains_none() -> None:
    separator = Separator(["dns", "dns", "disk", "disk"], {"halves": [0, 1], "none": [0, 2], "elsewhere": [3]})
    gains = separator.gains([0, 1, 2], [1.0, 1.0, 2.0])
    assert gains["halves"] == pytest.approx(1.0)
    assert separator.gains([0, 1, 2, 3], [1.0] * 4)["none"] == pytest.approx(0.0)
    assert "elsewhere" not in gains


def test_without_cases_or_checks_nothing_is_gained() -> None:
    assert Separator(["dns"], {"finds": [0]}).gains([], []) == {}
    assert Separator([], {}).gains([], []) == {}
    assert Separator(["dns", "disk"], {}).gains([0, 1], [1.0, 1.0]) == {}


def test_a_match_by_a_pair_of_syllables_is_shown_as_its_word() -> None:
    asked = Asked("메모리부족으로 pod가 죽고 kube-proxy는 kube 로그를 남긴다")
    assert asked.whole_words(["부족"]) == ["메모리부족으로"]
    assert asked.whole_words(["pod", "없는말"]) == ["pod"]
    assert asked.whole_words(["kube", "kube-proxy"]) == ["kube-proxy"], "a word inside another is not named twice"
    assert asked.whole_words([]) == []


def test_words_of_no_weight_are_left_out_of_what_is_weighed() -> None:
    asked = Asked("The Pods are pending, the pod hangs")
    written = [(form, asked.plain[one.start : one.end]) for form, one in asked.weighing.items()]
    assert written == [("pend", "pending"), ("pod", "Pods"), ("hang", "hangs")]
    assert asked.forms[0] == "the"
