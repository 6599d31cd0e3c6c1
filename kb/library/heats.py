"""A replay of step records as a heat map."""

from collections.abc import Iterator
from functools import lru_cache

from kb.answers import HeatAnswer, HeatFacet, HeatMark
from kb.checks.card import StepData
from kb.checks.sources.steps import step_replay
from kb.errors import KbError
from kb.model import Lang
from kb.steps import heatmap
from kb.steps.heat_tables import calls_heat, matrix_heat
from kb.steps.heat_text import sentence
from kb.steps.job import Job
from kb.steps.verdict import VerdictKind

#: Heat maps that are kept; a replay is drawn on the page of its check and of its case, in two languages.
KEPT = 256


def heat_of(data: StepData, lang: Lang) -> HeatAnswer | None:
    """The heat map of a replay; nothing where its records cannot be read or drawn."""
    try:
        heat = _drawn(data.model_dump_json())
    except KbError:
        return None
    if heat is None or not (heat.facets and heat.ranks and heat.columns):
        return None
    return HeatAnswer(
        facets=tuple(
            HeatFacet(
                phase=facet.phase,
                shades=facet.shades,
                marks=tuple(
                    HeatMark(rows=mark.rows, columns=mark.columns, kind=mark.kind, named=mark.named)
                    for mark in facet.marks
                ),
            )
            for facet in heat.facets
        ),
        ranks=heat.ranks,
        columns=heat.columns,
        across=heat.across,
        said=sentence(heat, lang),
    )


@lru_cache(KEPT)
def _drawn(data: str) -> heatmap.Heat | None:
    jobs = step_replay(StepData.model_validate_json(data)).jobs()
    return next(_heats(jobs[0]), None)


def _heats(job: Job) -> Iterator[heatmap.Heat]:
    """The most telling drawing first: connections, then phases, then calls."""
    if job.edges is not None:
        yield matrix_heat(job.edges, [verdict for verdict in job.verdicts if verdict.level.startswith("delay-matrix")])
    if len(job.grid.steps):
        yield heatmap.heat_of(job.grid, job.verdicts)
    if job.sequences is not None:
        yield calls_heat(job.sequences, job.of(VerdictKind.comm_hang, VerdictKind.non_comm_hang))
