"""A replay of step records as a heat map."""

from functools import lru_cache

from kb.answers import HeatAnswer, HeatFacet, HeatMark
from kb.checks.card import StepData
from kb.checks.sources.steps import step_replay
from kb.errors import KbError
from kb.model import Lang
from kb.steps.heat_text import sentence
from kb.steps.heatmap import Heat
from kb.steps.heats import heats_of

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
def _drawn(data: str) -> Heat | None:
    jobs = step_replay(StepData.model_validate_json(data)).jobs()
    return next(heats_of(jobs[0]), None)
