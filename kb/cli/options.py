"""Options that several commands take, said once."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from kb.checks.card import Severity
from kb.model import Lang
from kb.steps.columns import SECONDS


def one_of(values: Iterable[str]) -> str:
    """The end of a help text: all values that there are, from where they are judged."""
    *others, last = map(str, values)
    return f"{', '.join(others)} or {last}."


PrometheusAddress = Annotated[
    str | None, typer.Option(help="Address of Prometheus or anything that speaks its API; `auto` with --kube finds it.")
]
KubeContext = Annotated[
    str | None,
    typer.Option(metavar="[CONTEXT]", help="Kubernetes API of this kubeconfig context; alone: the current one."),
]
Host = Annotated[
    str | None,
    typer.Option(metavar="[FOLDER]", help="A saved folder of one node; alone: the machine this runs on."),
]
Logs = Annotated[list[str] | None, typer.Option(help="A log file (.gz too), or `-`; repeatable.")]
Steps = Annotated[
    list[str] | None,
    typer.Option(
        help="Step times of a training job: JSON lines, CSV, Parquet, a folder of flight-recorder dumps, a training "
        "log, a saved answer of Prometheus, or `-`; repeatable."
    ),
]
StepsUnit = Annotated[str | None, typer.Option(help=f"Unit of step times whose column states none: {one_of(SECONDS)}")]
Standing = Annotated[
    bool, typer.Option("--standing", help="The job of --steps stands still: what is open in its calls is stuck.")
]
ForCase = Annotated[str | None, typer.Option("--for", help="Only the checks that would have caught this case.")]
Component = Annotated[str | None, typer.Option(help="Only the checks that concern this component.")]
CheckIds = Annotated[list[str] | None, typer.Option("--check", help="Only this check; repeatable.")]
Header = Annotated[list[str] | None, typer.Option(help="HTTP header for Prometheus, `Name: value`; repeatable.")]
Config = Annotated[
    Path | None, typer.Option(help="The site's file: knobs, accepted findings, credentials, its own names.")
]
BaselineFile = Annotated[
    Path | None, typer.Option(help="A report of an earlier run (--json): what it found does not count again.")
]
FailOn = Annotated[
    Severity | None, typer.Option(help="The least severity for exit status 1 (default: info, that is any).")
]
Language = Annotated[str | None, typer.Option(help=f"Language: {one_of(Lang)}")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print it as Markdown, for a ticket.")]
AsSarif = Annotated[bool, typer.Option("--sarif", help="Print it as SARIF 2.1.0.")]
