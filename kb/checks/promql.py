"""Filling in a PromQL text: knobs and metric names. Nothing is evaluated here."""

import re
from collections.abc import Mapping

QUOTED = r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'|`[^`]*`"
KNOB = re.compile(r"\$([a-z][a-z0-9_]*)")
WORD = re.compile(rf"({QUOTED})|([A-Za-z_:][A-Za-z0-9_:]*)")
COMPARISON = re.compile(r"(>=|<=|==|!=|>|<)\s*(?:bool\s+)?(-?[0-9][0-9.eE+-]*)\s*$")


def knob_names(expr: str) -> set[str]:
    """The knobs an expression mentions."""
    return set(KNOB.findall(expr))


def fill(expr: str, values: Mapping[str, str]) -> str:
    """Put each `$name` in. A name without a value is left to the caller's earlier check (`KeyError`)."""
    return KNOB.sub(lambda match: values[match[1]], expr)


def words(expr: str) -> set[str]:
    """Identifiers outside quoted text: metric names, labels and functions alike."""
    return {match[2] for match in WORD.finditer(expr) if match[2]}


def rename(expr: str, names: Mapping[str, str]) -> str:
    """Replace identifiers outside quoted text, as whole words."""
    return WORD.sub(lambda match: match[1] or names.get(match[2], match[2]), expr)


def threshold(expr: str) -> str:
    """The comparison with which an expression ends (`> 0`), or nothing."""
    match = COMPARISON.search(expr)
    return f"{match[1]} {match[2]}" if match else ""
