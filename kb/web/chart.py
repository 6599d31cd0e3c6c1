"""A replay as a chart, worked out: where every line, bar and word stands. No markup, no words of the interface.

x is in per cent of the width, so that text keeps its size; y is in pixels. Only lines are stretched: their own
drawing is 1000 wide.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kb.answers import LogLineAnswer, ObjectAnswer, ReplayAnswer, ReplayChart, SeriesAnswer
from kb.checks.card import Answer
from kb.model import Lang
from kb.web.chart_scale import clock, first_trace, moments, number, percent, rounded_up, span
from kb.web.heat import Heat

HEIGHT = 168
TOP = 12
WIDE = 1000
#: Without anything found, this many series are still drawn one by one.
FEW = 4
MOST_NAMES = 3
NAME_HEIGHT = 14
MOST_ROWS = 40
#: Labels that identify a thing but say nothing to a reader.
DUMB = ("UUID", "pci_bus_id", "uid")


@dataclass(frozen=True)
class Mark:
    """A word at a place."""

    x: str
    y: float
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class Bar:
    """A bar of a lane; `beyond`: it goes on past the axis."""

    x: str
    width: str
    text: str
    inside: bool = False
    beyond: bool = False
    end: str = ""
    """Where it ends, for text that does not fit into it."""
    late: bool = False
    """Whether it ends so far right that such text must stand to its left."""


@dataclass(frozen=True)
class Chart:
    id: str
    name: str
    """Metric, or name of the log."""
    answer: Answer
    lines: tuple[str, ...]
    """Points of each line of a found series, or of the few there are."""
    bands: tuple[str, ...]
    """Outlines that hold all other series."""
    names: tuple[Mark, ...]
    grid: tuple[Mark, ...]
    limit: Mark | None
    ticks: tuple[Mark, ...]
    clocked: bool
    count: int
    line_count: int
    looked_at: int
    reason_kinds: tuple[str, ...]
    threshold: str | None
    direct: bool
    rows: tuple[tuple[str, str, str], ...]
    """Moment, series and value, where a value changes."""
    strokes: tuple[tuple[str, bool], ...]
    """Of a log: where each line stands, and whether it was matched."""
    matched: tuple[LogLineAnswer, ...]
    """The lines that a finding rests on; where there is none, or it names only their file, the first ones."""
    timed: bool
    """Whether there is a time axis."""
    fires: Mark | None = None
    objects: tuple[ObjectAnswer, ...] = ()
    """Of a replay of a Kubernetes API, instead of a drawing."""
    heat: Heat | None = None
    """Of step records: a drawing of its own."""
    late: bool = False
    """Whether the firing moment stands so far right that its flag must hang to the left."""
    fault: Bar | None = None
    check: Bar | None = None
    people: Bar | None = None


def chart_of(replay: ReplayAnswer, lang: Lang) -> Chart | None:
    """The chart of a replay; nothing where it has not been run or has nothing to draw."""
    data = replay.chart
    plotted = replay.answer is not Answer.unknown
    if data is None or replay.answer is None or (plotted and not _drawable(data)):
        return None
    series = data.series if plotted else ()
    found = [s for s in series if s.found] or (list(series) if len(series) <= FEW else [])
    others = [s for s in series if s not in found]
    threshold = data.threshold if data.direct else None
    top = _top(series, threshold)
    low = min((v for s in series for _, v in s.points if v is not None and v < 0), default=0.0)
    scale = Scale(data.length, low, top)
    drawn = Chart(
        id=replay.name.removesuffix(".yaml"),
        name=", ".join(dict.fromkeys([s.name for s in data.series] or [line.file for line in data.lines])),
        answer=replay.answer,
        lines=tuple(line for s in found for line in _segments(s, scale)),
        bands=tuple(_bands(others, scale)),
        names=_names(found, series, scale) if any(s.found for s in found) else (),
        grid=tuple(Mark("0", scale.y(low + (top - low) * n / 3), number(low + (top - low) * n / 3)) for n in (1, 2, 3))
        if series
        else (),
        limit=_limit(threshold, scale) if series else None,
        ticks=_ticks(data, scale, lang),
        clocked=data.starts is not None,
        count=len(data.series),
        line_count=len(data.lines),
        looked_at=data.looked_at,
        reason_kinds=data.reason_kinds,
        threshold=data.threshold,
        direct=data.direct,
        rows=_rows(found, series, data, lang),
        strokes=tuple((scale.x(line.seconds), line.found) for line in data.lines if line.seconds is not None),
        matched=_shown(data),
        timed=bool(data.series) or (data.length > 0 and any(line.seconds is not None for line in data.lines)),
        objects=data.objects if plotted else (),
        heat=Heat(data.heat) if data.heat and plotted else None,
    )
    return drawn if data.fired_at is None else _with_moments(drawn, data, data.fired_at, scale, lang)


def _shown(data: ReplayChart) -> tuple[LogLineAnswer, ...]:
    found = tuple(line for line in data.lines if line.found)
    return found or (() if any(line.seconds is not None for line in data.lines) else data.lines[:FEW])


def _drawable(data: ReplayChart) -> bool:
    return bool(data.series or data.lines or data.heat or data.objects)


def _with_moments(drawn: Chart, data: ReplayChart, fired_at: float, scale: "Scale", lang: Lang) -> Chart:
    """The chart with the firing moment and the lanes below it."""
    onset = first_trace(fired_at, data.hold, data.people_knew_at)
    return replace(
        drawn,
        fires=Mark(scale.x(fired_at), 0, _said(data, fired_at, lang)),
        late=fired_at > 0.85 * data.length,
        fault=_bar(scale, onset, data.length, ""),
        check=_bar(scale, onset, fired_at, span(fired_at - onset, lang)),
        people=_people(data, scale, onset, lang),
    )


@dataclass(frozen=True)
class Scale:
    length: float
    low: float
    top: float

    def share(self, at: float) -> float:
        return min(1.0, max(0.0, at / self.length)) if self.length > 0 else 0.0

    def x(self, at: float) -> str:
        return percent(self.share(at))

    def y(self, value: float) -> float:
        share = (value - self.low) / ((self.top - self.low) or 1.0)
        return round(HEIGHT - (HEIGHT - TOP) * share, 1)

    def point(self, at: float, value: float) -> str:
        return f"{WIDE * self.share(at):.1f},{self.y(value):g}"


def _top(series: Sequence[SeriesAnswer], threshold: str | None) -> float:
    values = [v for s in series for _, v in s.points if v is not None]
    return rounded_up(max([*values, _limit_value(threshold) or 0.0], default=0.0))


def _limit_value(threshold: str | None) -> float | None:
    """The number of `> 0.5`; nothing for a rule without one."""
    return float(threshold.rsplit(" ", 1)[1]) if threshold else None


def _limit(threshold: str | None, scale: Scale) -> Mark | None:
    value = _limit_value(threshold)
    return Mark("0", scale.y(value), threshold or "") if value is not None else None


def _segments(series: SeriesAnswer, scale: Scale) -> list[str]:
    """Points of each stretch without a gap; a single sample becomes a short line."""
    out, held = [], []
    for at, value in (*series.points, (scale.length, None)):
        if value is not None:
            held.append(scale.point(at, value))
        elif held:
            out.append(" ".join(held if len(held) > 1 else [*held, *held]))
            held = []
    return out


def _at(series: SeriesAnswer, moment: float) -> float | None:
    """The value at a moment, on the straight line between two points."""
    for (start, first), (end, second) in pairwise(series.points):
        if start <= moment <= end and first is not None:
            if second is None:
                return first if moment == start else None
            return first + (second - first) * ((moment - start) / (end - start))
    return next((value for at, value in series.points if at == moment), None)


def _bands(series: Sequence[SeriesAnswer], scale: Scale) -> list[str]:
    """One outline round all the series, broken where none of them has a value."""
    times = sorted({at for s in series for at, _ in s.points})
    out: list[str] = []
    upper: list[str] = []
    lower: list[str] = []
    for moment in (*times, None):
        values = [] if moment is None else [v for s in series if (v := _at(s, moment)) is not None]
        if moment is not None and values:
            upper.append(scale.point(moment, max(values)))
            lower.append(scale.point(moment, min(values)))
        elif upper:
            out.append(" ".join((*upper, *reversed(lower))))
            upper, lower = [], []
    return out


def label(series: SeriesAnswer, among: Sequence[SeriesAnswer]) -> str:
    """What tells a series from the others: the labels whose values differ, without those that only identify."""
    telling = [
        name
        for name in series.labels
        if name not in DUMB and len({other.labels.get(name) for other in among}) > 1 and name != "window_size_in_ms"
    ]
    said = ", ".join(f"{name} {series.labels[name]}" for name in telling)
    if len({other.name for other in among}) > 1:
        return f"{series.name} {said}".strip()
    return said or series.name


def _names(found: Sequence[SeriesAnswer], series: Sequence[SeriesAnswer], scale: Scale) -> tuple[Mark, ...]:
    """A name at the end of each of the first lines, moved apart where they would touch."""
    ends = []
    for one in found[:MOST_NAMES]:
        at, value = next((p for p in reversed(one.points) if p[1] is not None), (0.0, None))
        if value is not None:
            ends.append((scale.y(value), at, label(one, series)))
    out: list[Mark] = []
    for y, at, text in sorted(ends, key=lambda end: -end[0]):
        free = min([y - 6, *(mark.y - NAME_HEIGHT for mark in out)])
        out.append(Mark(scale.x(at), free, text, "end" if scale.share(at) > 0.5 else "start"))
    return tuple(out)


def _ticks(data: ReplayChart, scale: Scale, lang: Lang) -> tuple[Mark, ...]:
    marks = []
    for at in moments(data.length):
        share = scale.share(at)
        anchor = "start" if share < 0.03 else "end" if share > 0.97 else "middle"
        marks.append(Mark(scale.x(at), HEIGHT + 16, _said(data, at, lang), anchor))
    return tuple(marks)


def _said(data: ReplayChart, at: float, lang: Lang) -> str:
    return clock(data.starts, at) if data.starts else span(at, lang)


def _bar(scale: Scale, start: float, end: float, text: str) -> Bar:
    width = max(scale.share(end) - scale.share(start), 0.004)
    right = scale.share(start) + width
    return Bar(
        scale.x(start), percent(width), text, width >= 0.3, end > scale.length, percent(right), late=right > 0.75
    )


def _people(data: ReplayChart, scale: Scale, onset: float, lang: Lang) -> Bar | None:
    if data.people_knew_at is None:
        return None
    return _bar(scale, onset, data.people_knew_at, span(data.people_knew_at - onset, lang))


def _rows(
    found: Sequence[SeriesAnswer], series: Sequence[SeriesAnswer], data: ReplayChart, lang: Lang
) -> tuple[tuple[str, str, str], ...]:
    rows = [
        (at, _said(data, at, lang), label(one, series), "" if value is None else number(value))
        for one in found
        for at, value in one.points
    ]
    return tuple((at, name, value) for _, at, name, value in sorted(rows, key=lambda row: row[0])[:MOST_ROWS])
