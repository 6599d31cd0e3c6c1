"""Work is not slowness: durations normalised by what a rank had to do, and uneven work named as such.

Where the records carry tokens or squared lengths, the time of an operation is taken as a*tokens + b*sum of squared
lengths (ResiHP's form); experts are compared by received tokens. Where they do not, uneven work shows in two ways that
noise does not: forward and backward of the same rank and step are long together, and the slowest rank changes.
"""

from dataclasses import dataclass

import numpy as np

from kb.steps.grid import Grid, Singles
from kb.steps.groups import Groups, groups_of
from kb.steps.phases import Role, route
from kb.steps.records import Floats, Kind
from kb.steps.robust import median, ratio
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind

#: Least excess of the slowest rank over its group's median, and least agreement of forward and backward, that
#: make uneven work worth naming. Independent noise agrees to within 0.1 in as few as a hundred cells.
UNEVEN = 1.15
TOGETHER = 0.3
#: The same rank may be the slowest in at most this share of the steps; above it is a rank that is slow.
SAME_RANK = 0.5
#: How much longer the longest stage may work than the middle of the others.
STAGE = 1.2
FEWEST_STEPS = 5
#: Cells from which the cost of work is learned.
LEARN_FROM = 200_000


@dataclass(frozen=True)
class Normaliser:
    """Expected seconds of an operation from its covariates; `weights` are seconds a unit."""

    weights: dict[str, float]

    def normalised(self, grid: Grid, values: Singles) -> Singles:
        """The values as they would be at the job's usual work; a cell without covariates stays as it is."""
        expected = np.zeros(values.shape)
        for name, weight in self.weights.items():
            expected += np.nan_to_num(grid.covariates[name]) * weight
        usual = float(np.median(expected[expected > 0])) if (expected > 0).any() else 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled: Singles = np.where(expected > 0, values * (usual / expected), values).astype(np.float32)
        return scaled


def normaliser(grid: Grid, phase: int) -> Normaliser | None:
    """The cost of work in one compute phase by least squares without the slowest tenth; none without covariates."""
    names = [name for name in ("tokens", "sum_len_sq") if name in grid.covariates]
    if not names:
        return None
    values = grid.mean(phase).ravel()
    columns = np.stack([grid.covariates[name].ravel() for name in names], axis=1).astype(np.float64)
    usable = np.flatnonzero(np.isfinite(values) & np.isfinite(columns).all(axis=1))
    if len(usable) < 10 * len(names) or (columns[usable].std(axis=0) <= 1e-6 * columns[usable].mean(axis=0)).all():
        return None
    usable = usable[:: max(1, len(usable) // LEARN_FROM)]
    work, time = columns[usable], values[usable].astype(np.float64)
    for _ in range(3):
        weights = np.maximum(np.linalg.lstsq(work, time, rcond=None)[0], 0)
        residual = time - work @ weights
        kept = residual <= np.quantile(residual, 0.9)
        work, time = work[kept], time[kept]
        if len(time) < 10 * len(names):
            break
    return Normaliser(dict(zip(names, weights.tolist(), strict=True))) if weights.any() else None


def judge(grid: Grid) -> list[Verdict]:
    """Uneven work between ranks and between stages. Nobody is slow by it."""
    if len(grid.steps) < FEWEST_STEPS:
        return []
    return [verdict for verdict in (_between_ranks(grid), _between_stages(grid)) if verdict is not None]


def own_work(grid: Grid) -> Singles | None:
    """(steps, ranks): seconds of forward and backward in a step; of all computing where there is neither."""
    chosen = grid.phases_in(Role.forward) + grid.phases_in(Role.backward) or grid.phases_of(Kind.compute)
    if not chosen:
        return None
    total: Singles = sum((grid.sums(index) for index in chosen[1:]), grid.sums(chosen[0]))
    return total


def _between_ranks(grid: Grid) -> Verdict | None:
    work = own_work(grid)
    if work is None:
        return None
    groups = groups_of(grid, route("forward", Kind.compute))
    if not groups.members.size or groups.members.shape[1] < 3:
        return None
    relative = ratio(groups.gather(work))
    worst = np.nanmax(np.where(np.isnan(relative), -np.inf, relative), axis=2)
    usual = np.median(worst, axis=0)
    usual[groups.sizes < 3] = 0
    at = int(np.argmax(usual))
    if usual[at] < UNEVEN:
        return None
    slowest = np.nanargmax(np.nan_to_num(relative[:, at]), axis=1)
    share = float(np.bincount(slowest).max() / len(slowest))
    together, cause = _together(grid, groups)
    if share > SAME_RANK or together < TOGETHER:
        return None
    return Verdict(
        VerdictKind.workload_imbalance, System.ours, "workload", Confidence.detected_only,
        int(grid.steps[0]), int(grid.steps[-1]), job=grid.job, phase=cause, group=groups.labels[at],
        ratio=float(usual[at]), evidence={"agreement": together, "slowest_rank_share": share},
    )  # fmt: skip


def _together(grid: Grid, groups: Groups) -> tuple[float, str]:
    """Correlation within groups that speaks for work as the cause, and what it is with."""
    forward, backward = grid.phases_in(Role.forward), grid.phases_in(Role.backward)
    rows = np.linspace(0, len(grid.steps) - 1, min(len(grid.steps), 60)).astype(int)

    def beside(values: Singles) -> Floats:
        return np.asarray(ratio(groups.gather(values[rows])), np.float64)

    best, cause = 0.0, ""
    if forward and backward:
        best = _correlation(beside(grid.sums(forward[0])), beside(grid.sums(backward[0])))
        cause = "forward and backward"
    work = own_work(grid)
    for name in ("tokens", "sum_len_sq"):
        if work is not None and name in grid.covariates:
            value = _correlation(beside(grid.covariates[name]), beside(work))
            if value > best:
                best, cause = value, name
    return best, cause


def _correlation(a: Floats, b: Floats) -> float:
    good = np.isfinite(a) & np.isfinite(b) & (a > 0) & (b > 0)
    if np.count_nonzero(good) < 50:
        return 0.0
    x, y = np.log(a[good]), np.log(b[good])
    if x.std() < 1e-9 or y.std() < 1e-9:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def _between_stages(grid: Grid) -> Verdict | None:
    work, stages = own_work(grid), grid.axes.get("pp")
    if work is None or stages is None:
        return None
    usual = median(work, axis=0)[0]
    numbers = np.unique(stages[stages >= 0])
    if len(numbers) < 2:
        return None
    # A stage is long by itself only if its shortest replica is: one slow rank must not look like a long stage.
    times = np.array([np.nanmin(usual[stages == number], initial=np.inf) for number in numbers])
    at = int(np.argmax(times))
    others = float(np.median(np.delete(times, at)))
    if not np.isfinite(times).all() or others <= 0 or times[at] < STAGE * others:
        return None
    return Verdict(
        VerdictKind.stage_imbalance, System.ours, "workload", Confidence.group_only,
        int(grid.steps[0]), int(grid.steps[-1]), job=grid.job, phase="forward and backward",
        group=f"pp={numbers[at]}", ratio=float(times[at] / others),
        evidence={"stage_s": float(times[at]), "others_s": others},
    )  # fmt: skip
