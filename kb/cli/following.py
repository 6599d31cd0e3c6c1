"""kb follow: the step records of a running job, judged as they are written."""

import time
from pathlib import Path
from typing import Annotated

import typer

from kb.build import read_catalogue
from kb.checks.report import fill_in
from kb.checks.step_check import Wanted, finding_of
from kb.cli import options
from kb.questions import Question, ask
from kb.settings import Settings

#: Verdict → the check whose words it is told in.
TOLD_BY = {
    "compute_straggler": "training/rank_computes_slowly",
    "host_stall": "training/rank_arrives_late",
    "iteration_spike": "training/iteration_time_spiked",
    "iteration_step": "training/iteration_fail_slow",
}
#: Seconds between two looks.
LOOK = 1.0


def register(app: typer.Typer) -> None:
    app.command("follow")(follow)


def follow(
    paths: Annotated[list[Path], typer.Argument(help="Files of JSON lines that grow, or folders of them.")],
    new: Annotated[bool, typer.Option("--new", help="Only what is written from now on.")] = False,
    idle: Annotated[
        float | None, typer.Option(help="End when nothing has come for so many seconds (default: never).")
    ] = None,
    lang: options.Language = None,
) -> None:
    """Follow the step records of a running training job and tell what holds, a few steps after it began.

    Exit status: 0 nothing was found before the end, 1 something was.
    """
    from kb.steps.follow import Follower, Watch

    language = ask(Question, {"lang": lang}).lang
    cards = read_catalogue(Settings()).cards
    follower, watch = Follower(paths, from_start=not new), Watch()
    quiet, told, over = time.monotonic(), 0, False
    while not over:
        lines = follower.look()
        over = not lines and idle is not None and time.monotonic() - quiet >= idle
        quiet = time.monotonic() if lines else quiet
        for verdict in watch.finish() if over else watch.feed(lines):
            told += 1
            card = cards[TOLD_BY[verdict.kind.value]]
            finding = finding_of(verdict, Wanted((verdict.kind.value,), lambda _: 0, unit="×"))
            typer.echo(f"{card.severity.value}: {fill_in(card.message, finding).say(language)[0]} ({card.id})")
        if not lines and not over:
            time.sleep(LOOK if idle is None else min(LOOK, max(idle, 0.01)))
    raise typer.Exit(1 if told else 0)
