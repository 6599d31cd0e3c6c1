"""Small ways to make records for tests."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from kb.steps.argus import LEVELS, Analysis, analyse
from kb.steps.folding import GridBuilder
from kb.steps.grid import Grid
from kb.steps.records import Coded, Floats, PhaseTable
from kb.steps.scenarios import made
from kb.steps.verdict import Confidence, Verdict, VerdictKind


def records(
    phases: dict[str, Floats],
    *,
    ranks: Sequence[int] | None = None,
    steps: Sequence[int] | None = None,
    axes: dict[str, Sequence[int]] | None = None,
    covariates: dict[str, Floats] | None = None,
) -> PhaseTable:
    """A table of arrays (steps, ranks) in seconds; `axes` per rank, `covariates` (steps, ranks); NaN: no record."""
    names = tuple(phases)
    values = np.stack([np.asarray(phases[name], float) for name in names])
    phase, step, column = (index.ravel() for index in np.indices(values.shape))
    rank_of = np.asarray(ranks if ranks is not None else range(values.shape[2]))
    step_of = np.asarray(steps if steps is not None else range(values.shape[1]))
    flat = values.ravel()
    whole = PhaseTable(
        job=Coded.constant("", flat.size),
        rank=rank_of[column].astype(np.int64),
        step=step_of[step].astype(np.int64),
        phase=Coded(phase.astype(np.int64), names),
        duration=flat,
        start=np.full(flat.size, np.nan),
        microbatch=np.full(flat.size, -1),
        axes={axis: np.asarray(numbers, np.int64)[column] for axis, numbers in (axes or {}).items()},
        covariates={name: plane[step, column] for name, plane in (covariates or {}).items()},
    )
    return whole.take(~np.isnan(flat))


def grid_of(*tables: PhaseTable, max_cells: int = 96_000_000) -> Grid:
    builder = GridBuilder("job", max_cells=max_cells)
    for table in tables:
        builder.add(table)
    return builder.grid()


def judged(table: PhaseTable, levels: Sequence[str] = LEVELS) -> Analysis:
    return analyse(grid_of(table), levels=levels)


@cache
def scenario(spec: str, seed: int = 1, levels: Sequence[str] = LEVELS) -> Analysis:
    trace = made(spec, seed)
    assert trace.phases is not None
    return analyse(grid_of(trace.phases), trace.distributions, trace.events, levels=levels)


def of_kind(analysis: Analysis, kind: VerdictKind) -> list[Verdict]:
    return [verdict for verdict in analysis.verdicts if verdict.kind is kind]


def accused(analysis: Analysis) -> set[int]:
    """Ranks that a verdict names to act on."""
    return {r for v in analysis.verdicts if v.confidence is Confidence.localised for r in v.ranks}


def noisy(rng: np.random.Generator, seconds: float, steps: int, ranks: int, noise: float = 0.02) -> Floats:
    return seconds * np.exp(noise * rng.standard_normal((steps, ranks)))
