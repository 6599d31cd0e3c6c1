"""Heat maps of training jobs under a report on the terminal: where and when, at a glance."""

from rich.console import Console

from kb.checks.contract import StepsSource
from kb.errors import KbError
from kb.model import Lang


def draw_heat(out: Console, steps: StepsSource, lang: Lang) -> None:
    """One drawing for each job of which something was said; nothing where the records could not be read."""
    from kb.steps.heat_text import text
    from kb.steps.heats import heats_of

    try:
        jobs = steps.jobs()
    except KbError:
        # The report has told so, check by check.
        return
    for job in jobs:
        for heat in heats_of(job) if job.verdicts else ():
            out.print()
            for line in text(heat, lang):
                out.print(line, markup=False, highlight=False, no_wrap=True, overflow="ignore", crop=False)
