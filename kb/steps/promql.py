"""Answers of Prometheus as phase records: series with a rank label, saved as JSON or asked for live.

The answer of `/api/v1/query_range` is a matrix of series; a sample counts as the step at which it was taken. Labels may
name the rank (`rank`, `global_rank`), the phase (`phase`, `section`) and coordinates (`dp`, `dp_rank` …).
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from kb.errors import UnreadableFile
from kb.steps.columns import ALIASES, phase_table, unit_of
from kb.steps.records import AXES, Coded, PhaseTable

LARGEST = 1 << 30
_UNIT = re.compile(r"_(seconds|milliseconds|microseconds|nanoseconds|ms|us|ns|s)(?:_|$)")

Series = tuple[Mapping[str, str], Sequence[tuple[float, float]]]
"""Labels of one series, and its samples as (Unix seconds, value)."""


def is_answer(head: bytes) -> bool:
    return head.lstrip()[:1] == b"{" and b'"resultType"' in head


def read(path: Path, *, unit: str | None = None, job: str = "") -> PhaseTable:
    """A saved answer.

    Raises:
        UnreadableFile: no answer with a matrix, or one whose series have no rank label.
    """
    if path.stat().st_size > LARGEST:
        raise UnreadableFile(f"{path.name} is too large to be one answer.", next_step="Ask for fewer series or steps.")
    try:
        content = json.loads(path.read_text(encoding="utf-8", errors="replace"))
        result = content["data"]["result"]
        series = [
            (one["metric"], [(float(at), float(value)) for at, value in one.get("values") or [one["value"]]])
            for one in result
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableFile(f"{path.name} is no whole answer of Prometheus.", next_step="Save it again.") from error
    return table_of(series, unit=unit, job=job)


def table_of(series: Iterable[Series], *, unit: str | None = None, job: str = "") -> PhaseTable:
    """Phase records of series.

    Raises:
        UnreadableFile: no series has a rank label.
    """
    kept = [(labels, samples) for labels, samples in series if _label(labels, "rank") is not None and samples]
    if not kept:
        raise UnreadableFile(
            "No series has a rank label.", next_step="Keep the label `rank` in the expression: `... by (rank, phase)`."
        )
    times = np.array([at for _, samples in kept for at, _ in samples])
    rows = np.repeat(np.arange(len(kept)), [len(samples) for _, samples in kept])

    def column(field: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        values = [_label(labels, field) for labels, _ in kept]
        return np.array([_number(value) for value in values])[rows]

    names = [_label(labels, "phase") or labels.get("__name__", "iteration") for labels, _ in kept]
    found = {match[1] for labels, _ in kept if (match := _UNIT.search(labels.get("__name__", "")))}
    raw = {
        "rank": column("rank"),
        "step": np.round(times - times.min()),
        "phase": Coded.of(names).take(rows),
        "duration": np.array([value for _, samples in kept for _, value in samples]),
        **{axis: column(axis) for axis in AXES if any(_label(labels, axis) is not None for labels, _ in kept)},
    }
    stated = unit_of(next(iter(found))) if len(found) == 1 else None
    return phase_table(raw, {"duration": stated}, unit=unit, job=job)


def _label(labels: Mapping[str, str], field: str) -> str | None:
    return next((labels[alias] for alias in ALIASES[field] if alias in labels), None)


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return float("nan")
