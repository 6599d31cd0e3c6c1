"""The word that was meant."""

import pytest

from kb import english
from kb.spelling import FAMILIAR, LONGEST, Speller, could_be_slips, slipped, swapped

KNOWN = {"timeout": 9, "node": 5, "mode": 7, "nude": 1, "checkpoint": 3, "certificate": 2, "setting": 8, "queue": 4}
KOREAN = dict.fromkeys(
    "펜딩 서버 디렉터리 컨테이너 노드 캐시 로그 배널 젠킨 버 올라가지 덜어진다 달이".split(), FAMILIAR
)
RARE = {"떨어졌다": 1, "스포너가": FAMILIAR - 1}


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
        ("queeue", "queue"),
        ("queuee", None),
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
        ("캐쉬", "캐시"),
        ("로끄", "로그"),
        ("빼널", "배널"),
        ("노뜨", "노드"),
        ("쩬킨", "젠킨"),
        ("디렉토리", "디렉터리"),
        ("콘테이너", "컨테이너"),
        ("컨테이나", "컨테이너"),
        ("올라가자", "올라가지"),
        ("컨테이너", None),
        ("누드", None),
        ("콘태이나", None),
        ("뻐", None),
        ("올라가고", None),
        ("떨어진다", None),
        ("스포나가", None),
    ],
)
def test_of_korean_the_letters_of_the_syllables_are_compared(written: str, expected: str | None) -> None:
    assert Speller(KOREAN | RARE).meant(written) == expected


def test_a_word_too_long_to_be_one_is_no_slip() -> None:
    long = "x" * LONGEST
    assert Speller({long: 9}).meant(long[:-1] + "y") == long
    assert Speller({long: 9}).meant(long + "y") is None


def test_a_real_word_is_no_slip_though_nobody_here_holds_it() -> None:
    assert Speller(KNOWN, {"sitting"}).meant("sitting") is None
    assert Speller(KNOWN, {"sitting"}).meant("seting") == "setting"
    real = english.words()
    assert {"sitting", "printer", "oven"} <= real
    assert not {"kubernetes", "seting", "certifcate"} & real


def test_real_words_are_kept_where_they_would_be_taken_for_a_slip() -> None:
    words = {"sitting", "setting", "settings", "esetting", "sgitten", "station", "", "얼룩말"}
    assert could_be_slips(words, {"setting", "컨테이너"}) == {"sitting", "settings", "setting", "얼룩말"}
    for word in ("node", "queue", "setting"):
        slips = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
        slips |= {word[:i] + "x" + word[i:] for i in range(1, len(word) + 1)}
        slips |= {word[:i] + word[i + 1 :] for i in range(1, len(word))}
        assert could_be_slips({*slips, "unlike"}, {word}) == slips


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
    less = {word[:i] + word[i + 1 :] for i in places[:-1]}
    more = {word[:i] + letter + word[i:] for i in places for letter in letters} - {word + word[-1]}
    other = {word[:i] + letter + word[i + 1 :] for i in places for letter in letters} - {word}
    swapped = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    assert {speller.meant(slip) for slip in less | more | other | swapped} == {word}
    two = {slip[:-1] + "qq" for slip in swapped if slip[-1] != "q"} | {"x" + word, "x" + word[1:], word[1:]}
    assert {speller.meant(slip) for slip in two} == {None}
