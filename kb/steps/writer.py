"""Write phase records from a training loop. Five lines, the standard library alone, and never an error of the loop:

    from kb.steps.writer import StepWriter
    steps = StepWriter("steps-{rank}.jsonl", rank=rank, dp=dp, pp=pp, tp=tp)
    for step in range(first, last):
        with steps.phase(step, "forward"):
            loss = forward(batch)

On a GPU the call returns before the work is done. Measure with CUDA events on the stream that runs the phase and
hand the seconds over: `steps.record(step, "forward", seconds)`; a collective that is timed on the compute stream
looks instantaneous.
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path


class StepWriter:
    """Appends one JSON line a record, each in one write, so that several processes may share a file and a reader that
    follows it never sees half a record that another one continues.

    path: `{rank}` is filled in. coordinates: dp, pp, tp, ep, cp. A file that cannot be written is reported once on
    standard error and then left alone: training goes on.
    """

    def __init__(self, path: str, *, rank: int, job: str = "", **coordinates: int) -> None:
        self._common = {"rank": rank, **coordinates, **({"job": job} if job else {})}
        self._file: FileIO | None = None
        try:
            self._file = FileIO(Path(path.format(rank=rank)), "a")
        except OSError as error:
            self._give_up(error)

    def record(
        self,
        step: int,
        phase: str,
        seconds: float,
        *,
        start: float | None = None,
        **covariates: float,
    ) -> None:
        """One record. start: seconds on this host's clock. covariates: tokens, sum_len_sq, bytes, microbatch."""
        if self._file is None:
            return
        values = {**self._common, "step": step, "phase": phase, "duration_s": round(seconds, 9), **covariates}
        if start is not None:
            values["start_s"] = round(start, 6)
        try:
            self._file.write((json.dumps(values) + "\n").encode())
        except (OSError, ValueError) as error:
            self._give_up(error)

    @contextmanager
    def phase(self, step: int, name: str, **covariates: float) -> Iterator[None]:
        """Time what is inside on the host's clock. What it raises is not recorded and passes through."""
        wall, start = time.time(), time.perf_counter()
        yield
        self.record(step, name, time.perf_counter() - start, start=wall, **covariates)

    def event(self, step: int, name: str) -> None:
        """Say that something happened that is no fault: `checkpoint`, `evaluation`, `pause`."""
        if self._file is not None:
            try:
                self._file.write((json.dumps({**self._common, "step": step, "event": name}) + "\n").encode())
            except (OSError, ValueError) as error:
                self._give_up(error)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _give_up(self, error: Exception) -> None:
        print(f"Step records are no longer written: {error}.", file=sys.stderr)
        self.close()
