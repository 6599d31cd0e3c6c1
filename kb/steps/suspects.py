"""Slow ranks, late ranks and bubbles as verdicts: one for what belongs together, nobody for what is explained."""

from collections.abc import Mapping, Sequence

import numpy as np

from kb.steps.arrival import Late, own_collective
from kb.steps.bubbles import Bubble
from kb.steps.grid import Grid
from kb.steps.groups import place_of
from kb.steps.level2 import PERSISTENCE, Slow
from kb.steps.records import Bools, EventTable, Kind
from kb.steps.robust import first_and_last
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind
from kb.steps.workload import tells_work


def of_slow(grid: Grid, slow: Sequence[Slow], events: EventTable | None) -> list[Verdict]:
    """Compute stragglers and host stalls: ranks that turned slow together in the same phase make one verdict.

    What only experts show whose tokens nobody has recorded makes verdicts apart, which name nobody: a loaded expert
    looks just like a slow rank.
    """
    alone = [one for one in slow if one.alone]
    sure = [tells_work(grid, one.phase) for one in alone]
    verdicts = [
        _cluster(grid, cluster, events, sure=told)
        for told in (True, False)
        for cluster in _clusters([one for one, own in zip(alone, sure, strict=True) if own is told])
    ]
    named = {one.column for one in alone}
    return verdicts + [_nameless(grid, members) for members in _by_group(slow, named).values()]


def _clusters(slow: Sequence[Slow]) -> list[list[Slow]]:
    by_rank: dict[int, list[Slow]] = {}
    for one in slow:
        by_rank.setdefault(one.column, []).append(one)
    clusters: list[list[Slow]] = []
    for own in sorted(by_rank.values(), key=lambda parts: min(part.first for part in parts)):
        for cluster in clusters:
            if _together(cluster, own):
                cluster.extend(own)
                break
        else:
            clusters.append(list(own))
    return clusters


def _together(cluster: Sequence[Slow], own: Sequence[Slow]) -> bool:
    """Whether a rank turned slow with these: in a phase of theirs, within a few steps."""
    return any(
        one.phase == other.phase and abs(one.first - other.first) <= PERSISTENCE for one in cluster for other in own
    )


def of_late(grid: Grid, late: Sequence[Late], slow: Sequence[Slow]) -> list[Verdict]:
    """Late ranks that no slow rank of the same pipeline explains."""
    explained = {_pipeline(grid, one.column) for one in slow}
    rest = [one for one in late if _pipeline(grid, one.column) not in explained]
    by_pipeline: dict[str, list[Late]] = {}
    for one in rest:
        by_pipeline.setdefault(_pipeline(grid, one.column), []).append(one)
    verdicts = []
    for pipeline, members in by_pipeline.items():
        columns = sorted({one.column for one in members})
        rows = np.any([one.hits for one in members], axis=0)
        worst = members[0]
        alone = len(columns) == 1 and grid.has_coordinates
        verdicts.append(
            Verdict(
                VerdictKind.non_comm_slow, System.c4d, "arrival",
                Confidence.localised if alone else Confidence.group_only,
                *_window(grid, rows), job=grid.job, phase=grid.phases[worst.phase],
                ranks=tuple(int(grid.ranks[column]) for column in columns) if alone else (),
                group="" if alone else pipeline, ratio=float("nan"),
                evidence={"own_share": worst.short, "lag_s": worst.lag},
            )
        )  # fmt: skip
    return verdicts


def of_bubbles(grid: Grid, bubbles: Sequence[Bubble]) -> list[Verdict]:
    return [
        Verdict(
            VerdictKind.bubble_amplification, System.ours, "1F1B",
            Confidence.localised if grid.has_coordinates else Confidence.detected_only,
            *_window(grid, bubble.hits), job=grid.job, phase=bubble.phase,
            ranks=(int(grid.ranks[bubble.column]),), group=place_of(grid, bubble.column), ratio=bubble.ratio,
            evidence={"neighbours_wait_share": bubble.waiting, "iteration_ratio": bubble.amplified},
        )
        for bubble in bubbles
    ]  # fmt: skip


