"""How good the detectors of training jobs are: generated traces with a known truth, beside the rules people use today.

A trace counts as found where a verdict of a right kind stands at or after the onset; as wrong where a verdict accuses a
rank or connection that is sound, or where anything but an imbalance is reported of a trace without a fault, or before
the fault. Time to detect is the shortest trace, in steps after the onset, on which the verdict already stands.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from kb.steps.argus import analyse
from kb.steps.c4d import edge_verdicts, hang_verdicts, late_verdicts
from kb.steps.folding import GridBuilder
from kb.steps.grid import Grid
from kb.steps.iterations import series_of, verdicts
from kb.steps.records import EdgeTable, Floats, Kind, SequenceTable
from kb.steps.scenarios import Trace, made
from kb.steps.verdict import Confidence, Verdict, VerdictKind
from tests.bench import report

#: Kind → its sizes. Noise is one of five levels, in turn; the factor of a fault is one of three, in turn.
KINDS: dict[str, tuple[str, ...]] = {
    "healthy": ("dp=8", "dp=32", "dp=8 pp=4"),
    "slow_rank": ("dp=8", "dp=32", "dp=8 pp=4"),
    "bubble": ("dp=4 pp=4", "dp=8 pp=4", "dp=16 pp=8"),
    "slow_loader": ("dp=8", "dp=32"),
    "degraded_link": ("dp=6", "dp=12"),
    "bad_nic": ("dp=6", "dp=12"),
    "network_dip": ("dp=8", "dp=32"),
    "thermal_drift": ("dp=8", "dp=32"),
    "hang_comm": ("dp=8", "dp=32 pp=4"),
    "hang_non_comm": ("dp=8", "dp=32 pp=4"),
    "imbalance_sequence": ("dp=8", "dp=32 pp=2"),
    "imbalance_stage": ("dp=4 pp=4", "dp=8 pp=8"),
    "resize": ("dp=8", "dp=32"),
    "clock_skew": ("dp=8", "dp=32 pp=2"),
    "missing_ranks": ("dp=8", "dp=32"),
}
NOISE = (0.005, 0.01, 0.02, 0.05, 0.10)
FACTORS = {
    "slow_rank": (1.5, 2.0, 3.0),
    "bubble": (1.5, 1.9, 2.5),
    "slow_loader": (1.3, 1.5, 2.0),
    "degraded_link": (2.0, 3.8, 6.0),
    "bad_nic": (1.72, 2.5, 4.0),
    "network_dip": (3.0, 4.0, 8.0),
    "thermal_drift": (1.2, 1.3, 1.5),
}
#: Steps after the onset on which a verdict is tried.
TRIED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150)
#: Kinds that tell of an imbalance and accuse nobody.
HARMLESS = (VerdictKind.workload_imbalance, VerdictKind.stage_imbalance)
#: Steps by which a verdict may lead the onset: a change point is known to a sample or two, not exactly.
TOLERANCE = 2


@dataclass(frozen=True)
class Said:
    """What one detector says of a trace: alarms with the step they point to, and whom each names."""

    kind: VerdictKind | None
    step: int
    ranks: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()


Detector = Callable[["Taken"], list[Said]]


@dataclass(frozen=True)
class Taken:
    """A trace as detectors take it."""

    trace: Trace
    grid: Grid | None

    def until(self, steps: int) -> "Taken":
        """The first steps only."""
        sequences, edges = self.trace.sequences, self.trace.edges
        cut = replace(
            self.trace,
            sequences=None if sequences is None else sequences.take(sequences.sequence < steps),
            edges=None if edges is None else edges.take(edges.step < steps),
        )
        return Taken(cut, None if self.grid is None else head(self.grid, steps))


def taken(trace: Trace) -> Taken:
    if trace.phases is None:
        return Taken(trace, None)
    builder = GridBuilder()
    builder.add(trace.phases)
    return Taken(trace, builder.grid())


def head(grid: Grid, steps: int) -> Grid:
    """The first rows of a grid."""

    def cut(plane: Floats | None) -> Floats | None:
        return None if plane is None else plane[:steps]

    return replace(
        grid,
        steps=grid.steps[:steps],
        total=grid.total[:, :steps],
        count=grid.count[:, :steps],
        first=cut(grid.first),
        last=cut(grid.last),
        begin=cut(grid.begin),
        end=cut(grid.end),
        covariates={name: plane[:steps] for name, plane in grid.covariates.items()},
    )


def ours(given: Taken) -> list[Said]:
    """Everything that `kb check --steps` asks."""
    found: list[Verdict] = []
    if given.grid is not None:
        found += analyse(given.grid).verdicts
        found += verdicts(series_of(given.grid))
    found += _of_tables(given.trace.sequences, given.trace.edges, given.trace.now)
    return [_said(verdict) for verdict in found]


def _of_tables(sequences: SequenceTable | None, edges: EdgeTable | None, now: float | None) -> Iterable[Verdict]:
    if sequences is not None:
        yield from hang_verdicts(sequences, now) if now is not None else late_verdicts(sequences)
    if edges is not None:
        yield from edge_verdicts(edges, per_node=1)


def _said(verdict: Verdict) -> Said:
    named = verdict.confidence is Confidence.localised
    since = int(verdict.evidence.get("since", verdict.first_step))
    return Said(verdict.kind, since, verdict.ranks if named else (), verdict.edges if named else ())


def fixed_threshold(given: Taken) -> list[Said]:
    """A step of more than 1.2 times what the first twenty took: the alert people write by hand."""
    seconds = _iterations(given)
    if len(seconds) < 21:
        return []
    return _each(np.flatnonzero(seconds[20:] > 1.2 * np.mean(seconds[:20])) + 20)


def three_sigma(given: Taken) -> list[Said]:
    """A step above mean + 3σ of the fifty before it."""
    seconds = _iterations(given)
    hits = [
        at for at in range(20, len(seconds))
        if seconds[at] > np.mean(seconds[max(0, at - 50) : at]) + 3 * np.std(seconds[max(0, at - 50) : at])
    ]  # fmt: skip
    return _each(hits)


def bare_cv(given: Taken) -> list[Said]:
    """A compute phase whose coefficient of variation over all ranks reaches 0.15 accuses its slowest rank."""
    if given.grid is None:
        return []
    found = []
    for phase in given.grid.phases_of(Kind.compute):
        values = given.grid.mean(phase)
        with np.errstate(invalid="ignore"):
            spread = np.nanstd(values, axis=1) / np.nanmean(values, axis=1)
        for at in np.flatnonzero(spread >= 0.15):
            slowest = int(given.grid.ranks[np.nanargmax(values[at])])
            found.append(Said(None, int(given.grid.steps[at]), (slowest,)))
    return found


def _iterations(given: Taken) -> Floats:
    if given.grid is None:
        return np.zeros(0)
    return series_of(given.grid).seconds


def _each(hits: Iterable[int]) -> list[Said]:
    return [Said(None, int(at)) for at in hits]


DETECTORS: dict[str, Detector] = {
    "ours": ours, "1.2 x first": fixed_threshold, "mean + 3s": three_sigma, "CV >= 0.15": bare_cv,
}  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """One detector on one trace. `named`: somebody at fault was named; `after`: steps from the onset until it was
    found.
    """

    faulty: bool
    found: bool
    named: bool
    wrong: bool
    after: float = float("nan")


def judged(given: Taken, said: Sequence[Said]) -> Judged:
    truth = given.trace.truth
    wrong = any(_wrong(given, one) for one in said)
    if not truth.faulty:
        return Judged(False, False, False, wrong)
    return Judged(True, any(_right(given, one) for one in said), any(_names(given, one) for one in said), wrong)


def _right(given: Taken, said: Said) -> bool:
    """A rule of today has no kinds; any alarm after the onset that accuses nobody sound is right."""
    truth = given.trace.truth
    of_kind = said.kind is None or said.kind in truth.kinds
    return of_kind and truth.onset is not None and said.step >= truth.onset - TOLERANCE and not _wrong(given, said)


def _names(given: Taken, said: Said) -> bool:
    return _right(given, said) and bool(said.ranks or said.edges)


def _wrong(given: Taken, said: Said) -> bool:
    truth = given.trace.truth
    if said.kind in HARMLESS:
        return False
    early = truth.onset is None or said.step < truth.onset - TOLERANCE
    return early or not set(said.ranks) <= set(truth.accused) or not set(said.edges) <= set(truth.edges)


def time_to_detect(given: Taken, detector: Detector) -> float:
    """Steps after the onset; NaN where it is never found. A hang is found at its operation, so it has no such time."""
    onset = given.trace.truth.onset
    if onset is None or given.trace.now is not None:
        return float("nan")
    for after in TRIED:
        part = given.until(onset + after)
        if any(_right(part, one) for one in detector(part)):
            return float(after)
    return float("nan")


def specification(kind: str, number: int) -> str:
    """The scenario of that number: size, noise and factor each in turn, so that all meet all."""
    sizes, factors = KINDS[kind], FACTORS.get(kind, ())
    noise = NOISE[number % len(NOISE)]
    size = sizes[(number // len(NOISE)) % len(sizes)]
    factor = f" factor={factors[(number // (len(NOISE) * len(sizes))) % len(factors)]}" if factors else ""
    return f"{kind} {size} noise={noise}{factor}"


@dataclass(frozen=True)
class Score:
    """Of one detector on one kind."""

    traces: int
    found: int
    named: int
    wrong: int
    after: float


def measure(kind: str, count: int, timed: int) -> dict[str, Score]:
    """Every detector on `count` traces of a kind; the time to detect on the first `timed` of those found."""
    results: dict[str, list[Judged]] = {name: [] for name in DETECTORS}
    for number in range(count):
        given = taken(made(specification(kind, number), number))
        for name, detector in DETECTORS.items():
            one = judged(given, detector(given))
            if one.found and number % max(1, count // timed) == 0:
                one = replace(one, after=time_to_detect(given, detector))
            results[name].append(one)
    return {name: _score(many) for name, many in results.items()}


def _score(many: Sequence[Judged]) -> Score:
    after = [one.after for one in many if one.after == one.after]
    return Score(
        len(many),
        sum(one.found for one in many),
        sum(one.named for one in many),
        sum(one.wrong for one in many),
        median(after) if after else float("nan"),
    )


def run(count: int = 200, timed: int = 15) -> None:
    """Print the table: for each kind and detector, and precision and recall over all."""
    report.heading(
        f"Detectors of training jobs, {count} generated traces of each kind (found / named / wrong, steps to detect)"
    )
    report.line("", *DETECTORS)
    scores = {}
    for kind in KINDS:
        scores[kind] = measure(kind, count, timed)
        report.line(kind, *(_cell(scores[kind][name], kind) for name in DETECTORS))
    faulty = [kind for kind in KINDS if made(specification(kind, 0), 0).truth.faulty]
    for title, figure in (("recall", _recall), ("precision", _precision)):
        report.line(title, *(f"{figure(scores, faulty, name):.3f}" for name in DETECTORS))


def _cell(score: Score, kind: str) -> str:
    share = 100 / score.traces
    if not made(specification(kind, 0), 0).truth.faulty:
        return f"wrong {share * score.wrong:.0f}%"
    after = "" if score.after != score.after else f" {score.after:g}"
    return f"{share * score.found:.0f}/{share * score.named:.0f}/{share * score.wrong:.0f}%{after}"


def _recall(scores: dict[str, dict[str, Score]], faulty: Sequence[str], name: str) -> float:
    return sum(scores[kind][name].found for kind in faulty) / sum(scores[kind][name].traces for kind in faulty)


def _precision(scores: dict[str, dict[str, Score]], faulty: Sequence[str], name: str) -> float:
    right = sum(scores[kind][name].found for kind in faulty)
    wrong = sum(score[name].wrong for score in scores.values())
    return right / (right + wrong) if right + wrong else float("nan")


if __name__ == "__main__":
    run()
