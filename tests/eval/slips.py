"""Questions as they are typed in a hurry: one slip in the rarest word that the library knows."""

import unicodedata
from collections.abc import Callable
from random import Random
from string import ascii_lowercase

from kb.text_index import cut
from kb.words import normalise

#: Letters of a word from which on a slip leaves it recognisable.
LONG, LONG_KOREAN = 5, 2
_VOWELS = "\u1161\u1162\u1165\u1166\u1169\u116e\u1173\u1175"


def with_slip(text: str, rarity: Callable[[str], float], seed: str) -> str | None:
    """The question with one letter less, more or other, or two that changed places; of Korean another vowel.

    rarity: of a term in index form, 0 where nobody holds it. Nothing where no word is long enough.
    """
    plain, random = normalise(text), Random(seed)
    words = [one for one in cut(plain) if one.whole and not one.stop and rarity(one.form)]
    words = [one for one in words if _long_enough(plain[one.start : one.end])]
    if not words:
        return None
    rarest = max(words, key=lambda one: (rarity(one.form), -one.start))
    word = plain[rarest.start : rarest.end]
    wrong = (_other_letter if word.isascii() else _other_vowel)(word, random)
    return plain[: rarest.start] + wrong + plain[rarest.end :]


def _long_enough(word: str) -> bool:
    return word.isalpha() and len(word) >= (LONG if word.isascii() else LONG_KOREAN)


def _other_letter(word: str, random: Random) -> str:
    at = random.randrange(1, len(word) - 1)
    start, here, after, rest = word[:at], word[at], word[at + 1], word[at + 2 :]
    another = random.choice(ascii_lowercase.replace(here.lower(), ""))
    less, more = start + after + rest, start + another + here + after + rest
    return random.choice((less, more, start + another + after + rest, start + after + here + rest))


def _other_vowel(word: str, random: Random) -> str:
    at = random.randrange(len(word))
    consonant, vowel, *end = unicodedata.normalize("NFD", word[at])
    another = random.choice(_VOWELS.replace(vowel, ""))
    return word[:at] + unicodedata.normalize("NFC", "".join((consonant, another, *end))) + word[at + 1 :]
