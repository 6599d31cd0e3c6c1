"""From one list to the next: the same question with one thing changed, as a link or as a button."""

from dataclasses import dataclass

from markupsafe import Markup, escape

from kb import links
from kb.model import Lang
from kb.web.asking import Asked


@dataclass(frozen=True)
class Step:
    """A link, or a button of the posted question where the text is kept out of addresses."""

    href: str | None
    toggle: str


class Steps:
    """The steps from one question. What their addresses share is put together once a filter, not once a value."""

    def __init__(self, lang: Lang, asked: Asked) -> None:
        self._lang, self._linkable, self._query = lang, asked.linkable, asked.query
        self._beside: dict[str, str] = {}

    def filter(self, name: str, value: str) -> Step:
        """One filter more, or less if it is on; paging starts anew."""
        if not self._linkable:
            return Step(None, f"{name}={value}")
        beside = self._beside.get(name)
        if beside is None:
            beside = self._beside[name] = links.library(self._lang, links.without(self._query, name))
        on = self._query.get(name) == value
        return Step(beside if on else links.with_argument(beside, name, value), f"{name}={value}")

    def page(self, cursor: str) -> Step:
        """Another page of the same list."""
        address = links.library(self._lang, {**self._query, "cursor": cursor}) if self._linkable else None
        return Step(address, f"cursor={cursor}")


_LINK_END, _BUTTON_END = Markup("</a>"), Markup("</button>")


def opened(to: Step, on: bool = False, css: str = "", label: str = "", rel: str = "") -> Markup:
    """The tag before the text of a step; `label` says it to those who cannot see it."""
    named = f' aria-label="{escape(label)}"' if label else ""
    # A page has some eighty of these, and each value is escaped where it is put in.
    if to.href is None:
        pressed = ' aria-pressed="true"' if on else ""
        value, look = escape(to.toggle), escape(css or "plainly")
        tag = f'<button form="keep" name="toggle" value="{value}" class="{look}"{pressed}{named}>'
    else:
        said = f' class="{escape(css)}"' if css else ""
        related = f' rel="{escape(rel)}"' if rel else ""
        current = ' aria-current="true"' if on else ""
        tag = f'<a{said} href="{escape(to.href)}"{related}{current}{named}>'
    return Markup(tag)  # noqa: S704 - each value is escaped above


def closed(to: Step) -> Markup:
    """The tag behind it."""
    return _LINK_END if to.href is not None else _BUTTON_END
