"""Heat maps of training jobs under a report on the terminal: where and when, at a glance."""

from rich.console import Console

from kb.checks.contract import StepsSource
from kb.errors import KbError
from kb.model import Lang


def draw_heat(out: Console, steps: StepsSource, lang: Lang) -> None:
    """One drawing for each job of which something was said; nothing where the records could not be read."""
    from kb.steps.heat_text import text
    from kb.steps.heatmap import heat_of

    try:
        jobs = steps.jobs()
    except KbError:
        # The report has told so, check by check.
        return
    for job in jobs:
        if not job.verdicts or not len(job.grid.steps):
            continue
        out.print()
        for line in text(heat_of(job.grid, job.verdicts), lang):
            out.print(line, markup=False, highlight=False, no_wrap=True, overflow="ignore", crop=False)
