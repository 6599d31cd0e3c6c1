"""The word that was meant."""

import pytest

from kb import english
from kb.spelling import FAMILIAR, Speller, near, slipped, swapped

KNOWN = {"timeout": 9, "node": 5, "mode": 7, "nude": 1, "checkpoint": 3, "certificate": 2, "setting": 8, "queue": 4}
KOREAN = {"펜딩": 1, "서버": 9, "디렉터리": FAMILIAR, "컨테이너": 9, "노드": 9, "올라가지": FAMILIAR - 1}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("tiemout", "timeout"),
        ("checkpiont", "checkpoint"),
        ("certifcate", "certificate"),
        ("ndoe", "node"),
        ("onde", "node"),
        ("nodde", "node"),
        ("nxde", None),
        ("queu", None),
        ("queuee", "queue"),
        ("sitting", "setting"),
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


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("팬딩", "펜딩"),
        ("써버", "서버"),
        ("디렉토리", "디렉터리"),
        ("콘테이너", "컨테이너"),
        ("컨테이나", "컨테이너"),
        ("컨테이너", None),
        ("누드", None),
        ("올라가고", None),
        ("콘태이나", None),
        ("컨", None),
    ],
)
def test_of_korean_the_letters_of_the_syllables_are_compared(written: str, expected: str | None) -> None:
    assert Speller(KOREAN).meant(written) == expected


def test_a_real_word_is_no_slip_though_nobody_here_holds_it() -> None:
    assert Speller(KNOWN, {"sitting"}).meant("sitting") is None
    assert Speller(KNOWN, {"sitting"}).meant("seting") == "setting"
    real = english.words()
    assert {"sitting", "printer", "oven"} <= real
    assert not {"kubernetes", "seting", "certifcate"} & real


def test_near_words_are_those_that_a_slip_leads_to() -> None:
    words = {"sitting", "setting", "settings", "esetting", "sgitten", "station", "", "얼룩말"}
    assert near(words, {"setting", "컨테이너"}) == {"sitting", "settings", "esetting", "setting", "얼룩말"}
    for word in ("node", "queue", "setting"):
        slips = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
        slips |= {word[:i] + "x" + word[i:] for i in range(len(word) + 1)}
        slips |= {word[:i] + word[i + 1 :] for i in range(len(word))}
        assert near({*slips, "unlike"}, {word}) == slips


def test_of_several_the_most_frequent_is_meant() -> None:
    assert Speller({"nodes": 2, "noses": 5}).meant("nooes") == "noses"


def test_letters_that_changed_places_are_one_slip_even_at_the_beginning() -> None:
    assert slipped("ndoe", "node")
    assert slipped("onde", "node")
    assert not slipped("xode", "node")
    assert swapped("onde", "node")
    assert not swapped("nxde", "node")


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
