"""kb follow: the step records of a running job, judged as they are written."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.build import read_catalogue
from kb.checks.card import CheckCard
from kb.checks.report import CLEAR, FOUND, UNKNOWN, fill_in
from kb.checks.step_check import Wanted, finding_of, untold
from kb.cli import options
from kb.errors import InvalidValue
from kb.model import Lang
from kb.questions import Question, ask
from kb.settings import Settings

if TYPE_CHECKING:
    from kb.steps.verdict import Verdict

#: Verdict → the check whose words it is told in.
TOLD_BY = {
    "compute_straggler": "training/rank_computes_slowly",
    "host_stall": "training/rank_arrives_late",
    "iteration_spike": "training/iteration_time_spiked",
    "iteration_step": "training/iteration_fail_slow",
}
#: Verdicts on the job as a whole, which need no name of a rank.
OF_THE_JOB = ("iteration_spike", "iteration_step")
SAID = {
    Lang.en: {
        "unknown": "unknown",
        "strange": "{n} lines were no step records. Follow files of JSON lines that kb.steps.writer writes.",
        "nothing": "nothing could be judged: that takes five steps of three ranks, or nine iterations.",
    },
    Lang.ko: {
        "unknown": "알 수 없음",
        "strange": "{n}줄이 스텝 기록이 아닙니다. kb.steps.writer가 쓰는 JSON 줄 파일을 주십시오.",
        "nothing": "판단한 것이 없습니다. 랭크 셋의 다섯 스텝이나 반복 아홉 번이 있어야 합니다.",
    },
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

    Exit status: 0 nothing was found before the end, 1 something was, 3 nothing was found but something is unknown.
    """
    from kb.steps.follow import Follower, Watch

    language = ask(Question, {"lang": lang}).lang
    for path in paths:
        if not path.exists():
            raise InvalidValue(
                f"`{path}` does not exist.", field="paths", next_step="Give the folder if its files are yet to come."
            )
    cards = read_catalogue(Settings()).cards
    follower, watch = Follower(paths, from_start=not new), Watch()
    quiet, statuses, over = time.monotonic(), {CLEAR}, False
    while not over:
        lines = follower.look()
        over = not lines and idle is not None and time.monotonic() - quiet >= idle
        quiet = time.monotonic() if lines else quiet
        for verdict in watch.finish() if over else watch.feed(lines):
            statuses.add(_tell(verdict, cards[TOLD_BY[verdict.kind.value]], language))
        if not lines and not over:
            time.sleep(LOOK if idle is None else min(LOOK, max(idle, 0.01)))
    said = SAID[language]
    lacking = [said["strange"].format(n=watch.strange)] if watch.strange else []
    lacking += [] if watch.judged else [said["nothing"]]
    for text in lacking:
        typer.echo(f"{said['unknown']}: {text}")
        statuses.add(UNKNOWN)
    raise typer.Exit(FOUND if FOUND in statuses else max(statuses))


def _tell(verdict: "Verdict", card: CheckCard, lang: Lang) -> int:
    """Say one verdict, by the rule of `kb check`: what names nobody is unknown. The exit status that it means."""
    wanted = Wanted((verdict.kind.value,), lambda _: 0, nameless=verdict.kind.value in OF_THE_JOB)
    if wanted.names(verdict):
        text = fill_in(card.message, finding_of(verdict, wanted)).say(lang)[0]
        typer.echo(f"{card.severity.value}: {text} ({card.id})")
        return FOUND
    remark = untold(verdict)
    typer.echo(f"{SAID[lang]['unknown']}: {remark.reason.say(lang)[0]} {remark.remedy.say(lang)[0]} ({card.id})")
    return UNKNOWN
