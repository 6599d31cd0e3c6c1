"""kb new, review, stats: write cases and checks, and know how far they can be trusted."""

import json
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from kb import corpus as files
from kb import scaffold
from kb.build import read_catalogue
from kb.checks.card import FAMILIES, SourceName
from kb.checks.catalogue import BUILT_IN
from kb.cli.opening import console
from kb.cli.options import one_of
from kb.errors import NotFound
from kb.model import Domain, Kind
from kb.nearest import nearest
from kb.questions import GetIncident, ListIncidents, ask
from kb.reviews import read_all
from kb.settings import Settings
from kb.stats import Stats
from kb.stats import stats as count
from kb.twins import citing

new = typer.Typer(help="Begin a case or a check.", no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    new.command("case")(new_case)
    new.command("check")(new_check)
    app.add_typer(new, name="new")
    app.command("review")(review)
    app.command("stats")(stats)


def new_case(
    slug: Annotated[str, typer.Argument(help="Readable name: acme-2026-05-01-dns-loop.")],
    domain: Annotated[str, typer.Option(prompt=True, help=f"Field: {one_of(Domain)}")],
    org: Annotated[str, typer.Option(prompt="Organisation (slug)", help="Slug of the organisation.")],
    title: Annotated[str, typer.Option(prompt="Title: what broke, for whom", help="Title in English.")],
    url: Annotated[str, typer.Option(prompt="Address of the report", help="Address of the report.")],
) -> None:
    """Take the next id and write a draft to fill in."""
    settings = Settings()
    found = files.read(settings.data_roots)
    known = found.vocabulary.require(Kind.orgs, org, field="org").slug
    asked = ask(ListIncidents, {"domain": domain}).domain or Domain.kubernetes
    today = datetime.now(UTC).date().isoformat()
    told = citing([case.incident for case in found.cases], url)
    path = scaffold.new_case(settings.data_roots[0], slug, domain=asked, org=known, title=title, url=url, today=today)
    typer.echo(f"{path}\nFill it in, then `kb validate` and `kb fmt`; CONTRIBUTING.md says what each field is for.")
    if told:
        typer.echo(f"The same report is a source of {', '.join(told)}: do not tell an event twice.", err=True)


def new_check(
    id: Annotated[str, typer.Argument(help=f"family/name, such as gpu/row_remap_failed; families: {one_of(FAMILIES)}")],
    reads: Annotated[
        str,
        typer.Option(
            prompt="What it reads: a metric, a resource (v1/pods), a log (kernel), files (net/*/operstate), a verdict",
            help="A metric; or a resource, a log, files below a root, a verdict on a training job.",
        ),
    ],
    kind: Annotated[str, typer.Option(help=f"What it reads from: {one_of(SourceName)}")] = "prometheus",
) -> None:
    """Write a check with three replays to fill in."""
    folder = scaffold.new_check(BUILT_IN, id, kind=kind, reads=reads)
    typer.echo(f"{folder}\nFill it in, then `kb replay --record {id}`.")


def review(id: Annotated[str, typer.Argument(help="Case id.")]) -> None:
    """Print the checklist of a case beside its sources, as Markdown."""
    case_id = ask(GetIncident, {"id": id.upper()}).id
    found = files.read(Settings().data_roots)
    cases = {case.incident.id: case.incident for case in found.cases}
    if case_id not in cases:
        raise NotFound(f"There is no case {case_id}.", field="id", nearest=nearest(case_id, cases))
    typer.echo(scaffold.checklist(cases[case_id], found.vocabulary), nl=False)


def stats(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """What the corpus holds: fields, reading, links to checks, second readings."""
    settings = Settings()
    readings = read_all(settings.data_roots[0] / "review")
    counted = count(files.read(settings.data_roots), read_catalogue(settings), readings)
    if as_json:
        typer.echo(json.dumps(counted.as_dict(), ensure_ascii=False, indent=1))
    else:
        _draw(counted)


def _draw(counted: Stats) -> None:
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("cases", str(counted.cases))
    for group in (counted.by_status, counted.by_domain):
        for name, number in group.items():
            table.add_row(f"  {name}", str(number))
    table.add_row("a primary source read in full", f"{counted.read_in_full:.0%}")
    table.add_row("stated in the approved cases:", "")
    for name, share in counted.stated.items():
        table.add_row(f"  {name}", f"{share:.0%}")
    table.add_row("approved cases by their best link to a check:", "")
    for name, number in counted.links.items():
        table.add_row(f"  {name}", str(number))
    table.add_row("checks:", "")
    for name, number in counted.checks.items():
        table.add_row(f"  {name}", str(number))
    table.add_row("cases read by a second reader", str(counted.second_readings))
    for name, number in counted.claims_read.items():
        table.add_row(f"  claims {name}", str(number))
    for item in counted.agreement:
        table.add_row(f"  agreement on the main {item.what}", f"{item.raw:.0%}, kappa {item.kappa:.2f}")
    settled = counted.adjudication
    table.add_row("  disagreements settled", f"{settled.settled} of {settled.disagreements}")
    table.add_row("  for the writer, for the reader", f"{settled.for_writer}, {settled.for_reader}")
    console().print(table)
