"""The interface's own words, one table a language in `templates/words`. Texts of cases never pass through here."""

import tomllib
from collections.abc import Mapping
from functools import cache

from markupsafe import Markup

from kb.model import Lang
from kb.settings import shipped

Entry = str | list[str]
"""A text with `{names}` to fill in; or two, for one and for many by `n`."""


@cache
def table(lang: Lang) -> Mapping[str, Entry]:
    """The words of one language, read once."""
    found: dict[str, Entry] = tomllib.loads((shipped("templates") / "words" / f"{lang}.toml").read_text("utf-8"))
    return found


class Words:
    """`t("n_cases", n=3)`: the words of one language, filled in and escaped."""

    def __init__(self, lang: Lang) -> None:
        self._lang = lang
        self._table = table(lang)

    def __call__(self, key: str, **values: object) -> Markup:
        """The entry `key` as HTML; values are escaped unless they are markup themselves.

        Raises:
            KeyError: a key that the table does not have.
        """
        if not values:
            return _fixed(self._lang, key)
        return Markup(self._entry(key, values)).format(**values)  # noqa: S704 - the table is ours, values are escaped

    def plain(self, key: str, **values: object) -> str:
        """The entry as plain text, for code blocks and Markdown."""
        return self._entry(key, values).format(**values)

    def _entry(self, key: str, values: Mapping[str, object]) -> str:
        entry = self._table[key]
        if isinstance(entry, str):
            return entry
        return entry[0] if values.get("n") == 1 else entry[1]


@cache
def _fixed(lang: Lang, key: str) -> Markup:
    """An entry with nothing to fill in; pages say most of them many times."""
    entry = table(lang)[key]
    return Markup(entry if isinstance(entry, str) else entry[1]).format()  # noqa: S704 - the table is ours
