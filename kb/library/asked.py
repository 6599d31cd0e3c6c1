"""A question's words, cut once for all that is said of it."""

from collections.abc import Iterable
from functools import cached_property

from kb.text_index import cut, written
from kb.words import normalise


class Asked:
    """`plain` is the text normalised, `cuts` its tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = normalise(text)
        self.cuts = cut(self.plain)
        #: Index forms of all words, those of no weight too, in order.
        self.forms = [one.form for one in self.cuts]
        #: Those that weigh, and how each is written.
        self.written = written(self.cuts, self.plain)

    def whole_words(self, forms: Iterable[str]) -> list[str]:
        """The words that are these terms; a match by a pair of syllables is shown as the word it lies in."""
        out = dict.fromkeys(word for form in forms if (word := self._shown.get(form)))
        return [word for word in out if not any(word != other and word in other for other in out)]

    @cached_property
    def _shown(self) -> dict[str, str]:
        """Index form → the word that is shown for it: itself, or the one in which it lies."""
        whole = [one for one in self.cuts if one.whole]
        shown = {one.form: self.plain[one.start : one.end] for one in reversed(whole) if not one.stop}
        around = None
        for one in self.cuts:
            if one.whole:
                around = one  # pairs of syllables follow the word they lie in
            elif around and not one.stop:
                shown.setdefault(one.form, self.plain[around.start : around.end])
        return shown
