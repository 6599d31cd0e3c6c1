"""Work is not slowness: durations normalised by what a rank had to do, and uneven work named as such.

Where the records carry tokens or squared lengths, the time of an operation is taken as a*tokens + b*sum of squared
lengths (ResiHP's form) beside a constant (ours: an optimizer takes as long for few tokens as for many); experts are
compared by received tokens. Where they do not, uneven work shows in two ways that noise does not: forward and backward
of the same rank and step are long together, and the slowest rank changes.
"""

from dataclasses import dataclass

import numpy as np

from kb.steps.grid import Grid, Singles
from kb.steps.groups import Groups, groups_of
from kb.steps.phases import Role, is_expert, route
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
#: Covariates that say how much a rank had to do.
WORK = ("tokens", "sum_len_sq")


@dataclass(frozen=True)
class Normaliser:
    """Expected seconds of an operation: `constant`, and `weights` seconds for each unit of its covariates."""

    weights: dict[str, float]
    constant: float

    def normalised(self, grid: Grid, values: Singles) -> Singles:
        """The values as they would be at the job's usual work; a cell without covariates stays as it is."""
        expected = np.full(values.shape, self.constant)
        known = np.zeros(values.shape, bool)
        for name, weight in self.weights.items():
            work = np.nan_to_num(grid.covariates[name])
            expected += work * weight
            known |= work > 0
        known &= expected > 0
        usual = float(np.median(expected[known])) if known.any() else 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled: Singles = np.where(known, values * (usual / expected), values).astype(np.float32)
        return scaled


def comparable_mean(grid: Grid, phase: int) -> Singles:
    """(steps, ranks): seconds of one operation as ranks may be compared by them: at equal work, where it is known."""
    values = grid.mean(phase)
    cost = normaliser(grid, phase) if grid.kinds[phase] is Kind.compute else None
    return values if cost is None else cost.normalised(grid, values)


def tells_work(grid: Grid, phase: int) -> bool:
    """Whether ranks do the same in this phase, or the records say how much: experts get what a router sends them."""
    return not is_expert(grid.phases[phase]) or any(name in grid.covariates for name in WORK)


def normaliser(grid: Grid, phase: int) -> Normaliser | None:
    """The cost of work in one compute phase by least squares without the slowest tenth; none without covariates."""
    names = [name for name in WORK if name in grid.covariates]
    if not names:
        return None
    values = grid.mean(phase).ravel()
    columns = np.stack([grid.covariates[name].ravel() for name in names], axis=1).astype(np.float64)
    usable = np.flatnonzero(np.isfinite(values) & np.isfinite(columns).all(axis=1))
    if len(usable) < 10 * len(names) or (columns[usable].std(axis=0) <= 1e-6 * columns[usable].mean(axis=0)).all():
        return None
    usable = usable[:: max(1, len(usable) // LEARN_FROM)]
    # Tokens by the thousand, squares by the million: each in its own unit, or the constant drowns in rounding.
    unit = np.maximum(columns[usable].mean(axis=0), 1e-12)
    work = np.column_stack([columns[usable] / unit, np.ones(len(usable))])
    time = values[usable].astype(np.float64)
    for _ in range(3):
        costs = _least_squares(work, time)
        residual = time - work @ costs
        kept = residual <= np.quantile(residual, 0.9)
        work, time = work[kept], time[kept]
        if len(time) < 10 * len(names):
            break
    weights = costs[:-1] / unit
    if not weights.any():
        return None
    return Normaliser(dict(zip(names, weights.tolist(), strict=True)), float(costs[-1]))


def _least_squares(work: Floats, time: Floats) -> Floats:
    """Least squares without a negative cost: what would have one is left out, and the rest fitted again."""
    costs = np.zeros(work.shape[1])
    kept = np.arange(work.shape[1])
    while len(kept):
        found = np.linalg.lstsq(work[:, kept], time, rcond=None)[0]
        if (found >= 0).all():
            costs[kept] = found
            break
        kept = np.delete(kept, np.argmin(found))
    return costs


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
    for name in WORK:
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
