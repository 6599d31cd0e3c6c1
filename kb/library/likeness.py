"""Which cases are alike, whatever words a question has: so that a question leads to the neighbours of what it finds.

Each case is a short sparse vector: its most telling words and its vocabulary values, each block of unit length and
weighed. Both languages of a case are in it, so that the neighbours of a case are the same in which language one asks.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import log, log1p, sqrt
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kb.model import Incident, Kind, Text
from kb.text_index import terms
from kb.words import normalise

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]
#: Share of each block in the likeness of two cases.
TEXT = 4.8
VALUES: Mapping[Kind, float] = {Kind.root_causes: 0.95, Kind.components: 2.0, Kind.symptoms: 1.4, Kind.factors: 0.9}
#: Words of a case that are kept, the most telling ones; a title says twice as much as the telling.
KEPT, TITLE = 60, 2
#: A word that more than this share of the cases hold tells nothing; nor does one that a single case holds.
COMMON, MEETINGS = 0.4, 2
#: A value that is not the main one of its kind says less about the case.
SECONDARY = 0.6


class Likeness:
    """Of the cases in the order they were given; a case is named by its place in it.

    places, values: the entries of each case's vector, shape (cases, most entries of one), filled up with zeros.
    """

    def __init__(self, places: Places, values: Numbers) -> None:
        self._places, self._values = places, values
        self._names = int(places.max(initial=-1)) + 1

    @classmethod
    def of(cls, incidents: Iterable[Incident]) -> "Likeness":
        """Worked out from the words and values of the cases: some seconds for hundreds of them, so a build does it."""
        incidents = tuple(incidents)
        blocks = [_unit(_telling(incidents), TEXT)]
        blocks += [_unit(_weighed(incidents, kind), share) for kind, share in VALUES.items()]
        rows: list[dict[str, float]] = [{} for _ in incidents]
        for block in blocks:
            for row, part in zip(rows, block, strict=True):
                row.update(part)
        names: dict[str, int] = {}
        width = max(map(len, rows), default=0)
        places, values = np.zeros((len(rows), width), dtype=np.int32), np.zeros((len(rows), width))
        for number, row in enumerate(rows):
            places[number, : len(row)] = [names.setdefault(name, len(names)) for name in row]
            values[number, : len(row)] = list(row.values())
        return cls(places, values)

    @classmethod
    def load(cls, path: Path) -> "Likeness":
        """Raises OSError, ValueError, KeyError or BadZipFile where the file is missing or damaged."""
        with np.load(path) as stored:
            return cls(stored["places"], stored["values"])

    def save(self, path: Path) -> None:
        """path: ends in `.npz`."""
        np.savez(path, places=self._places, values=self._values)

    def to(self, number: int) -> Numbers:
        """How alike every case is to one of them: 0 to the sum of the shares."""
        alike: Numbers = self.to_each([number])[0]
        return alike

    def to_each(self, numbers: Sequence[int]) -> Numbers:
        """The same for several, shape (numbers, cases): only the cases that share an entry are looked at."""
        starts, cases, weights = self._holders
        places, values = self._places[list(numbers)], self._values[list(numbers)]
        row, entry = np.nonzero(values)
        name, value = places[row, entry], values[row, entry]
        first, held = starts[name], starts[name + 1] - starts[name]
        # Where each entry's holders stand, one entry after another.
        at = np.repeat(first - np.cumsum(held) + held, held) + np.arange(held.sum())
        size = len(self._places)
        into = np.repeat(row * size, held) + cases[at]
        alike = np.bincount(into, weights[at] * np.repeat(value, held), minlength=len(numbers) * size)
        return alike.astype(np.float64, copy=False).reshape(len(numbers), size)

    @cached_property
    def _holders(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Numbers]:
        """Where the holders of each entry begin; the cases that hold it, and with how much."""
        case, entry = np.nonzero(self._values)
        name = self._places[case, entry]
        order = np.argsort(name, kind="stable")
        starts = np.searchsorted(name[order], np.arange(self._names + 1))
        return starts, case[order], self._values[case, entry][order]


def _unit(rows: list[dict[str, float]], share: float) -> list[dict[str, float]]:
    lengths = [sqrt(sum(value * value for value in row.values())) or 1.0 for row in rows]
    return [
        {name: sqrt(share) * value / length for name, value in row.items()}
        for row, length in zip(rows, lengths, strict=True)
    ]


def _telling(incidents: tuple[Incident, ...]) -> list[dict[str, float]]:
    """The words of each case with how much they say: how often there, how rare elsewhere."""
    counts = [_words(incident) for incident in incidents]
    held = Counter(form for row in counts for form in row)
    size = len(incidents)
    rows = []
    for row in counts:
        kept = {
            form: log1p(often) * log(1 + size / held[form])
            for form, often in row.items()
            if MEETINGS <= held[form] <= max(MEETINGS, COMMON * size)
        }
        rows.append(dict(sorted(kept.items(), key=lambda pair: (-pair[1], pair[0]))[:KEPT]))
    return rows


def _words(incident: Incident) -> Counter[str]:
    story = incident.narrative
    told = [incident.summary, story.symptom, story.cause, story.trigger]
    texts = [text for part in told for text in _both(part)] + TITLE * _both(incident.title)
    texts += [*incident.phrases.en, *incident.phrases.ko]
    return Counter(form for text in texts for form, _, _ in terms(normalise(text)))


def _both(text: Text | None) -> list[str]:
    return [] if text is None else [part for part in (text.en, text.ko) if part]


def _weighed(incidents: tuple[Incident, ...], kind: Kind) -> list[dict[str, float]]:
    carriers: dict[str, int] = defaultdict(int)
    for incident in incidents:
        for slug in incident.terms(kind):
            carriers[slug] += 1
    return [
        {
            f"{kind} {slug}": (SECONDARY if place else 1.0) * sqrt(log(1 + len(incidents) / carriers[slug]))
            for place, slug in enumerate(incident.terms(kind))
        }
        for incident in incidents
    ]
