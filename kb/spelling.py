"""The word that was meant: known words one slip away from an unknown one. Pure.

One slip is one letter less, more or other, or two that changed places. The first letter is kept, unless it changed
places: it is the one that people get right. A letter more or less at the end makes another word (`livez`, `live`). Of a
Korean word the letters are those that its syllables are made of, where those that sound alike are one (`ㅔ` and `ㅐ`;
before a vowel `ㅆ` and `ㅅ`, the first letter too), since it is they that are taken for each other. A Korean word that
goes as far as the slip as a known word does is that word with another ending (`떨어진다`, `떨어졌다`).
"""

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from string import ascii_lowercase

#: Letters of an English word and syllables of a Korean one: shorter words are one slip away from too much.
SHORTEST, SHORTEST_KOREAN = 5, 4
#: Down to these only letters that changed places (English) or sound alike (Korean) are a slip.
SHORTEST_SWAPPED, SHORTEST_ALIKE = 4, 2
#: Longer ones are no words.
LONGEST = 24
#: So many documents hold a Korean word that is meant, as they hold names of things, and no slip of somebody else.
FAMILIAR = 3
#: Syllables of a word that tell it from others.
BEGINNING = 2
#: Sorts behind every word that begins alike.
_LAST = "\U0010ffff"
_ENGLISH, _KOREAN = re.compile("[a-z]+"), re.compile("[가-힣]+")
#: Vowels that sound alike (ㅔ ㅖ ㅙ ㅞ ㅟ as ㅐ ㅒ ㅚ ㅚ ㅣ), and tense consonants before a vowel as plain ones.
_ALIKE = str.maketrans(
    "\u1166\u1168\u116b\u1170\u1171\u1101\u1104\u1108\u110a\u110d",
    "\u1162\u1164\u116c\u116c\u1175\u1100\u1103\u1107\u1109\u110c",
)


def letters(word: str) -> str:
    """What slips happen to: the letters of an English word, those that the syllables of a Korean one are made of."""
    return word if word.isascii() else unicodedata.normalize("NFD", word).translate(_ALIKE)


def could_be_slips(words: Collection[str], known: Iterable[str]) -> set[str]:
    """Those of some real words that would be taken for a slip of a known one; of Korean ones all."""
    slips = (slip for word in known if _ENGLISH.fullmatch(word) and len(word) >= SHORTEST - 1 for slip in _slips(word))
    return {slip for slip in slips if slip in words} | {word for word in words if _KOREAN.fullmatch(word)}


def _slips(word: str) -> Iterator[str]:
    """All that one slip makes of a word, its first letter kept unless it changed places."""
    yield word[1::-1] + word[2:]
    for at in range(1, len(word) + 1):
        start, rest = word[:at], word[at:]
        yield start + rest[1:]
        yield start + rest[1:2] + rest[:1] + rest[2:]
        for letter in ascii_lowercase:
            yield start + letter + rest
            yield start + letter + rest[1:]


class Speller:
    """Over known words: real words in lower case, not stems, and in how many documents each stands.

    A slip leaves the first half of a word as it was, or what follows the second half's first letter. So only words
    that share one of these are compared, and not all that could be written.
    """

    def __init__(self, known: Mapping[str, int], real: Container[str] = ()) -> None:
        """real: words that nobody need know here, and that are no slips all the same."""
        self._known, self._real = known, real
        #: Letters → the most frequent known word that is spelt or sounds so.
        self._spelt: dict[str, str] = {}
        self._korean = sorted(word for word in known if _KOREAN.fullmatch(word))
        #: By length: those letters sorted, and sorted from their ends.
        self._words: dict[int, list[str]] = defaultdict(list)
        self._backwards: dict[int, list[str]] = defaultdict(list)
        for word in sorted(known, key=lambda word: (known[word], word)):
            if _ENGLISH.fullmatch(word) or _KOREAN.fullmatch(word):
                self._spelt[letters(word)] = word
        for spelt in sorted(self._spelt):
            self._words[len(spelt)].append(spelt)
        for length, words in self._words.items():
            self._backwards[length] = sorted(word[::-1] for word in words)

    def meant(self, word: str) -> str | None:
        """The most frequent known word one slip away; nothing for short words, codes, known and real words.

        word: in lower case.
        """
        if word in self._known or word in self._real or len(word) > LONGEST:
            return None
        if _KOREAN.fullmatch(word) and len(word) >= SHORTEST_ALIKE:
            return self._meant_korean(word)
        if _ENGLISH.fullmatch(word) and len(word) >= SHORTEST_SWAPPED:
            return self._nearest(word, slipped if len(word) >= SHORTEST else swapped)
        return None

    def _meant_korean(self, word: str) -> str | None:
        spelt = letters(word)
        found = self._spelt.get(spelt) or (self._nearest(spelt, slipped) if len(word) >= SHORTEST_KOREAN else None)
        if found is None or self._known[found] < FAMILIAR:
            return None
        slip = next((at for at, (a, b) in enumerate(zip(word, found, strict=False)) if a != b), len(word) - 1)
        as_far = word[: max(slip + 1, BEGINNING)]
        return None if _beginning(self._korean, as_far) else found

    def _nearest(self, spelt: str, apart: Callable[[str, str], bool]) -> str | None:
        alike = (self._spelt[other] for other in self._alike(spelt) if apart(spelt, other))
        return max(alike, key=lambda other: (self._known[other], other), default=None)

    def _alike(self, word: str) -> Iterator[str]:
        half = len(word) // 2
        start, end = word[:half], word[half + 1 :]
        for length in range(len(word) - 1, len(word) + 2):
            yield from _beginning(self._words.get(length, ()), start)
            yield from (other[::-1] for other in _beginning(self._backwards.get(length, ()), end[::-1]))


def _beginning(words: list[str] | tuple[str, ...], start: str) -> list[str] | tuple[str, ...]:
    """Those of some sorted words that begin so."""
    return words[bisect_left(words, start) : bisect_left(words, start + _LAST)]


def slipped(word: str, other: str) -> bool:
    """Whether two different words are one slip apart."""
    at = _first_difference(word, other)
    if len(word) == len(other):
        return swapped(word, other) or (at > 0 and word[at + 1 :] == other[at + 1 :])
    short, long = sorted((word, other), key=len)
    ending = at == len(short) and word.isascii()
    return at > 0 and not ending and len(long) == len(short) + 1 and short[at:] == long[at + 1 :]


def swapped(word: str, other: str) -> bool:
    """Whether two different words are the same but for two neighbours that changed places."""
    at = _first_difference(word, other)
    return word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :]


def _first_difference(word: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
