"""The word that was meant."""

import pytest

from kb.spelling import Speller, slipped

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
    assert Speller(KNOWN).meant(written) == expected


def test_of_several_the_most_frequent_is_meant() -> None:
    assert Speller({"node": 2, "nose": 5}).meant("nooe") == "nose"


def test_letters_that_changed_places_are_one_slip_even_at_the_beginning() -> None:
    assert slipped("ndoe", "node")
    assert slipped("onde", "node")
    assert not slipped("xode", "node")


def test_every_slip_of_every_place_is_found_and_nothing_else() -> None:
    word, letters = "watchdogs", "abcdefghijklmnopqrstuvwxyz"
    speller = Speller({word: 1, "unrelated": 9})
    places = range(1, len(word))
    less = {word[:i] + word[i + 1 :] for i in places}
    more = {word[:i] + letter + word[i:] for i in (*places, len(word)) for letter in letters}
    other = {word[:i] + letter + word[i + 1 :] for i in places for letter in letters} - {word}
    swapped = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    assert {speller.meant(slip) for slip in less | more | other | swapped} == {word}
    two = {slip[:-1] + "qq" for slip in swapped if slip[-1] != "q"} | {"x" + word, "x" + word[1:], word[1:]}
    assert {speller.meant(slip) for slip in two} == {None}
