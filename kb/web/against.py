"""Check against people: how long each took, case by case, on one logarithmic axis. No markup, no words."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from kb.answers import ReplayAnswer
from kb.checks.card import Answer
from kb.model import Lang
from kb.web.chart import Mark
from kb.web.chart_scale import first_trace, percent, span

#: The axis starts with the first and ends with the first of the others that holds everything, a day at least.
TICKS = (60, 600, 3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400)
DAY = 86_400


@dataclass(frozen=True)
class Race:
    """One case: where on the axis the check fires and people knew, counted from the first trace of the fault.

    at_once: the check fires at that trace, without waiting.
    """

    case: str
    check: Mark
    people: Mark
    at_once: bool


@dataclass(frozen=True)
class Against:
    ticks: tuple[Mark, ...]
    races: tuple[Race, ...]


def against(replays: Sequence[ReplayAnswer], lang: Lang) -> Against | None:
    """The cases whose reports say when people knew, largest lead first; nothing where there is none."""
    told = sorted(
        ((replay.case, *spans) for replay in replays if replay.case and (spans := _spans(replay))),
        key=lambda one: (one[1] - one[2], one[0]),
    )
    if not told:
        return None
    longest = max(DAY, *(max(check, people) for _, check, people in told))
    end = next((tick for tick in TICKS if tick >= longest), longest)
    ticks = [tick for tick in TICKS if tick < end] + [end]
    races = (
        Race(case, _mark(check, end, lang), _mark(people, end, lang), at_once=check == 0)
        for case, check, people in told
    )
    return Against(tuple(_mark(tick, end, lang) for tick in ticks), tuple(races))


def _spans(replay: ReplayAnswer) -> tuple[float, float] | None:
    """Seconds from the first trace of the fault until the check fires and until people knew."""
    chart = replay.chart
    if replay.answer is not Answer.found or chart is None or chart.fired_at is None or chart.people_knew_at is None:
        return None
    trace = first_trace(chart.fired_at, chart.hold, chart.people_knew_at)
    return chart.fired_at - trace, chart.people_knew_at - trace


def _mark(seconds: float, end: float, lang: Lang) -> Mark:
    share = min(1.0, max(0.0, log(max(seconds, 1) / TICKS[0]) / log(end / TICKS[0])))
    return Mark(
        percent(share), 0, span(seconds, lang), "start" if share < 0.03 else "end" if share > 0.97 else "middle"
    )
