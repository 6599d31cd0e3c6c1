"""What is said when an argument cannot be used: one wording for each way in which a value can be wrong.

The validator's own words never come through; they name types of Python and pages of its manual.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from kb.errors import InvalidValue, UnknownValue
from kb.nearest import nearest

Item = Mapping[str, Any]
#: How a value of an argument is written, where a pattern judges it.
FORMS = {
    "id": "IL-0001",
    "case": "IL-0001",
    "since": "2024, 2024-05 or 2024-05-31",
    "until": "2024, 2024-05 or 2024-05-31",
}
#: What to do instead, by the argument that was too long.
SHORTER = {
    "symptoms": "Shorten it to the lines that show the failure; for a whole log use match_evidence.",
    "ids": "Ask for them in several requests.",
}
_KINDS = {"int": "a whole number", "float": "a number", "string": "text", "bool": "true or false"}
_LISTS = ("tuple", "list", "set")


def refusal(error: ValidationError) -> UnknownValue | InvalidValue:
    """The first fault of a question whose names are judged already."""
    item = error.errors()[0]
    name = str(item["loc"][0]) if item["loc"] else ""
    for beginning, judge in _JUDGES.items():
        if item["type"].startswith(beginning):
            return judge(name, item)
    return InvalidValue(f"`{name}` has a value that cannot be used: `{_shown(item)}`.", field=name)


def _shown(item: Item) -> str:
    return str(item["input"])[:60]


def _enum(name: str, item: Item) -> UnknownValue:
    allowed = [part.strip(" '") for part in str(item["ctx"]["expected"]).replace(" or ", ", ").split(",")]
    shown = _shown(item)
    return UnknownValue(
        f"`{shown}` is not a value of `{name}`.", field=name, allowed=allowed, nearest=nearest(shown, allowed, limit=1)
    )


def _long(name: str, item: Item) -> InvalidValue:
    length, most = len(item["input"]), item["ctx"]["max_length"]
    what = "characters" if isinstance(item["input"], str) else "entries"
    return InvalidValue(
        f"`{name}` has {length} {what}; at most {most} are taken.",
        field=name,
        next_step=SHORTER.get(name, "Shorten it."),
    )


def _short(name: str, item: Item) -> InvalidValue:
    what = "character" if isinstance(item["input"], str) else "entry"
    least = item["ctx"]["min_length"]
    return InvalidValue(f"`{name}` holds too little; at least {least} {what} is needed.", field=name)


def _pattern(name: str, item: Item) -> InvalidValue:
    step = f"Write it like {FORMS[name]}." if name in FORMS else ""
    return InvalidValue(f"`{_shown(item)}` is not a valid `{name}`.", field=name, next_step=step)


def _bound(name: str, item: Item) -> InvalidValue:
    limits = item["ctx"]
    bound = f"at least {limits['ge']}" if "ge" in limits else f"at most {limits['le']}"
    return InvalidValue(f"`{name}` is {_shown(item)}; it must be {bound}.", field=name)


def _type(name: str, item: Item) -> InvalidValue:
    kind = item["type"].split("_", 1)[0]
    wanted = "a list" if kind in _LISTS else _KINDS.get(kind, "of another kind")
    of = "Each of " if len(item["loc"]) > 1 else ""
    return InvalidValue(f"{of}`{name}` must be {wanted}, not `{_shown(item)}`.", field=name)


def _said(name: str, item: Item) -> InvalidValue:
    """Our own words, from a validator of this project."""
    message = str(item["ctx"]["error"])
    if not name:
        return InvalidValue(f"{message}.")
    return InvalidValue(f"`{name}` cannot be used: {message[0].lower()}{message[1:]}.", field=name)


#: Beginning of the validator's name of a fault → what to say; the first that fits.
_JUDGES: dict[str, Callable[[str, Item], UnknownValue | InvalidValue]] = {
    "enum": _enum,
    "string_too_long": _long,
    "too_long": _long,
    "string_too_short": _short,
    "too_short": _short,
    "string_pattern_mismatch": _pattern,
    "greater_than_equal": _bound,
    "less_than_equal": _bound,
    "value_error": _said,
    "int_": _type,
    "float_": _type,
    "string_": _type,
    "bool_": _type,
    "tuple_": _type,
    "list_": _type,
}
