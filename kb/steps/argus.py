"""ARGUS put together: the three automatic levels, and the bubble model beyond them.

L1 says when, L2 and L3 say who, 1F1B says what the other three cannot see. Each can be left out, which is how the
tests prove that each is needed.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from kb.model import Text
from kb.steps import level1, level3, slow_groups, suspects, workload
from kb.steps.arrival import late_ranks
from kb.steps.bubbles import bubbles
from kb.steps.grid import Grid, known_ranks
from kb.steps.level1 import Iterations, iterations
from kb.steps.level2 import PERSISTENCE, slow_ranks
from kb.steps.phases import SCHEDULED
from kb.steps.records import Bools, DistributionTable, EventTable, Kind, Layout, Remark, RemarkKind, merged
from kb.steps.robust import median
from kb.steps.verdict import Verdict, VerdictKind

LEVELS = ("L1", "L2", "L3", "1F1B", "arrival", "workload")

#: A rank that is a thousand times its peers in everything it does is not slow: it counts in another unit.
UNIT_FACTORS = (1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9)
UNIT_TOLERANCE = 2.0


@dataclass(frozen=True)
class Analysis:
    """verdicts: the gravest first. remarks: what kept records or ranks from being judged."""

    job: str
    grid: Grid
    series: Iterations
    verdicts: tuple[Verdict, ...]
    remarks: tuple[Remark, ...]


def analyse(
    grid: Grid,
    distributions: DistributionTable | None = None,
    events: EventTable | None = None,
    *,
    levels: Collection[str] = LEVELS,
) -> Analysis:
    """Judge one job.

    levels: which of `LEVELS` to use.
    """
    odd, remarks = _other_units(grid)
    grid = grid.without(odd)
    series = _with_events(iterations(grid), events)
    verdicts: list[Verdict] = []
    slow = slow_ranks(grid, series) if "L2" in levels else []
    late = late_ranks(grid, series) if "arrival" in levels else []
    uneven = workload.judge(grid) if "workload" in levels else []
    if "1F1B" in levels:
        verdicts += suspects.of_bubbles(grid, bubbles(grid, series))
    verdicts += suspects.of_slow(grid, slow, events)
    if "L2" in levels:
        verdicts += slow_groups.verdicts(grid, series)
    if distributions is not None and "L3" in levels:
        verdicts += level3.judge(distributions, Layout(grid.ranks, grid.axes))
    if "L1" in levels:
        verdicts += level1.judge(grid, series)
    # Where work is uneven whoever has most to do is late; that accuses nobody.
    if not any(v.kind is VerdictKind.workload_imbalance for v in uneven):
        verdicts += suspects.of_late(grid, late, slow)
    verdicts += uneven
    remarks += _gaps(grid)
    return Analysis(grid.job, grid, series, tuple(verdicts), merged([*grid.remarks, *remarks]))


def _with_events(series: Iterations, events: EventTable | None) -> Iterations:
    """Steps with a reported pause, checkpoint or evaluation are scheduled."""
    if events is None or not len(events):
        return series
    names = np.array([bool(SCHEDULED.search(name)) for name in events.event.names], bool)
    steps = events.step[names[events.event.codes]]
    return replace(series, scheduled=series.scheduled | np.isin(series.steps, steps))


def _other_units(grid: Grid) -> tuple[Bools, list[Remark]]:
    """Ranks whose every phase is a power of a thousand away from the others: their unit differs."""
    usual = []
    # A few steps tell a unit.
    rows = np.linspace(0, len(grid.steps) - 1, min(len(grid.steps), 15)).astype(int)
    for phase, kind in enumerate(grid.kinds):
        own = median(grid.mean(phase)[rows], axis=0)[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            usual.append(own / median(own)[0] if kind is not Kind.host else np.full(len(own), np.nan))
    if not usual or len(grid.ranks) < 3:
        return np.zeros(len(grid.ranks), bool), []
    table = np.array(usual)
    odd = np.zeros(len(grid.ranks), bool)
    for factor in UNIT_FACTORS:
        with np.errstate(invalid="ignore"):
            near = (table > factor / UNIT_TOLERANCE) & (table < factor * UNIT_TOLERANCE)
        odd |= (near | np.isnan(table)).all(axis=0) & near.any(axis=0)
    if not odd.any():
        return odd, []
    return odd, [Remark(RemarkKind.absurd, int(odd.sum()), OTHER_UNIT)]


def _gaps(grid: Grid) -> list[Remark]:
    remarks = []
    unplaced = int((~known_ranks(grid)).sum())
    if grid.axes and unplaced:
        remarks.append(Remark(RemarkKind.no_coordinates, unplaced, UNPLACED))
    elif not grid.axes and len(grid.ranks) > 1:
        remarks.append(Remark(RemarkKind.no_coordinates, len(grid.ranks), NO_COORDINATES))
    if len(grid.ranks) == 1:
        remarks.append(Remark(RemarkKind.too_few, 1, ONE_RANK))
    if len(grid.steps) < PERSISTENCE:
        remarks.append(Remark(RemarkKind.too_few, len(grid.steps), FEW_STEPS))
    present = (grid.count > 0).any(axis=0)
    gone = int(np.count_nonzero(present.mean(axis=0) < 0.5)) if present.size else 0
    if gone:
        remarks.append(Remark(RemarkKind.missing_ranks, gone, MISSING, ALL_RANKS))
    return remarks


OTHER_UNIT = Text(
    en="Ranks whose every time is a power of a thousand off count in another unit; they were not judged.",
    ko="모든 시간이 다른 랭크와 1000의 거듭제곱만큼 다른 랭크가 있습니다. 단위가 다른 것으로 보고 판정하지 않았습니다.",
)
UNPLACED = Text(
    en="Ranks without coordinates were compared with nobody. Give dp, pp, tp … for every rank.",
    ko="좌표가 없는 랭크는 비교하지 않았습니다. 모든 랭크에 dp, pp, tp 등을 적어 주십시오.",
)
NO_COORDINATES = Text(
    en="No rank has coordinates, so a pipeline stage could look like a slow rank; nobody is named. Add the columns dp, "
    "pp, tp …; `dp` alone is enough for a purely data-parallel job.",
    ko="좌표가 있는 랭크가 없습니다. 파이프라인 스테이지가 느린 랭크로 보일 수 있어 랭크를 지목하지 않습니다. "
    "dp, pp, tp 열을 더하십시오. 데이터 병렬뿐이면 `dp`만으로 됩니다.",
)
ONE_RANK = Text(
    en="There is one rank: it can be compared with its own past, not with peers.",
    ko="랭크가 하나뿐이어서 자기 과거하고만 비교할 수 있습니다.",
)
FEW_STEPS = Text(
    en=f"There are fewer than {PERSISTENCE} steps: too few to tell a slow rank from a slow step.",
    ko=f"스텝이 {PERSISTENCE}개보다 적어 느린 랭크와 느린 스텝을 가릴 수 없습니다.",
)
MISSING = Text(
    en="Ranks are missing from more than half of the steps.", ko="절반이 넘는 스텝에서 기록이 없는 랭크가 있습니다."
)
ALL_RANKS = Text(
    en="Give the files of all ranks over the same steps.", ko="모든 랭크의 파일을 같은 스텝 구간으로 주십시오."
)
