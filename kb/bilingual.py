"""A dictionary of words in index form, learnt from texts that say the same in two languages. Pure.

The library's own texts are such texts: `파드` and `pod` stand in the same pairs again and again. Two words mean the
same if they keep company nearly always (Dice's coefficient of the pairs that hold them, less half a pair, so that
a single meeting proves nothing). It learns whatever the cases speak of, in both directions, and needs no upkeep.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

#: A word in index form → what it means in the other language and how surely (0–1), surest first.
Dictionary = Mapping[str, tuple[tuple[str, float], ...]]

#: Figures keep company with whatever is counted in the same texts.
_NUMBER = re.compile(r"\d")
#: Longer pairs say little about which word goes with which.
LONGEST_EN, LONGEST_KO = 25, 45
#: Words that meet less often, or less surely, are left out; of the others so many are kept.
MEETINGS, SUREST, KEPT = 2, 0.25, 3


def learn(pairs: Iterable[tuple[frozenset[str], frozenset[str]]]) -> Dictionary:
    """From (words of the English text, words of the Korean text); words that both hold are no translation."""
    english: Counter[str] = Counter()
    korean: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for en, ko in pairs:
        if len(en) > LONGEST_EN or len(ko) > LONGEST_KO:
            continue
        only_en, only_ko = _alone(en, ko), _alone(ko, en)
        english.update(only_en)
        korean.update(only_ko)
        together.update((one, other) for one in only_en for other in only_ko)
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for (one, other), met in together.items():
        surely = 2 * (met - 0.5) / (english[one] + korean[other])
        if met >= MEETINGS and surely > SUREST:
            found[one].append((other, round(min(1.0, surely), 3)))
            found[other].append((one, round(min(1.0, surely), 3)))
    return {word: tuple(sorted(said, key=lambda s: (-s[1], s[0]))[:KEPT]) for word, said in sorted(found.items())}


def _alone(here: frozenset[str], there: frozenset[str]) -> set[str]:
    """The words of one text that the other does not hold, without figures."""
    return {word for word in here - there if not _NUMBER.search(word)}
