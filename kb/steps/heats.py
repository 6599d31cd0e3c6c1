"""The heat maps of a judged job: of its connections, its phases and its calls, the most telling first."""

from collections.abc import Iterator

from kb.steps.heat_tables import calls_heat, matrix_heat
from kb.steps.heatmap import Heat, heat_of
from kb.steps.job import Job
from kb.steps.verdict import VerdictKind


def heats_of(job: Job) -> Iterator[Heat]:
    """One for each kind of record that the job has; of calls only where some are stuck, or nothing else is there."""
    hangs = job.of(VerdictKind.comm_hang, VerdictKind.non_comm_hang)
    if job.edges is not None:
        yield matrix_heat(job.edges, [verdict for verdict in job.verdicts if verdict.level.startswith("delay-matrix")])
    if len(job.grid.steps):
        yield heat_of(job.grid, job.verdicts)
    if job.sequences is not None and (hangs or not len(job.grid.steps)):
        yield calls_heat(job.sequences, hangs)
