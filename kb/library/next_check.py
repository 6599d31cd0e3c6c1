"""The next best check: which proven check would tell most about the causes that some cases leave open."""

from collections.abc import Mapping

from kb import links
from kb.answers import NextCheck
from kb.library.store import Store
from kb.model import Lang

MOST = 3
#: Bits below which a check tells nothing.
LEAST_GAIN = 0.005


def next_checks(store: Store, weight: Mapping[str, float], lang: Lang) -> tuple[NextCheck, ...]:
    """The checks that separate the candidate causes best, by information gain in bits; at most `MOST`.

    Each case counts by its weight, a number above 0; its main root cause is the hypothesis; a check splits the cases
    into those whose replay it finds and the rest.
    """
    numbers = [store.number[i] for i in weight]
    gains = store.separator.gains(numbers, list(weight.values()))
    ranked = sorted((-round(gain, 2), check) for check, gain in gains.items() if gain > LEAST_GAIN)
    return tuple(_said(store, check, -gain, numbers, lang) for gain, check in ranked[:MOST])


def _said(store: Store, check: str, gain: float, numbers: list[int], lang: Lang) -> NextCheck:
    """numbers: the cases, best first, which is the order of the causes too."""
    causes, found = store.separator.causes, store.separator.finds[check]
    return NextCheck(
        check=check,
        title=store.checks[check].card.title.say(lang)[0],
        separates=tuple(dict.fromkeys(causes[number] for number in numbers if number in found)),
        gain=gain,
        page=links.check(lang, check),
    )
