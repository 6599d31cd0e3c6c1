"""A replay of step records as a heat map."""

from kb.answers import HeatAnswer, HeatFacet, HeatMark
from kb.checks.card import StepData
from kb.checks.sources.steps import step_replay
from kb.errors import KbError
from kb.model import Lang
from kb.steps.heat_text import sentence
from kb.steps.heatmap import Heat
from kb.steps.heats import heats_of


def drawn(data: StepData) -> Heat | None:
    """The heat map of step records; nothing where they cannot be read or drawn. Costs tenths of a second."""
    try:
        jobs = step_replay(data).jobs()
        return next(heats_of(jobs[0]), None)
    except KbError:
        return None


def heat_of(heat: Heat | None, lang: Lang) -> HeatAnswer | None:
    """A heat map as an answer; nothing where it is empty."""
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
