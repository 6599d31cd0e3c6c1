"""The word that was meant: known words one slip away from an unknown one. Pure."""

import string
from collections.abc import Mapping

#: Every character that a word in Latin script can hold.
_LETTERS = string.ascii_lowercase + string.digits + "_.-/:+"
#: Shorter words are one slip away from too much, longer ones are no words.
SHORTEST, LONGEST = 4, 24


def slips(word: str) -> set[str]:
    """What becomes of a word by one letter less, more or other, or by two that changed places.

    The first letter is kept, unless it changed places: it is the one that people get right.
    """
    places = range(1, len(word) + 1)
    less = {word[:i] + word[i + 1 :] for i in places if i < len(word)}
    more = {word[:i] + letter + word[i:] for i in places for letter in _LETTERS}
    other = {word[:i] + letter + word[i + 1 :] for i in places if i < len(word) for letter in _LETTERS}
    swapped = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    return (less | more | other | swapped) - {word}


def meant(word: str, known: Mapping[str, int]) -> str | None:
    """The most frequent known word one slip away; nothing for short words, codes and known words.

    word: in lower case. known: real words, not stems, and in how many documents each stands.
    """
    if not SHORTEST <= len(word) <= LONGEST or not word.isalpha() or not word.isascii() or word in known:
        return None
    near = (other for other in slips(word) if other in known)
    return max(near, key=lambda other: (known[other], other), default=None)
