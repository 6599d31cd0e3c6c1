"""Knobs: the numbers and patterns of a check that a user may turn, held within their bounds."""

import re
from collections.abc import Mapping

from kb.checks.card import CheckCard, Knob
from kb.checks.contract import Knobs
from kb.errors import InvalidValue, UnknownArgument

UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
DURATION = re.compile(r"(\d+)(ms|s|m|h|d|w)")
#: What may stand in a knob: enough for numbers, durations and lists of codes, nothing that ends a string.
SAFE = re.compile(r"[A-Za-z0-9_.:|*+-]+")


def seconds(duration: str) -> float:
    """`90s`, `15m`, `1d` in seconds.

    Raises:
        InvalidValue: not one number and one unit.
    """
    match = DURATION.fullmatch(duration)
    if match is None:
        raise InvalidValue(f"`{duration}` is not a duration.", next_step="Write it as `90s`, `15m` or `1d`.")
    return int(match[1]) * UNIT_SECONDS[match[2]]


def settle(card: CheckCard, given: Mapping[str, str] | None = None) -> Knobs:
    """The defaults with the given values laid over them.

    Raises:
        UnknownArgument: a knob this check does not have.
        InvalidValue: a value out of bounds or of a form that could change the query.
    """
    known = {knob.name: knob for knob in card.knobs}
    values = {knob.name: knob.default for knob in card.knobs}
    for name, value in (given or {}).items():
        if name not in known:
            raise UnknownArgument(f"The check `{card.id}` has no knob `{name}`.", field=name, allowed=tuple(known))
        values[name] = value
    for name, value in values.items():
        hold_in_bounds(known[name], value)
    return Knobs(values)


def hold_in_bounds(knob: Knob, value: str) -> None:
    """
    Raises:
        InvalidValue: see `settle`.
    """
    if not SAFE.fullmatch(value):
        raise InvalidValue(
            f"The knob `{knob.name}` cannot be `{value}`.",
            field=knob.name,
            next_step="Use letters, digits and . _ : | * + - only.",
        )
    if knob.min is None and knob.max is None:
        return
    number = seconds(value) if DURATION.fullmatch(value) else _number(knob, value)
    low = knob.min if knob.min is not None else number
    high = knob.max if knob.max is not None else number
    if not low <= number <= high:
        raise InvalidValue(
            f"The knob `{knob.name}` cannot be {value}: it lies between {knob.min} and {knob.max}"
            f"{' seconds' if DURATION.fullmatch(value) else ''}.",
            field=knob.name,
        )


def _number(knob: Knob, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        what = f"The knob `{knob.name}` must be a number, not `{value}`."
        raise InvalidValue(what, field=knob.name) from None