def _cluster(grid: Grid, cluster: Sequence[Slow], events: EventTable | None, *, sure: bool) -> Verdict:
    by_phase: dict[int, float] = {}
    for one in cluster:
        by_phase[one.phase] = by_phase.get(one.phase, 0.0) + one.excess
    main = [one for one in cluster if one.phase == max(by_phase, key=lambda phase: by_phase[phase])]
    worst = max(main, key=lambda one: one.excess)
    columns = sorted({one.column for one in cluster})
    ranks = tuple(int(grid.ranks[column]) for column in columns)
    host = grid.kinds[worst.phase] is Kind.host
    rows = np.any([one.hits for one in cluster], axis=0)
    evidence: dict[str, float] = {
        "group_size": float(worst.size), "modified_z": worst.z, "cv": worst.cv, "sample_z": worst.sample_z,
        "excess_s": worst.excess, "phases": float(len(by_phase)),
    }  # fmt: skip
    share = own_collective(grid, worst.column, worst.hits, 0.0)
    if share is not None:
        evidence["own_collective_share"] = share
    evidence |= _co_occurring(grid, ranks, rows, events)
    named = grid.has_coordinates and sure
    return Verdict(
        VerdictKind.host_stall if host else VerdictKind.compute_straggler, System.argus, "L2",
        Confidence.localised if named else Confidence.detected_only, *_window(grid, rows),
        job=grid.job, phase=grid.phases[worst.phase], ranks=ranks,
        group=place_of(grid, worst.column) if len(columns) == 1 else worst.group,
        ratio=float(np.median([one.ratio for one in main])), evidence=evidence,
        published=all(one.published for one in main),
    )  # fmt: skip


def _nameless(grid: Grid, members: list[Slow]) -> Verdict:
    """A group of which too much is slow, or of which only two can be compared: something is slow, nobody is named."""
    worst = members[0]
    rows = np.any([one.hits for one in members], axis=0)
    two = worst.size == 2
    return Verdict(
        VerdictKind.host_stall if grid.kinds[worst.phase] is Kind.host else VerdictKind.compute_straggler,
        System.ours, "L2", Confidence.detected_only if two else Confidence.group_only, *_window(grid, rows),
        job=grid.job, phase=grid.phases[worst.phase], group=worst.group or "all ranks", ratio=worst.ratio,
        evidence={"group_size": float(worst.size), "slow": float(len({one.column for one in members}))},
    )  # fmt: skip


def _by_group(slow: Sequence[Slow], named: set[int]) -> Mapping[tuple[str, int], list[Slow]]:
    """Slow ranks that cannot be named, by group, in the phase that costs most."""
    found: dict[tuple[str, int], list[Slow]] = {}
    phase_of: dict[str, int] = {}
    for one in slow:
        if not one.alone and one.column not in named:
            phase = phase_of.setdefault(one.group, one.phase)
            if phase == one.phase:
                found.setdefault((one.group, phase), []).append(one)
    return found


def _pipeline(grid: Grid, column: int) -> str:
    return place_of(grid, column, [axis for axis in grid.axes if axis != "pp"]) or str(grid.ranks[column])


def _window(grid: Grid, rows: Bools) -> tuple[int, int]:
    first, last = first_and_last(rows)
    return int(grid.steps[first]), int(grid.steps[last])


def _co_occurring(grid: Grid, ranks: tuple[int, ...], rows: Bools, events: EventTable | None) -> dict[str, float]:
    """Events on the suspects: told beside the verdict, never its cause."""
    if events is None or not len(events):
        return {}
    low, high = _window(grid, rows)
    near = np.isin(events.rank, ranks) & (events.step >= low - 10 * grid.width) & (events.step <= high)
    count = int(near.sum())
    return {"events_beside": float(count)} if count else {}
