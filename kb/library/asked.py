"""A question's words, cut once for all that is said of it."""

from bisect import bisect_left
from collections import defaultdict
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
        """The words that hold these terms: a match by a pair of syllables is shown as the word it lies in."""
        places = sorted({place for form in set(forms) for place in self._holders.get(form, ())})
        out = dict.fromkeys(self._words[place] for place in places)
        return [word for word in out if not any(word != other and word in other for other in out)]

    @cached_property
    def _words(self) -> list[str]:
        return [self.plain[one.start : one.end] for one in self.cuts if one.whole]

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        """Index form → the places of the words in which one of its terms begins."""
        terms = sorted((one.start, one.form) for one in self.cuts if not one.stop)
        starts = [start for start, _ in terms]
        found: dict[str, list[int]] = defaultdict(list)
        for place, word in enumerate(one for one in self.cuts if one.whole):
            for _, form in terms[bisect_left(starts, word.start) : bisect_left(starts, word.end)]:
                found[form].append(place)
        return found
