"""The next best check: which proven check would tell most about the causes that some cases leave open."""

from collections import defaultdict
from collections.abc import Mapping
from math import log2

from kb import links
from kb.answers import NextCheck
from kb.checks.card import CheckStatus
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
    cause = {i: store.cases[i].incident.root_causes[0] for i in weight}
    whole: dict[str, float] = defaultdict(float)
    caught: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for i, mass in weight.items():
        whole[cause[i]] += mass
        for check in _finding(store, i):
            caught[check][cause[i]] += mass
    before, total = _entropy(whole), sum(whole.values())
    gains = {}
    for check, part in caught.items():
        rest = {name: mass - part.get(name, 0.0) for name, mass in whole.items()}
        gains[check] = before - (sum(part.values()) * _entropy(part) + sum(rest.values()) * _entropy(rest)) / total
    out = (_said(store, check, tuple(caught[check]), gain, lang) for check, gain in gains.items() if gain > LEAST_GAIN)
    return tuple(sorted(out, key=lambda one: (-one.gain, one.check))[:MOST])


def _finding(store: Store, case_id: str) -> set[str]:
    """The proven checks whose replay of a case is found."""
    linked = (link.check for link in store.checks_of_case.get(case_id, ()) if case_id in link.check.cases)
    return {check.card.id for check in linked if check.status is not CheckStatus.draft}


def _said(store: Store, check: str, separates: tuple[str, ...], gain: float, lang: Lang) -> NextCheck:
    title = store.checks[check].card.title.say(lang)[0]
    page = links.check(lang, check)
    return NextCheck(check=check, title=title, separates=separates, gain=round(gain, 2), page=page)


def _entropy(mass: Mapping[str, float]) -> float:
    total = sum(mass.values())
    return -sum(m / total * log2(m / total) for m in mass.values() if m > 0) if total > 0 else 0.0
