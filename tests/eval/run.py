"""Run the sets over the methods and gather the figures."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from kb.answers import Verdict
from kb.library.ranking import rank
from kb.library.store import Store
from kb.library.topics import similarities
from kb.model import Kind
from kb.settings import Settings
from tests.eval import measures, sets
from tests.eval.methods import Method, methods

HERE = Path(__file__).resolve().parent
SETS = ("questions_en", "questions_ko", "evidence")


@dataclass(frozen=True)
class Figures:
    """Means over the questions of one set; `asked` of them had a best case in the list in use."""

    asked: int
    ndcg: float
    recall: float
    mrr: float


@dataclass(frozen=True)
class Report:
    by_set: Mapping[str, Mapping[str, Figures]]
    """Set → method → figures."""
    refused_wrongly: Mapping[str, float]
    """Set → share of answerable questions with the verdict none."""
    none_right: float
    """Share of unanswerable questions with the verdict none."""
    none_strong: float
    """Share of unanswerable questions answered as strong."""
    parity: float
    """Mean overlap of the first five for a question in both languages."""
    vocab_first: float
    vocab_third: float

    def flat(self) -> dict[str, float]:
        """The figures that a test guards, by name."""
        out = {f"{name} ndcg": by["hybrid"].ndcg for name, by in self.by_set.items()}
        out |= {f"{name} recall": by["hybrid"].recall for name, by in self.by_set.items()}
        out |= {f"{name} answered": 1 - share for name, share in self.refused_wrongly.items()}
        out |= {"none right": self.none_right, "none not strong": 1 - self.none_strong, "parity": self.parity}
        out |= {"vocab first": self.vocab_first, "vocab third": self.vocab_third}
        return {name: round(value, 3) for name, value in out.items()}


def frozen() -> set[str]:
    """Slugs of the cases on which figures are compared over time."""
    return set((HERE / "frozen.txt").read_text(encoding="utf-8").split())


def evaluate(store: Store, settings: Settings, slugs: set[str] | None = None) -> Report:
    """All sets over all methods, on the cases with these slugs (default: all that are served)."""
    id_of = {case.incident.slug: i for i, case in store.cases.items()}
    within = {i for slug, i in id_of.items() if slugs is None or slug in slugs}
    with TemporaryDirectory() as folder:
        by_method = methods(store, settings, within, Path(folder))
        by_set = {name: _graded(name, by_method, id_of, within) for name in SETS}
    none = [rank(store, text, within).verdict for _, text in sets.nothing()]
    first, third = _vocabulary(store)
    return Report(
        by_set=by_set,
        refused_wrongly={name: _refused(name, store, id_of, within) for name in SETS},
        none_right=none.count(Verdict.none) / len(none),
        none_strong=none.count(Verdict.strong) / len(none),
        parity=mean(
            measures.overlap(by_method["hybrid"](pair.en), by_method["hybrid"](pair.ko)) for pair in sets.pairs()
        ),
        vocab_first=first,
        vocab_third=third,
    )


def _asked(name: str, id_of: Mapping[str, str], within: set[str]) -> list[tuple[str, dict[str, int]]]:
    """(text, grades by id) of the questions whose best case is in the list."""
    out = []
    for question in sets.graded(name):
        grades = {id_of[slug]: g for slug, g in question.grades.items() if slug in id_of and id_of[slug] in within}
        if grades and max(grades.values()) == max(question.grades.values()):
            out.append((question.text, grades))
    return out


def _graded(
    name: str, by_method: Mapping[str, Method], id_of: Mapping[str, str], within: set[str]
) -> dict[str, Figures]:
    asked = _asked(name, id_of, within)
    out = {}
    for method, search in by_method.items():
        lists = [(search(text), grades) for text, grades in asked]
        out[method] = Figures(
            len(asked),
            mean(measures.ndcg(found, grades) for found, grades in lists),
            mean(measures.recall(found, grades) for found, grades in lists),
            mean(measures.reciprocal(found, grades) for found, grades in lists),
        )
    return out


def _refused(name: str, store: Store, id_of: Mapping[str, str], within: set[str]) -> float:
    verdicts = [rank(store, text, within).verdict for text, _ in _asked(name, id_of, within)]
    return verdicts.count(Verdict.none) / len(verdicts)


def _vocabulary(store: Store) -> tuple[float, float]:
    """Shares of words that lead to an accepted value first, and among the first three."""
    values = [(kind, value) for kind in Kind for value in store.vocabulary.values[kind].values()]
    first = third = 0
    rows = sets.vocabulary()
    for _, words, accepted in rows:
        scores = similarities(store, words, values)
        ranked = [slug for _, slug in sorted(scores, key=lambda pair: (-scores[pair], pair[1]))]
        first += ranked[0] in accepted
        third += bool(set(ranked[:3]) & accepted)
    return first / len(rows), third / len(rows)
