"""kb holes: the map of holes, each failure mode between the cases that carry it and the checks that catch them."""

from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from kb.answers import Hole, HolesAnswer
from kb.checks.card import CheckStatus
from kb.cli.opening import console, open_library
from kb.cli.options import one_of
from kb.model import Lang
from kb.questions import DIAGNOSIS_KINDS, Holes, Show, ask
from kb.settings import Settings

SAID = {
    Lang.en: {
        "count": "{n} values, the largest hole first: cases, those that a check catches, the proven checks",
        "names": "made for it", "other": "by other signs", "none": "none", "reason": "no check is made for it",
    },
    Lang.ko: {
        "count": "값 {n}개, 빈틈이 큰 순서. 사례 수, 검사가 잡은 사례 수, 증명된 검사",
        "names": "전용", "other": "다른 징후로", "none": "없음", "reason": "전용 검사가 없는 이유",
    },
}  # fmt: skip


def register(app: typer.Typer) -> None:
    app.command("holes")(holes)


def holes(
    show: Annotated[str | None, typer.Option(help=f"Only these rows: {one_of(Show)}")] = None,
    kind: Annotated[str | None, typer.Option(help=f"Only this kind: {one_of(DIAGNOSIS_KINDS)}")] = None,
    lang: Annotated[str | None, typer.Option(help=f"Language of the answer: {one_of(Lang)}")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """The map of holes: for each value its cases, the proven checks that catch them, and why there is none."""
    question = ask(Holes, {"show": show, "kind": kind, "lang": lang})
    answer = open_library(Settings()).holes(question)
    if as_json:
        typer.echo(answer.model_dump_json(indent=1))
    else:
        draw(console(), answer)


def draw(out: Console, answer: HolesAnswer) -> None:
    """A row a value: cases, those caught, the value, and its proven checks or the reason why there is none."""
    said = SAID[answer.lang]
    out.print(said["count"].format(n=answer.count))
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    for justify in ("right", "right", "left", "left"):
        table.add_column(justify=justify, overflow="fold")
    for hole in answer.holes:
        value = f"{hole.kind}/{hole.slug}\n{escape(hole.name)}"
        table.add_row(str(hole.cases), str(hole.caught), value, escape(_caught_by(hole, said)))
    out.print(table)


def _caught_by(hole: Hole, said: dict[str, str]) -> str:
    proven = [check for check in hole.checks if check.status is not CheckStatus.draft]
    lines = [
        f"{said[name]}: {', '.join(ids)}"
        for name, made in (("names", True), ("other", False))
        if (ids := [check.id for check in proven if check.names is made])
    ]
    if hole.no_check:
        lines.append(f"{said['reason']}: {hole.no_check}")
    return "\n".join(lines) or said["none"]
