"""promtool's series notation as numbers, for charts and for the length of a replay.

`1+0x10` is eleven samples, `5x3` four, `_x5` five gaps, `stale` the end of a series.
"""

import re
from collections.abc import Iterator

from kb.checks.card import PrometheusData
from kb.checks.knobs import seconds
from kb.errors import DataError

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+|NaN|[Ii]nf)"
GAP = re.compile(r"_(?:x(\d+))?")
RUN = re.compile(rf"({NUMBER})(?:([+-]{NUMBER.removeprefix('[+-]?')}))?x(\d+)")
ONE = re.compile(NUMBER)
#: More than this many samples in one series is a slip of the pen, not a replay.
MAX_SAMPLES = 100_000


def expand(values: str) -> list[float | None]:
    """One element a sample; nothing for a gap and for `stale`.

    Raises:
        DataError: a part that is not in the notation.
    """
    out: list[float | None] = []
    for part in values.split():
        out.extend(_expand_one(part))
        if len(out) > MAX_SAMPLES:
            raise DataError(f"`{values[:40]}…` has more than {MAX_SAMPLES} samples.", field="values")
    return out


def _expand_one(part: str) -> Iterator[float | None]:
    if match := GAP.fullmatch(part):
        yield from [None] * min(int(match[1] or 1), MAX_SAMPLES + 1)
    elif part == "stale":
        yield None
    elif match := RUN.fullmatch(part):
        start, step = float(match[1]), float(match[2] or 0)
        yield from (start + step * n for n in range(min(int(match[3]), MAX_SAMPLES) + 1))
    elif ONE.fullmatch(part):
        yield float(part)
    else:
        raise DataError(
            f"`{part}` is not in promtool's series notation.",
            field="values",
            next_step="Write it as in `1+0x10 _x5 stale`.",
        )


def series_values(values: str, interval: str) -> list[tuple[float, float | None]]:
    """Seconds from the start and value of each sample; no value where there is a gap."""
    step = seconds(interval)
    return [(number * step, value) for number, value in enumerate(expand(values))]


def length(data: PrometheusData) -> float:
    """Seconds from the first moment to the last sample of the longest series."""
    longest = max((len(expand(series.values)) for series in data.series), default=1)
    return (longest - 1) * seconds(data.interval)
