"""Which claim backs which figure of a passage, so that the figure can carry the number of its row."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from kb.figures import figures, numbers


@dataclass(frozen=True)
class ClaimNumbers:
    """The figures of each claim, in the order of the table; the first claim has number 1."""

    figures_of: tuple[frozenset[Decimal], ...]

    @classmethod
    def of(cls, values: Sequence[str]) -> "ClaimNumbers":
        """From the `value` of each claim."""
        return cls(tuple(frozenset(numbers(value)) for value in values))

    def notes(self, text: str) -> dict[int, tuple[int, ...]]:
        """Place in `text` → claims to note there: behind the word with the last figure that a claim backs.

        Where several claims hold a figure, the one that shares most figures with the passage backs it.
        """
        here = figures(text)
        present = {figure.value for figure in here}
        last: dict[int, int] = {}
        for figure in here:
            number = self._backing(figure.value, present)
            if number:
                last[number] = _word_end(text, figure.end)
        places: dict[int, tuple[int, ...]] = {}
        for number, place in sorted(last.items()):
            places[place] = (*places.get(place, ()), number)
        return places

    def _backing(self, value: Decimal, present: set[Decimal]) -> int:
        """Number of the claim that backs `value`, or 0."""
        holders = [(i, held) for i, held in enumerate(self.figures_of, start=1) if value in held]
        if not holders:
            return 0
        return max(holders, key=lambda item: (len(item[1] & present), -len(item[1]), -item[0]))[0]


def _word_end(text: str, start: int) -> int:
    """Where the word that holds a figure ends: at a space, a closing bracket, or code."""
    return next((i for i in range(start, len(text)) if text[i].isspace() or text[i] in "`"), len(text))
