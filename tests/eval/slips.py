"""Questions as they are typed in a hurry: one slip in the rarest word that the library knows."""

import re
import unicodedata
from collections.abc import Callable
from random import Random
from string import ascii_lowercase

from kb.text_index import cut, terms
from kb.words import bare, normalise

#: Letters of a word from which on a slip leaves it recognisable, and how often the dice are cast for one.
LONG, LONG_KOREAN, TRIES = 5, 2, 20
_HANGUL, _LATIN = re.compile("[가-힣]+"), re.compile("[A-Za-z]+")
_VOWELS = "\u1161\u1162\u1165\u1166\u1169\u116e\u1173\u1175"


def with_slip(text: str, rarity: Callable[[str], float], seed: str) -> str | None:
    """The question with one letter less, more or other, or two that changed places; in Korean with another vowel.

    rarity: of a term in index form, 0 where nobody holds it. Nothing where no word is long enough, or none gets
    unknown by a slip.
    """
    plain, random = normalise(text), Random(seed)
    korean = _HANGUL.search(plain) is not None
    spans = [(c.start, c.end, rarity(c.form)) for c in cut(plain) if c.whole and not c.stop and rarity(c.form)]
    for start, end, _ in sorted(spans, key=lambda span: (-span[2], span[0])):
        word = bare(plain[start:end])
        if (_HANGUL if korean else _LATIN).fullmatch(word) and len(word) >= (LONG_KOREAN if korean else LONG):
            tries = ((_other_vowel if korean else _other_letter)(word, random) for _ in range(TRIES))
            wrong = next((slip for slip in tries if not any(rarity(form) for form, _, _ in terms(slip)[:1])), None)
            if wrong:
                return plain[:start] + wrong + plain[start + len(word) :]
    return None


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
