"""Case text in the language asked for, and which fields had to fall back to English."""

from collections.abc import Iterable

from kb.model import Lang, Text


class Teller:
    """Says texts in one language and remembers the fields for which English stood in."""

    def __init__(self, lang: Lang) -> None:
        self.lang = lang
        self._fallback: dict[str, None] = {}

    def say(self, text: Text, field: str) -> str:
        said, fell_back = text.say(self.lang)
        if fell_back:
            self._fallback[field] = None
        return said

    def maybe(self, text: Text | None, field: str) -> str | None:
        return None if text is None else self.say(text, field)

    def each(self, texts: Iterable[Text], field: str) -> tuple[str, ...]:
        return tuple(self.say(text, field) for text in texts)

    @property
    def fallback(self) -> tuple[str, ...]:
        return tuple(self._fallback)
