"""Heat maps of training jobs on pages: well-formed, styled by classes, said in words."""

import re
from html.parser import HTMLParser

import pytest

from kb.answers import HeatAnswer, ReplayAnswer, ReplayChart
from kb.checks.card import Answer, Origin, StepData
from kb.library import heats
from kb.model import Lang
from kb.web.chart import chart_of
from kb.web.heat import Heat
from kb.web.render import environment
from kb.web.words import Words


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open_tags = 0
        self.classes: list[str] = []
        self.label = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open_tags += 1
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.classes += [named["class"] or ""] if "class" in named else []
        self.label = named.get("aria-label") or self.label

    def handle_endtag(self, tag: str) -> None:
        self.open_tags -= 1


def drawn(heat: HeatAnswer) -> tuple[str, Reader]:
    markup, reader = Heat(heat).svg("step"), Reader()
    reader.feed(markup)
    return markup, reader


def answer(generator: str, lang: Lang = Lang.en) -> HeatAnswer:
    heat = heats.heat_of(heats.drawn(StepData(generator=generator, seed=1)), lang)
    assert heat is not None
    return heat


@pytest.mark.parametrize(
    "generator", ["slow_rank dp=16 bad_dp=7", "degraded_link dp=8", "hang_non_comm dp=8", "healthy dp=4"]
)
def test_the_drawing_is_well_formed_and_styled_by_classes_alone(generator: str) -> None:
    markup, reader = drawn(answer(generator))
    assert reader.open_tags == 0
    assert {"heat", "h0", "k"} <= set(reader.classes)
    assert not re.search(r"style=|#[0-9a-f]{3}|rgb", markup)
    assert len(markup) < 20_000


def test_shades_marks_and_accused_rows_are_there() -> None:
    markup, reader = drawn(answer("slow_rank dp=16 bad_dp=7 noise=0.02"))
    assert {"h2", "hs", "mark", "when"} <= set(reader.classes)
    assert reader.label.startswith("compute_straggler: ranks 7")
    assert ">7</text>" in markup


def test_the_sentence_is_in_the_language_of_the_page() -> None:
    assert "랭크" in answer("slow_rank dp=8", Lang.ko).said
    assert "ranks" in answer("slow_rank dp=8").said


def test_a_thousand_ranks_stay_small() -> None:
    markup, _ = drawn(answer("slow_rank dp=1024 steps=200 noise=0.05"))
    assert len(markup) < 40_000


def test_records_of_a_replay_are_drawn_too_and_their_words_cannot_break_the_markup() -> None:
    records = tuple(
        {"rank": rank, "dp": rank, "step": step, "phase": "<b>&", "duration_s": 1.0}
        for rank in range(4) for step in range(12)
    )  # fmt: skip
    heat = heats.heat_of(heats.drawn(StepData(records=records)), Lang.en)
    assert heat is not None
    markup, reader = drawn(heat)
    assert "&lt;b&gt;&amp;" in markup
    assert "<b>" not in markup
    assert reader.open_tags == 0


def test_nothing_is_drawn_without_records() -> None:
    assert heats.heat_of(heats.drawn(StepData()), Lang.en) is None


MACRO = '{% from "parts/chart.html" import replay_chart with context %}{{ replay_chart(c, replay, "") }}'


def on_a_page(generator: str, lang: Lang, said: Answer = Answer.found) -> str:
    shown = ReplayChart(
        series=(), lines=(), starts=None, length=0.0, threshold=None, direct=False, hold=0.0, fired_at=None,
        people_knew_at=None, looked_at=8, reason_kinds=(), heat=answer(generator, lang),
    )  # fmt: skip
    replay = ReplayAnswer(
        name="r.yaml", must=said, origin=Origin.rebuilt, case="IL-0001", how=None, link=None, passes=True, answer=said,
        fired_at=None, people_knew_at=None, published=(), filled_in=(), note=None, chart=shown,
    )  # fmt: skip
    chart = chart_of(replay, lang)
    assert chart is not None
    return environment().from_string(MACRO).render(lang=lang, t=Words(lang), c=chart, replay=replay)


@pytest.mark.parametrize(
    ("generator", "words"),
    [
        ("slow_rank dp=16 bad_dp=7", ("A row a rank, a column a step", "행은 랭크, 열은 스텝")),
        ("degraded_link dp=8", ("a column a receiver", "받는 랭크")),
        ("hang_non_comm dp=8", ("a column a call", "열은 호출")),
    ],
)
def test_a_page_says_what_rows_and_columns_are_in_its_language(generator: str, words: tuple[str, str]) -> None:
    for lang, word in zip((Lang.en, Lang.ko), words, strict=True):
        html = on_a_page(generator, lang)
        reader = Reader()
        reader.feed(html)
        assert word in html
        assert 'class="heat"' in html
        assert reader.open_tags == 0


def test_a_clear_replay_has_no_word_of_a_verdict() -> None:
    assert "frame" not in on_a_page("healthy dp=4", Lang.en, Answer.clear)
    assert "frame" in on_a_page("slow_rank dp=8", Lang.en)


def test_a_phase_in_which_nothing_happened_is_one_line() -> None:
    heat = answer("slow_rank dp=16 bad_dp=7")
    heat = heat.model_copy(update={"facets": tuple(facet for facet in heat.facets if len(facet.shades) > 1)})
    calm = heat.facets[0].model_copy(
        update={"shades": tuple("0" * len(row) for row in heat.facets[0].shades), "marks": ()}
    )
    tall, flat = (drawn(heat.model_copy(update={"facets": (facet,)}))[0] for facet in (heat.facets[0], calm))

    assert int(re.search(r'height="(\d+)" viewBox', flat)[1]) < int(re.search(r'height="(\d+)" viewBox', tall)[1])
    assert ">0</text>" not in flat.split("preserveAspectRatio")[1]
