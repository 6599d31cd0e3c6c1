"""How much step data is read and judged in a second, beside a group-by and what memory allows, and how it grows.

Nothing is kept on disk but the one Parquet file that is the measured input; larger jobs are made while they are read.
"""

import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kb.steps import reading
from kb.steps.argus import analyse
from kb.steps.folding import GridBuilder
from kb.steps.live import Live
from kb.steps.records import Coded, PhaseTable
from tests.bench import report

#: Phase → its usual seconds; the ones of one iteration of a large job.
PHASES = {
    "forward": 0.045, "backward": 0.090, "optimizer": 0.030, "self_attention": 0.020, "mlp": 0.020,
    "dp_reduce_scatter": 0.200, "dp_all_gather": 0.050, "iteration": 0.455,
}  # fmt: skip
SLOW, FACTOR = 777, 1.8


@dataclass(frozen=True)
class Shape:
    ranks: int
    steps: int

    @property
    def records(self) -> int:
        return self.ranks * self.steps * len(PHASES)


def chunks(shape: Shape, at_once: int = 1, seed: int = 0) -> Iterator[PhaseTable]:
    """Records of a job in the order of steps, some steps at a time; one rank is slow from the middle on."""
    rng = np.random.default_rng(seed)
    usual = np.array(list(PHASES.values()))
    rank = np.repeat(np.arange(shape.ranks), len(PHASES))
    phase = np.tile(np.arange(len(PHASES)), shape.ranks)
    noise = rng.lognormal(0, 0.02, (7, len(rank)))
    for first in range(0, shape.steps, at_once):
        steps = np.arange(first, min(first + at_once, shape.steps))
        size = len(steps) * len(rank)
        # Noise is drawn once and shifted: drawing it anew would be most of what is measured.
        duration = np.concatenate([usual[phase] * np.roll(noise[step % 7], step) for step in steps])
        step_of = np.repeat(steps, len(rank))
        rank_of, phase_of = np.tile(rank, len(steps)), np.tile(phase, len(steps))
        duration[(rank_of == SLOW) & (phase_of < 2) & (step_of >= shape.steps // 2)] *= FACTOR
        yield PhaseTable(
            job=Coded.constant("job", size),
            rank=rank_of,
            step=step_of,
            phase=Coded(phase_of, tuple(PHASES)),
            duration=duration,
            start=np.full(size, np.nan),
            microbatch=np.full(size, -1),
            axes={"dp": rank_of // 32, "pp": rank_of // 8 % 4, "tp": rank_of % 8},
        )


def run(ranks: int, steps: int, growth: tuple[int, ...], live_ranks: int) -> None:
    """Every part, printed as it is done."""
    shape = Shape(ranks, steps)
    report.heading(f"Step records: {ranks} ranks x {len(PHASES)} phases x {steps} steps ({shape.records / 1e6:.1f} M)")
    report.line("", "seconds", "M records/s", "of processor s", "memory MB", "accused")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "steps.parquet"
        _written(path, shape)
        _whole(path, shape)
    _group_by(shape)
    _memory_bound(shape)
    report.heading("How it grows (20 steps, records made in memory; folding and judging)")
    report.line("ranks", "seconds", "M records/s", "of 1,000 ranks")
    first = 0.0
    for size in growth:
        taken = _folded(Shape(size, 20))
        first = first or taken / size
        rate = Shape(size, 20).records / taken / 1e6
        report.line(f"{size}", f"{taken:.2f}", f"{rate:.1f}", f"{taken / size / first:.2f}x a rank")
    _live(live_ranks)


def _whole(path: Path, shape: Shape) -> None:
    started, worked = time.perf_counter(), time.process_time()
    (job,) = reading.read([path]).jobs.values()
    read, worked_read = time.perf_counter(), time.process_time()
    analysis = analyse(job.phases.grid())
    done, worked_done = time.perf_counter(), time.process_time()
    accused = sorted({rank for verdict in analysis.verdicts for rank in verdict.ranks})
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    _line("read Parquet by row groups and fold", read - started, shape, worked_read - worked)
    _line("judge (L1, L2, arrival, work)", done - read, shape, worked_done - worked_read)
    _line("both", done - started, shape, worked_done - worked, f"{memory:.0f}", f"{accused}")


def _line(name: str, taken: float, shape: Shape, worked: float | None = None, *more: str) -> None:
    """worked: processor seconds, which say more than the clock where others use the machine as well."""
    told = () if worked is None else (f"{worked:.2f}",)
    report.line(name, f"{taken:.2f}", f"{shape.records / taken / 1e6:.1f}", *told, *more)


def _group_by(shape: Shape) -> None:
    """Median of each phase and step across ranks, as people write it: in pandas where it is there, else by sorting."""
    tables = list(chunks(Shape(shape.ranks, min(shape.steps, 20)), at_once=4))
    part = Shape(shape.ranks, min(shape.steps, 20))
    duration = np.concatenate([table.duration for table in tables])
    key = np.concatenate([table.step * len(PHASES) + table.phase.codes for table in tables])
    started = time.perf_counter()
    try:
        import pandas
    except ImportError:
        order = np.lexsort((duration, key))
        counts = np.bincount(key)
        ends = np.cumsum(counts)
        _ = duration[order][ends - counts // 2 - 1]
        name = "group-by in NumPy: sort, median of step and phase"
    else:
        frame = pandas.DataFrame({"key": key, "duration": duration})
        started = time.perf_counter()
        frame.groupby("key")["duration"].median()
        name = "pandas group-by: median of step and phase"
    _line(name, time.perf_counter() - started, part)


def _memory_bound(shape: Shape) -> None:
    """Reading every value once from memory: what no program that looks at each can beat."""
    values = np.ones(min(shape.records, 20_000_000))
    started = time.perf_counter()
    values.sum()
    taken = time.perf_counter() - started
    report.line("one pass over the durations (memory bound)", f"{taken:.3f}", f"{len(values) / taken / 1e6:.0f}")


def _folded(shape: Shape) -> float:
    taken = 0.0
    builder = GridBuilder("job")
    for table in chunks(shape):
        started = time.perf_counter()
        builder.add(table)
        taken += time.perf_counter() - started
    started = time.perf_counter()
    analyse(builder.grid())
    return taken + time.perf_counter() - started


def _live(ranks: int) -> None:
    report.heading(f"Live, {ranks} ranks x {len(PHASES)} phases, L1 and L2")
    live, taken, told = Live("job"), [], []
    for number, table in enumerate(chunks(Shape(ranks, 40))):
        started = time.perf_counter()
        told += [(number, verdict) for verdict in live.add(table) if verdict.ranks]
        taken.append(time.perf_counter() - started)
    report.line("", "median ms", "longest ms", "steps/s")
    report.line(
        "one step taken in and judged",
        f"{1000 * np.median(taken):.0f}", f"{1000 * max(taken):.0f}", f"{1 / np.median(taken):.0f}",
    )  # fmt: skip
    first = told[0][0] - 20 if told else -1
    report.line("steps from the onset to the verdict", f"{first}")


def _written(path: Path, shape: Shape) -> None:
    """The layout people have: small integers, phases as a dictionary, single precision."""
    import pyarrow as pa
    import pyarrow.parquet

    writer = None
    for table in chunks(shape, at_once=4):
        columns = {
            "rank": table.rank.astype(np.int32),
            "dp": table.axes["dp"].astype(np.int32),
            "pp": table.axes["pp"].astype(np.int8),
            "tp": table.axes["tp"].astype(np.int8),
            "step": table.step.astype(np.int32),
            "phase": pa.DictionaryArray.from_arrays(pa.array(table.phase.codes.astype(np.int8)), list(PHASES)),
            "duration_ms": (1000 * table.duration).astype(np.float32),
        }
        rows = pa.table(columns)
        writer = writer or pyarrow.parquet.ParquetWriter(path, rows.schema)
        writer.write_table(rows)
    if writer is not None:
        writer.close()
