"""Case text in the language asked for, and which fields had to fall back to English."""

from collections.abc import Iterable

from kb.model import Lang, Text
from kb.vocabulary import Value

NEARNESS = {
    Lang.en: ("distantly related in meaning", "fairly close in meaning", "close in meaning"),
    Lang.ko: ("뜻이 조금 통한다", "뜻이 어느 정도 가깝다", "뜻이 가깝다"),
}


def nearness(lang: Lang, cosine: float, fairly_close: float, close: float) -> str:
    """In words, how near something is in meaning."""
    return NEARNESS[lang][(cosine >= fairly_close) + (cosine >= close)]


def aliases(value: Value, lang: Lang) -> tuple[str, ...]:
    """Aliases in the language asked for first, then in the other."""
    first, then = (value.aliases.ko, value.aliases.en) if lang is Lang.ko else (value.aliases.en, value.aliases.ko)
    return tuple(dict.fromkeys((*first, *then)))


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
