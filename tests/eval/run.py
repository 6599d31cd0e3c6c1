"""Run the sets over the methods and gather the figures."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from kb.answers import Verdict
from kb.library.asked import Asked
from kb.library.ranking import rank
from kb.library.store import Store
from kb.library.values import near
from kb.model import Kind, Lang
from kb.settings import Settings
from tests.eval import measures, sets
from tests.eval.methods import Method, methods
from tests.eval.slips import with_slip

HERE = Path(__file__).resolve().parent
SETS = ("questions_en", "questions_ko", "evidence")
#: Sets that are asked once more with a slip in each question.
TYPED = ("questions_en", "questions_ko")
#: How many cases the growth of the library is shown at; the last is more than there are.
SIZES = (45, 200, 100_000)
#: The first of every method that are judged.
POOLED = 10


@dataclass(frozen=True)
class Figures:
    """Means over the questions of one set; `asked` of them had a best case in the list in use."""

    asked: int
    ndcg: float
    recall: float
    """Of the cases graded 2 and 3."""
    exact: float
    """Recall of the cases graded 3 alone: the very situation."""
    mrr: float


@dataclass(frozen=True)
class Decisions:
    """Shares of the unanswerable questions with the verdicts none and strong, of the answerable ones with none."""

    right: float
    strong: float
    refused: float


@dataclass(frozen=True)
class Report:
    by_kind: Mapping[tuple[str, str], Mapping[str, Figures]]
    """(set, kind of question, empty for all of them) → method → figures."""
    with_slips: Mapping[str, Mapping[str, Figures]]
    """Set → method → figures of the same questions with one slip each."""
    refused_wrongly: Mapping[str, float]
    """Set → share of answerable questions with the verdict none."""
    none_right: float
    """Share of unanswerable questions with the verdict none."""
    none_strong: float
    """Share of unanswerable questions answered as strong."""
    fresh_right: float
    fresh_strong: float
    """The same of the unanswerable questions of fields that `kb.elsewhere` does not name; not guarded."""
    decided: Mapping[str, Decisions]
    """The same, and what was refused though answerable, of the questions that were `seen` and of `new` ones."""
    parity: float
    """Mean overlap of the first five for a question in both languages."""
    vocab_first: float
    vocab_third: float

    def flat(self) -> dict[str, float]:
        """The figures that a test guards, by name."""
        served = {name: self.by_kind[name, ""]["hybrid"] for name in SETS}
        out = {f"{name} ndcg": figures.ndcg for name, figures in served.items()}
        out |= {f"{name} recall": figures.recall for name, figures in served.items()}
        out |= {f"{name} ndcg with slips": self.with_slips[name]["hybrid"].ndcg for name in TYPED}
        out |= {f"{name} answered": 1 - share for name, share in self.refused_wrongly.items()}
        out |= {"none right": self.none_right, "none not strong": 1 - self.none_strong, "parity": self.parity}
        out |= {f"{name} none right": shares.right for name, shares in self.decided.items()}
        out |= {f"{name} answered": 1 - shares.refused for name, shares in self.decided.items()}
        out |= {"vocab first": self.vocab_first, "vocab third": self.vocab_third}
        return {name: round(value, 3) for name, value in out.items()}


def frozen() -> set[str]:
    """Slugs of the cases on which figures are compared over time."""
    return set((HERE / "frozen.txt").read_text(encoding="utf-8").split())


def first_of(store: Store, size: int) -> set[str]:
    """Slugs of so many cases, chosen by their digest: as good as by chance, and always the same."""
    slugs = (case.incident.slug for case in store.cases.values())
    return set(sorted(slugs, key=lambda slug: hashlib.sha256(slug.encode()).hexdigest())[:size])


def evaluate(store: Store, settings: Settings, slugs: set[str] | None = None) -> Report:
    """All sets over all methods, on the cases with these slugs (default: all that are served)."""
    id_of = {case.incident.slug: i for i, case in store.cases.items()}
    within = {i for slug, i in id_of.items() if slugs is None or slug in slugs}
    with TemporaryDirectory() as folder:
        by_method = methods(store, settings, within, Path(folder))
        by_kind: dict[tuple[str, str], Mapping[str, Figures]] = {}
        for name in SETS:
            by_kind |= _graded(name, by_method, _asked(name, id_of, within))
        typed = {name: _slipped(_asked(name, id_of, within), store) for name in TYPED}
        with_slips = {name: _graded(name, by_method, questions)[name, ""] for name, questions in typed.items()}
    none, fresh = (
        [rank(store, text, within).verdict for _, text in sets.nothing(name)] for name in ("none", "none_fresh")
    )
    first, third = _vocabulary(store)
    return Report(
        by_kind=by_kind,
        with_slips=with_slips,
        refused_wrongly={name: _refused(name, store, id_of, within) for name in SETS},
        none_right=none.count(Verdict.none) / len(none),
        none_strong=none.count(Verdict.strong) / len(none),
        fresh_right=fresh.count(Verdict.none) / len(fresh),
        fresh_strong=fresh.count(Verdict.strong) / len(fresh),
        decided={name: _decisions(store, within, seen=name == "seen") for name in ("seen", "new")},
        parity=mean(
            measures.overlap(by_method["hybrid"](pair.en), by_method["hybrid"](pair.ko)) for pair in sets.pairs()
        ),
        vocab_first=first,
        vocab_third=third,
    )


@dataclass(frozen=True)
class _Asked:
    text: str
    kind: str
    grades: Mapping[str, int]
    """By case id."""


def _asked(name: str, id_of: Mapping[str, str], within: set[str]) -> list[_Asked]:
    """The questions whose best case is in the list."""
    out = []
    for question in sets.graded(name):
        grades = {id_of[slug]: g for slug, g in question.grades.items() if slug in id_of and id_of[slug] in within}
        if grades and max(grades.values()) == max(question.grades.values()):
            out.append(_Asked(question.text, question.kind, grades))
    return out


def _slipped(questions: Iterable[_Asked], store: Store) -> list[_Asked]:
    """Those that have a word long enough, with a slip in it."""
    wrong = ((asked, with_slip(asked.text, store.text.rarity, asked.text)) for asked in questions)
    return [replace(asked, text=text) for asked, text in wrong if text]


def _graded(
    name: str, by_method: Mapping[str, Method], questions: Iterable[_Asked]
) -> dict[tuple[str, str], Mapping[str, Figures]]:
    found: dict[str, dict[str, list[tuple[list[str], Mapping[str, int]]]]] = defaultdict(lambda: defaultdict(list))
    for asked in questions:
        for method, search in by_method.items():
            ranked = search(asked.text), asked.grades
            found[""][method].append(ranked)
            found[asked.kind][method].append(ranked)
    return {(name, kind): {method: _figures(lists) for method, lists in found[kind].items()} for kind in sorted(found)}


def _figures(lists: list[tuple[list[str], Mapping[str, int]]]) -> Figures:
    return Figures(
        len(lists),
        mean(measures.ndcg(found, grades) for found, grades in lists),
        mean(measures.recall(found, grades) for found, grades in lists),
        mean(measures.recall(found, grades, least=3) for found, grades in lists),
        mean(measures.reciprocal(found, grades) for found, grades in lists),
    )


def unjudged(store: Store, settings: Settings) -> dict[str, set[str]]:
    """Question → cases among the first of any method, over the frozen list and over all, that have no grade."""
    id_of = {case.incident.slug: i for i, case in store.cases.items()}
    wrong, left = sets.wrong(), defaultdict(set)
    for slugs in (frozen(), set(id_of)):
        within = {i for slug, i in id_of.items() if slug in slugs}
        with TemporaryDirectory() as folder:
            by_method = methods(store, settings, within, Path(folder))
            for question in (q for name in SETS for q in sets.graded(name)):
                judged = {id_of.get(slug) for slug in question.grades} | wrong.get(question.id, set())
                found = {i for search in by_method.values() for i in search(question.text)[:POOLED]}
                left[question.id] |= found - judged
    return left


def _refused(name: str, store: Store, id_of: Mapping[str, str], within: set[str]) -> float:
    verdicts = [rank(store, asked.text, within).verdict for asked in _asked(name, id_of, within)]
    return verdicts.count(Verdict.none) / len(verdicts)


def _decisions(store: Store, within: set[str], *, seen: bool) -> Decisions:
    asked = [question for question in sets.verdicts() if question.seen is seen]
    verdicts = {question: rank(store, question.text, within).verdict for question in asked}
    foreign = [verdicts[question] for question in asked if not question.answerable]
    real = [verdicts[question] for question in asked if question.answerable]
    return Decisions(
        foreign.count(Verdict.none) / len(foreign),
        foreign.count(Verdict.strong) / len(foreign),
        real.count(Verdict.none) / len(real),
    )


def _vocabulary(store: Store) -> tuple[float, float]:
    """Shares of words that lead to an accepted value first, and among the first three."""
    values = [(kind, value) for kind in Kind for value in store.vocabulary.values[kind].values()]
    first = third = 0
    rows = sets.vocabulary()
    for _, words, accepted in rows:
        found = near(store, Asked(words).meant(store.text), values, Lang.en)
        ranked = [slug for _, slug in sorted(found, key=lambda pair: (-found[pair].similarity, pair[1]))]
        first += ranked[0] in accepted
        third += bool(set(ranked[:3]) & accepted)
    return first / len(rows), third / len(rows)
