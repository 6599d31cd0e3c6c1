"""The word that was meant: known words one slip away from an unknown one. Pure.

One slip is one letter less, more or other, or two that changed places. The first letter is kept, unless it changed
places: it is the one that people get right.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping

#: Shorter words are one slip away from too much, longer ones are no words.
SHORTEST, LONGEST = 4, 24
#: Sorts behind every word that begins alike.
_LAST = "\U0010ffff"


class Speller:
    """Over known words: real words in lower case, not stems, and in how many documents each stands.

    A slip leaves the first half of a word as it was, or what follows the second half's first letter. So only words
    that share one of these are compared, and not all that could be written.
    """

    def __init__(self, known: Mapping[str, int]) -> None:
        self._known = known
        #: By length: those words sorted, and sorted from their ends.
        self._words: dict[int, list[str]] = defaultdict(list)
        self._backwards: dict[int, list[str]] = defaultdict(list)
        for word in sorted(word for word in known if word.isalpha() and word.isascii()):
            self._words[len(word)].append(word)
        for length, words in self._words.items():
            self._backwards[length] = sorted(word[::-1] for word in words)

    def meant(self, word: str) -> str | None:
        """The most frequent known word one slip away; nothing for short words, codes and known words.

        word: in lower case.
        """
        if not SHORTEST <= len(word) <= LONGEST or not word.isalpha() or not word.isascii() or word in self._known:
            return None
        near = (other for other in self._alike(word) if slipped(word, other))
        return max(near, key=lambda other: (self._known[other], other), default=None)

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
    at = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    if len(word) == len(other):
        swapped = word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :]
        return swapped or (at > 0 and word[at + 1 :] == other[at + 1 :])
    short, long = sorted((word, other), key=len)
    return at > 0 and len(long) == len(short) + 1 and short[at:] == long[at + 1 :]
