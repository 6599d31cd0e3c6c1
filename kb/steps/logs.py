"""What logs already hold: step lines of Megatron and DeepSpeed, calls in NCCL's debug log, NCCL's RAS report.

Lines of all of them may be mixed, as they are in the output of a job. A line of none of them is skipped.
"""

from collections.abc import Iterable, Iterator
from typing import Protocol

from kb.errors import UnreadableFile
from kb.steps.nccl_log import NcclCalls, RasReport
from kb.steps.records import Table
from kb.steps.train_log import StepLines

FLUSH = 50_000
#: The longest line that is looked at; a progress bar without line ends is one line of gigabytes.
LONGEST = 1 << 16


class Form(Protocol):
    """One kind of line."""

    def take(self, line: str) -> bool:
        """Whether the line was one of this kind."""

    def tables(self, job: str, *, end: bool) -> list[Table]:
        """What has been gathered and is complete; everything at the end."""


def tables(lines: Iterable[str], *, job: str = "") -> Iterator[Table]:
    """Tables of a log, a chunk at a time.

    Raises:
        UnreadableFile: no line of it is of a known kind.
    """
    forms: tuple[Form, ...] = (StepLines(), NcclCalls(), RasReport())
    known = waiting = 0
    for line in lines:
        if any(form.take(line[:LONGEST]) for form in forms):
            known += 1
            waiting += 1
        if waiting >= FLUSH:
            waiting = 0
            for form in forms:
                yield from form.tables(job, end=False)
    for form in forms:
        yield from form.tables(job, end=True)
    if not known:
        raise UnreadableFile(
            "No line of the file is a step record, a step line of Megatron or DeepSpeed, or one of NCCL's.",
            next_step="Known are JSON lines, CSV, Parquet, flight-recorder dumps, answers of Prometheus, training logs "
            "with step lines, NCCL_DEBUG=INFO logs with the COLL subsystem, and `ncclras` reports.",
        )
