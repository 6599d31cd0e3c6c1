"""What the words of one question say about every document: sums over postings, and the reasons behind them. Pure."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reasons:
    """Why one document was found, each rarest first, in index form.

    said: terms of the question that stand in the document's own text; labelled: terms that stand only in a name or
    alias of one of its vocabulary values; instead: a term and what stands in its place, a translation or the known
    word one slip away.
    """

    said: tuple[str, ...] = ()
    labelled: tuple[str, ...] = ()
    instead: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Postings:
    """The documents that hold one term: how rare it is, and for each how much the match says and its BM25F.

    own: whether the term stands in the document's own text and not only in a label.
    """

    rarity: float
    documents: Numbers
    telling: Weights
    bm25: Weights
    own: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Choice:
    """One term of a question with all that may stand for it, the term itself first, and how much each counts."""

    form: str
    rarity: float
    stands: tuple[tuple[str, float, Postings], ...]


@dataclass(frozen=True)
class Weighed:
    """What the words of one question say about every document, by its number in `TextIndex.ids`.

    bm25: BM25F, unbounded, comparable only within one question.
    weight: rarity (nats) of the question's terms that the document holds, less where only its body does;
        `whole` is that of all its terms.
    missing: the terms for which nothing stands anywhere.
    """

    bm25: Weights
    weight: Weights
    whole: float
    missing: tuple[str, ...]
    choices: tuple[Choice, ...]

    def reasons(self, number: int) -> Reasons:
        said, labelled, instead = [], [], []
        for choice in self.choices:
            for form, _, postings in choice.stands:
                at = int(np.searchsorted(postings.documents, number))
                if at < len(postings.documents) and postings.documents[at] == number:
                    if not postings.own[at]:
                        labelled.append(choice.form)
                    elif form == choice.form:
                        said.append(form)
                    else:
                        instead.append((choice.form, form))
                    break
        return Reasons(tuple(said), tuple(labelled), tuple(instead))

    def best(self, limit: int) -> list[int]:
        """The documents that hold any term, best first."""
        found = np.flatnonzero(self.bm25)
        best: list[int] = found[np.lexsort((found, -self.bm25[found]))][:limit].tolist()
        return best
