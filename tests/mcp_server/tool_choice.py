"""The evaluation set of tool choice, and what counts as the right call.

To run a model against it: give it the tool list of `kb mcp` and the server's instructions, ask each question in each
language, and hand the first call it makes to `faults`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb import yaml_text

FILE = Path(__file__).resolve().parent / "tool_choice.yaml"
#: Told by nobody who asks, and harmless whatever a model puts there.
FREE = ("lang", "limit", "detail", "budget", "cursor", "sections")
ANY = (None, "", "any")


@dataclass(frozen=True)
class Expected:
    """One question in both languages; `given` must be passed as it is, `words` name what a free text must hold."""

    en: str
    ko: str
    tool: str
    given: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, list[str]] = field(default_factory=dict)


def questions() -> list[Expected]:
    rows = yaml_text.read(FILE).data
    return [Expected(r["en"], r["ko"], r["tool"], r.get("with", {}), r.get("words", {})) for r in rows]


def faults(expected: Expected, tool: str, arguments: Mapping[str, Any]) -> list[str]:
    """What is wrong with a call; nothing where it is right."""
    if tool != expected.tool:
        return [f"{tool} instead of {expected.tool}"]
    given = {name: value for name, value in arguments.items() if value not in ANY}
    found = [
        f"{name} is {given.get(name)!r} instead of {value!r}"
        for name, value in expected.given.items()
        if str(given.get(name)) != value
    ]
    for name, words in expected.words.items():
        text = str(given.get(name, "")).lower()
        if not any(word.lower() in text for word in words):
            found.append(f"{name} holds none of {words}")
    unasked = [n for n in given if n not in expected.given and n not in expected.words and n not in FREE]
    return found + [f"{name} was not asked for" for name in unasked]
