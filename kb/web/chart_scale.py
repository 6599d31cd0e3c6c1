"""Scales and labels of charts: round steps for values and times, and how a span of time is said."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from math import floor, log10

from kb.model import Lang

STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 604800)
MOST_TICKS = 5
UNITS = {Lang.en: (" d", " h", " min", " s"), Lang.ko: ("일", "시간", "분", "초")}


def percent(share: float) -> str:
    """`41.7%`, for an attribute of SVG."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def span(seconds: float, lang: Lang) -> str:
    """`330` → `5 min 30 s`, `5분 30초`; at most two units."""
    rest, parts = round(seconds), []
    for size, unit in zip((86400, 3600, 60, 1), UNITS[lang], strict=True):
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}".replace(" ", "\u00a0"))
    return " ".join(parts[:2]) or f"0{UNITS[lang][3]}".replace(" ", "\u00a0")


def first_trace(fired_at: float, hold: float, knew_at: float | None) -> float:
    """When a fault first showed: the rule began to hold, or people knew, whichever came first."""
    held = fired_at - hold
    return held if knew_at is None else min(held, knew_at)


def number(value: float) -> str:
    return f"{value:,.6g}"


def rounded_up(value: float) -> float:
    """The third of three round steps that reach `value`: 3, 6, 15, 30 …"""
    if value <= 0:
        return 3.0
    third = value / 3
    size = 10.0 ** floor(log10(third))
    return 3 * size * next(step for step in (1, 2, 2.5, 5, 10) if step * size >= third * 0.999999)


def moments(length: float) -> list[float]:
    """Round moments within `length` seconds, few enough to be read."""
    step = next((step for step in STEPS if length / step <= MOST_TICKS), length / MOST_TICKS)
    return list(_multiples(step, length)) if length > 0 else [0.0]


def _multiples(step: float, length: float) -> Iterator[float]:
    at = 0.0
    while at <= length * 1.0001:
        yield at
        at += step


def clock(starts: str, seconds: float) -> str:
    """Clock time `seconds` after the start: `21:25`, or `21:25:30` off the whole minute."""
    at = datetime.fromisoformat(starts) + timedelta(seconds=seconds)
    return at.strftime("%H:%M" if at.second == 0 else "%H:%M:%S")
