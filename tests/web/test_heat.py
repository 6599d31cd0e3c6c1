"""Heat maps of training jobs on pages: well-formed, styled by classes, said in words."""

import re
from html.parser import HTMLParser

import pytest

from kb.answers import HeatAnswer
from kb.checks.card import StepData
from kb.library.heats import heat_of
from kb.model import Lang
from kb.web.heat import Heat


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
    heat = heat_of(StepData(generator=generator, seed=1), lang)
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
    heat = heat_of(StepData(records=records), Lang.en)
    assert heat is not None
    markup, reader = drawn(heat)
    assert "&lt;b&gt;&amp;" in markup
    assert "<b>" not in markup
    assert reader.open_tags == 0


def test_nothing_is_drawn_without_records() -> None:
    assert heat_of(StepData(), Lang.en) is None
