"""Moments and durations of a report, as people read them."""

import re

from kb.model import Lang

_MOMENT = re.compile(r"^(\d{4}(?:-\d{2}(?:-\d{2})?)?)(?:T(\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:\d{2})?)?$")
_DURATION = re.compile(r"^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$")
_UNITS = {Lang.en: (" d", " h", " min", " s"), Lang.ko: ("일", "시간", "분", "초")}


def moment(at: str) -> str:
    """`2026-06-18T14:02Z` → `2026-06-18 14:02 UTC`; a time without a zone stays without one."""
    match = _MOMENT.match(at)
    if not match or not match[2]:
        return at
    zone = {None: "", "Z": " UTC"}.get(match[3], f" UTC{match[3]}")
    return f"{match[1]} {match[2]}{zone}"


def day(at: str) -> str:
    """The date alone."""
    return at.split("T", 1)[0]


def duration(value: str, lang: Lang) -> str:
    """`PT1H23M` → `1 h 23 min`, `1시간 23분`; what is no ISO 8601 duration stays as it is."""
    match = _DURATION.match(value)
    if not match:
        return value
    join = "\u00a0"
    return " ".join(
        f"{int(n)}{unit.replace(' ', join)}" for n, unit in zip(match.groups(), _UNITS[lang], strict=True) if n
    )
