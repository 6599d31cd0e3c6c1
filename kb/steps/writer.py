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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Protocol

#: Digits that are kept of times.
DIGITS = {"duration_s": 9, "start_s": 6}


class _Scalar(Protocol):
    """A number of NumPy or a tensor of one element."""

    def item(self) -> float: ...


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
        begin = {} if start is None else {"start_s": start}
        self._write({"step": step, "phase": phase, "duration_s": seconds, **covariates, **begin})

    @contextmanager
    def phase(self, step: int, name: str, **covariates: float) -> Iterator[None]:
        """Time what is inside on the host's clock. What it raises is not recorded and passes through."""
        wall, start = time.time(), time.perf_counter()
        yield
        self.record(step, name, time.perf_counter() - start, start=wall, **covariates)

    def event(self, step: int, name: str) -> None:
        """Say that something happened that is no fault: `checkpoint`, `evaluation`, `pause`."""
        self._write({"step": step, "event": name})

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            # A full disk may be noticed as late as here.
            with suppress(OSError):
                file.close()

    def _write(self, values: Mapping[str, float | str]) -> None:
        if self._file is None:
            return
        try:
            kept = {name: round(float(v), DIGITS[name]) if name in DIGITS else v for name, v in values.items()}
            line = json.dumps({**self._common, **kept}, default=_plain)
            self._file.write(f"{line}\n".encode())
        except Exception as error:  # records are never worth a training run
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        print(f"Step records are no longer written: {error}.", file=sys.stderr)
        self.close()


def _plain(value: _Scalar) -> float:
    return value.item()
