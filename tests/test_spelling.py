"""The word that was meant."""

import pytest

from kb.spelling import meant, slips

KNOWN = {"timeout": 9, "node": 5, "mode": 7, "nude": 1, "checkpoint": 3, "certificate": 2}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("tiemout", "timeout"),
        ("checkpiont", "checkpoint"),
        ("certifcate", "certificate"),
        ("nodde", "node"),
        ("nxde", "node"),
        ("timeout", None),
        ("xode", None),
        ("nod", None),
        ("h100x", None),
        ("불러", None),
        ("timeoutt" * 4, None),
    ],
)
def test_a_real_word_one_slip_away_is_meant(written: str, expected: str | None) -> None:
    assert meant(written, KNOWN) == expected


def test_of_several_the_most_frequent_is_meant() -> None:
    assert meant("nooe", {"node": 2, "nose": 5}) == "nose"


def test_letters_that_changed_places_are_one_slip_even_at_the_beginning() -> None:
    assert "node" in slips("ndoe") & slips("onde")
