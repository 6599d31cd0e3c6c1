"""Moments and durations of a report, as people read them."""

import re

from kb.model import Lang
from kb.web.chart_scale import span

_MOMENT = re.compile(r"^(\d{4}(?:-\d{2}(?:-\d{2})?)?)(?:T(\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:\d{2})?)?$")
_DURATION = re.compile(r"^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$")
_ELAPSED = re.compile(r"^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$")
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


def elapsed(value: str, lang: Lang) -> str:
    """`5m30s`, as replays say it, → `5 min 30 s`, `5분 30초`; anything else stays as it is."""
    match = _ELAPSED.match(value)
    if not match:
        return value
    return span(sum(int(n or 0) * size for n, size in zip(match.groups(), (86400, 3600, 60, 1), strict=True)), lang)
