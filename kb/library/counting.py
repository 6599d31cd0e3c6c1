"""Counts of vocabulary values over any choice of cases: sums over arrays, not a walk through the cases."""

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from kb.answers import Facet, FacetValue
from kb.library.sharing import Sharing
from kb.model import Incident, Kind, Lang
from kb.vocabulary import Vocabulary

Places = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]
#: A value that is not the main one of its kind says less about the case.
SECONDARY = 0.6
#: The carriers of a value that no case carries.
NOBODY: tuple[Places, Weights] = np.zeros(0, np.int64), np.zeros(0)
#: Counted values that stay in memory, about 500 bytes each.
KEPT = 8192


@lru_cache(maxsize=KEPT)
def _value(slug: str, name: str, count: int) -> FacetValue:
    return FacetValue(slug=slug, name=name, count=count)


class Counts:
    """Of the cases in the order they were given; a case is named by its place in it."""

    def __init__(self, incidents: Sequence[Incident], vocabulary: Vocabulary) -> None:
        self._incidents = incidents
        self._slugs: dict[Kind, list[str]] = {}
        self._names: dict[tuple[Kind, Lang], list[str]] = {}
        #: By kind, shape (cases, values): 1 where the case carries the value.
        self._carried: dict[Kind, npt.NDArray[np.float32]] = {}
        #: By kind: the place of each case's main value, -1 where it has none.
        self._main: dict[Kind, Places] = {}
        #: 1 where the case carries none.
        self._silent: dict[Kind, npt.NDArray[np.float32]] = {}
        for kind in Kind:
            slugs = sorted({slug for incident in incidents for slug in incident.terms(kind)})
            place = {slug: number for number, slug in enumerate(slugs)}
            carried = np.zeros((len(incidents), len(slugs)), dtype=np.float32)
            for number, incident in enumerate(incidents):
                carried[number, [place[slug] for slug in incident.terms(kind)]] = 1
            self._slugs[kind], self._carried[kind] = slugs, carried
            main = [place[incident.terms(kind)[0]] if incident.terms(kind) else -1 for incident in incidents]
            self._main[kind] = np.array(main, dtype=np.int64)
            self._silent[kind] = np.asarray(~carried.any(axis=1), dtype=np.float32)
            for lang in Lang:
                self._names[kind, lang] = [vocabulary.name(kind, slug, lang) for slug in slugs]

    @cached_property
    def carriers(self) -> dict[tuple[Kind, str], tuple[Places, Weights]]:
        """(kind, slug) → the cases that carry it, and how much it says about each."""
        found = {}
        for kind in Kind:
            for place, slug in enumerate(self._slugs[kind]):
                cases = np.flatnonzero(self._carried[kind][:, place])
                found[kind, slug] = cases, np.where(self._main[kind][cases] == place, 1.0, SECONDARY)
        return found

    @cached_property
    def sharing(self) -> Sharing:
        return Sharing(self._incidents)

    def met(self, numbers: Sequence[int], kinds: Iterable[Kind]) -> dict[tuple[Kind, str], int]:
        """Each value of some kinds that some cases carry → how many do."""
        chosen = self._chosen(numbers)
        found = {}
        for kind in kinds:
            counts = np.dot(chosen, self._carried[kind])
            for place in np.flatnonzero(counts).tolist():
                found[kind, self._slugs[kind][place]] = int(counts[place])
        return found

    def facets(self, numbers: Sequence[int], lang: Lang) -> tuple[Facet, ...]:
        """Counts of each value of each kind over some cases, in the order of diagnosis."""
        chosen = self._chosen(numbers)
        return tuple(self._facet(kind, chosen, lang) for kind in Kind)

    def _chosen(self, numbers: Sequence[int]) -> npt.NDArray[np.float32]:
        """1 for these cases, else 0."""
        chosen = np.zeros(len(self._incidents), dtype=np.float32)
        chosen[list(numbers)] = 1
        return chosen

    def _facet(self, kind: Kind, chosen: npt.NDArray[np.float32], lang: Lang) -> Facet:
        """chosen: 1 for the cases that count, else 0."""
        counts: npt.NDArray[np.float32] = np.dot(chosen, self._carried[kind])
        # The values stand by slug, so that a stable order by count leaves equal ones by slug.
        ranked = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)].tolist()
        slugs, names, counted = self._slugs[kind], self._names[kind, lang], counts.astype(int).tolist()
        return Facet(
            kind=kind,
            filter=kind.filter_name,
            values=tuple(_value(slugs[at], names[at], counted[at]) for at in ranked),
            not_stated=int(chosen @ self._silent[kind]),
        )
