"""A question's words, cut once for all that is said of it."""

from collections.abc import Iterable
from functools import cached_property

from kb.text_index import Cut, TextIndex, cut, weighing
from kb.words import normalise

#: Terms of a question from which on it is a paste, whose unknown words nobody misspelt.
LONGEST_MISSPELT = 30


class Asked:
    """`plain` is the text normalised, `cuts` its tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = normalise(text)
        self.cuts = cut(self.plain)
        #: Index forms of all words, those of no weight too, in order.
        self.forms = [one.form for one in self.cuts]
        #: Those that weigh, and where each first stands.
        self.weighing = weighing(self.cuts)

    def whole_words(self, forms: Iterable[str]) -> list[str]:
        """The words that are these terms, in order; a match by a pair of syllables is shown as the word it lies in."""
        wanted = set(forms)
        out = dict.fromkeys(word for form, word in self._shown.items() if form in wanted)
        return [word for word in out if not any(word != other and word in other for other in out)]

    def spells_out(self, one: Cut) -> bool:
        """Whether it is Latin letters whose Korean names stand there."""
        return one.form.isascii() and not self.plain[one.start : one.end].isascii()

    def meant(self, index: TextIndex) -> "Asked":
        """The question with each misspelt word as it was meant; the same where none is misspelt."""
        if len(self.weighing) > LONGEST_MISSPELT:
            return self
        said, done = "", 0
        # A word that is held in another form is no slip. The whole of a compound comes before its parts.
        unknown = {(c.start, c.end) for c in self.cuts if c.whole and not c.stop and not index.rarity(c.form)}
        for start, end in sorted(unknown, key=lambda span: (span[0], -span[1])):
            if start >= done and (better := index.suggest(self.plain[start:end])):
                said, done = said + self.plain[done:start] + _written_like(self.plain[start:end], better), end
        return Asked(said + self.plain[done:]) if done else self

    @cached_property
    def _shown(self) -> dict[str, str]:
        """Index form → the word that is shown for it: itself, or the one in which it lies."""
        whole: dict[str, str] = {}
        shown: dict[str, str] = {}
        word = ""
        for one in self.cuts:
            if one.whole:
                word = self.plain[one.start : one.end]  # pairs of syllables follow the word they lie in
                whole.setdefault(one.form, word)
            if not one.stop:
                shown.setdefault(one.form, word)
        return {form: whole.get(form, word) for form, word in shown.items()}


def _written_like(word: str, better: str) -> str:
    """`better` with the capitals of the word that it stands for."""
    return better.upper() if word.isupper() else better.capitalize() if word.istitle() else better
