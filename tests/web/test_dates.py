"""Moments and durations as people read them."""

import pytest

from kb.model import Lang
from kb.web.dates import day, duration, elapsed, moment


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        ("2024", "2024"),
        ("2024-05", "2024-05"),
        ("2024-05-31", "2024-05-31"),
        ("2024-05-31T14:02", "2024-05-31 14:02"),
        ("2024-05-31T14:02Z", "2024-05-31 14:02 UTC"),
        ("2024-05-31T14:02:07+09:00", "2024-05-31 14:02:07 UTC+09:00"),
        ("some day", "some day"),
    ],
)
def test_a_moment_keeps_its_precision_and_its_zone(at: str, shown: str) -> None:
    assert moment(at) == shown


def test_a_list_shows_the_day_alone() -> None:
    assert day("2024-05-31T14:02Z") == "2024-05-31"


@pytest.mark.parametrize(
    ("value", "english", "korean"),
    [
        ("PT1H23M", "1 h 23 min", "1시간 23분"),
        ("P2DT4H", "2 d 4 h", "2일 4시간"),
        ("PT45S", "45 s", "45초"),
        ("soon", "soon", "soon"),
    ],
)
def test_a_duration_is_said_in_both_languages(value: str, english: str, korean: str) -> None:
    assert duration(value, Lang.en).replace("\u00a0", " ") == english
    assert duration(value, Lang.ko) == korean


def test_a_span_as_replays_write_it_is_said_in_the_language() -> None:
    assert elapsed("5m30s", Lang.en) == "5\u00a0min 30\u00a0s"
    assert elapsed("375h", Lang.ko) == "15일 15시간"
    assert [elapsed(text, Lang.en) for text in ("soon", "", "m")] == ["soon", "", "m"]
