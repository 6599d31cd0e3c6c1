"""Text to HTML: nothing of a case can become markup but backticks and blank lines; Korean joints hold."""

import pytest

from kb.model import Lang
from kb.web.notes import ClaimNumbers
from kb.web.prose import NBSP, WJ, breaks, excerpt, inline, marked, prose, typo

HOSTILE = """<script>alert('x')</script> "><img src=x onerror=alert(1)> {{ 7*7 }} & 'quoted'"""


@pytest.mark.parametrize("lang", list(Lang))
def test_hostile_text_stays_text(lang: Lang) -> None:
    for html in (prose(HOSTILE, lang), inline(HOSTILE, lang), marked(HOSTILE, [(0, 8)], lang), breaks(HOSTILE)):
        plain = str(html).replace("<wbr>", "").replace("<mark>", "").replace("</mark>", "")
        assert "<script" not in plain
        assert "<img" not in plain
    assert "{{ 7*7 }}" in prose(HOSTILE, lang)


def test_markup_inside_code_is_escaped_too() -> None:
    assert inline("run `<b>&` now", Lang.en) == "run <code>&lt;b&gt;&amp;</code> now"


def test_blank_lines_make_paragraphs_and_single_breaks_do_not() -> None:
    assert prose("one\ntwo\n\n\nthree", Lang.en) == "<p>one\ntwo</p>\n<p>three</p>"


def test_a_lone_backtick_is_a_backtick() -> None:
    assert inline("a ` b", Lang.en) == "a ` b"


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("30 ms", f"30{NBSP}ms"),
        ("80 %", f"80{NBSP}%"),
        ("3 hosts", "3 hosts"),
        ("30–50 ms", f"30{WJ}–{WJ}50{NBSP}ms"),
        ("Xid 79", f"Xid{NBSP}79"),
    ],
)
def test_figures_and_units_do_not_part(text: str, joined: str) -> None:
    assert typo(text, Lang.en) == joined


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("세 배 느려졌다", f"세{NBSP}배 느려졌다"),
        ("GPU 한 장이", f"GPU 한{NBSP}장이"),
        ("하드웨어·메모리", f"하드웨어{WJ}·{WJ}메모리"),
        ("학습(MoE)의", f"학습(MoE){WJ}의"),
        ("랭크 10352~10359", f"랭크 10352{WJ}~{WJ}10359"),
    ],
)
def test_korean_joints_hold(text: str, joined: str) -> None:
    assert typo(text, Lang.ko) == joined


def test_code_is_left_as_it_is() -> None:
    assert inline("`30 ms 하드웨어·메모리`", Lang.ko) == "<code>30 ms 하드웨어·메모리</code>"


def test_an_excerpt_ends_with_a_sentence() -> None:
    text = "One sentence that is long enough. Another one follows it. And a third that no longer fits here."

    assert excerpt(text, Lang.en, 70) == "One sentence that is long enough. Another one follows it."


def test_an_excerpt_of_one_long_sentence_says_that_it_goes_on() -> None:
    cut = excerpt("word " * 100, Lang.en, 60)

    assert cut.endswith("word …")
    assert len(cut) <= 62


def test_an_excerpt_does_not_cut_code_in_two() -> None:
    cut = excerpt("the log said `something quite long that goes on and on` and stopped", Lang.en, 40)

    assert cut == "the log said …"


def test_short_text_is_its_own_excerpt() -> None:
    assert excerpt("짧은 글.", Lang.ko, 60) == "짧은 글."


def test_marks_stand_where_the_words_matched() -> None:
    assert marked("step time tripled", [(0, 4), (10, 17)], Lang.en) == "<mark>step</mark> time <mark>tripled</mark>"


def test_marks_may_stand_in_code_and_across_its_edge() -> None:
    assert marked("a `port down` b", [(3, 7)], Lang.en) == "a <code><mark>port</mark> down</code> b"
    assert marked("a `port` b", [(0, 6)], Lang.en) == "<mark>a </mark><code><mark>por</mark>t</code> b"


def test_ranges_that_overlap_or_overrun_are_dropped() -> None:
    assert marked("abc def", [(0, 3), (1, 5), (4, 99), (-2, 1)], Lang.en) == "<mark>abc</mark> def"


def test_a_figure_carries_the_number_of_its_claim() -> None:
    claims = ClaimNumbers.of(["12,960 GPUs", "about 30 s → over 90 s", "30–50 ms against 170–280 ms"])

    html = prose("It took 30 seconds, then 90 seconds.\n\nMost took 30 to 50 ms, these 170 to 280 ms.", Lang.en, claims)

    assert html.count('<a class="c" href="#c2">2</a>') == 1
    assert html.count('<a class="c" href="#c3">3</a>') == 1
    assert html.index("#c2") < html.index("Most") < html.index("#c3")


def test_the_number_stands_behind_the_word_and_never_in_code() -> None:
    claims = ClaimNumbers.of(["8 ranks", "79"])

    assert inline("8개가 늦었다", Lang.ko, claims) == '8개가<a class="c" href="#c1">1</a> 늦었다'
    assert inline("`79`", Lang.en, claims) == "<code>79</code>"


def test_figures_without_a_claim_carry_nothing() -> None:
    assert inline("about 4,096 GPUs", Lang.en, ClaimNumbers.of(["12"])) == f"about 4,096{NBSP}GPUs"


def test_long_names_may_break_behind_their_joints() -> None:
    assert breaks("gpu/xid_fatal") == "gpu/<wbr>xid_<wbr>fatal"


def test_a_particle_stays_with_the_figure_before_it() -> None:
    assert typo("장비의 0.5%가 느렸다(약 3%)고 한다", Lang.ko) == f"장비의 0.5%{WJ}가 느렸다(약 3%){WJ}고 한다"
    assert typo("0.5% of them", Lang.en) == "0.5% of them"
