"""kb duplicates, sources, changelog: keep a corpus from telling an event twice, from growing old, and from changing
unsaid."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from kb import corpus as files
from kb.cli.opening import console
from kb.data_changes import data_changes, markdown
from kb.errors import DataError, InvalidValue, NotFound
from kb.model import ReadExtent
from kb.nearest import nearest
from kb.questions import GetIncident, ask
from kb.settings import Settings
from kb.source_ages import SourceAge, source_ages
from kb.twins import Twin, twins

AS_JSON = typer.Option("--json", help="Print as JSON.")
#: Sources shown one by one; all of them are in the JSON.
SHOWN = 20


def register(app: typer.Typer) -> None:
    app.command("duplicates")(duplicates)
    app.command("sources")(sources)
    app.command("changelog")(changelog)


def duplicates(
    id: Annotated[str | None, typer.Argument(help="Only pairs with this case.")] = None,
    as_json: Annotated[bool, AS_JSON] = False,
) -> None:
    """Pairs of cases that may tell one event twice and are not related to each other.

    Exit status: 0 none, 1 some, 2 wrong usage.
    """
    incidents = [case.incident for case in _whole(Settings().data_roots).cases]
    titles = {incident.id: incident.title.en or incident.title.ko or "" for incident in incidents}
    case_id = None if id is None else ask(GetIncident, {"id": id.upper()}).id
    if case_id is not None and case_id not in titles:
        raise NotFound(f"There is no case {case_id}.", field="id", nearest=nearest(case_id, titles))
    found = twins(incidents, case_id)
    if as_json:
        typer.echo(json.dumps([asdict(pair) for pair in found], indent=1))
    else:
        for pair in found:
            typer.echo(f"{pair.first} {titles[pair.first]}\n{pair.second} {titles[pair.second]}\n  {_why(pair)}\n")
        pairs = f"{len(found)} pair{'s' * (len(found) != 1)}"
        typer.echo(f"{pairs}. If two tell one event, relate them (`same-event`) or withdraw one.")
    raise typer.Exit(1 if found else 0)


def _whole(roots: tuple[Path, ...]) -> files.Corpus:
    """What the data roots hold; a case that cannot be read would be told as removed, or as no duplicate."""
    found = files.read(roots)
    if found.unread:
        one = found.unread[0]
        raise DataError(
            f"{len(found.unread)} file{'s' * (len(found.unread) > 1)} cannot be read: "
            f"{one.path.name}: {one.faults[0].message}",
            next_step="`kb validate` lists all faults; data of another version of the library may need that version.",
        )
    return found


def _why(pair: Twin) -> str:
    reasons = [f"likeness {pair.likeness:.1f} of 10"]
    reasons += ["same organisation"] if pair.same_org else []
    reasons += [f"{pair.days} day{'s' * (pair.days != 1)} apart"] if pair.days is not None else []
    return ", ".join([*reasons, *(f"both cite {address}" for address in pair.addresses)])


def sources(
    older_than: Annotated[int, typer.Option(min=0, help="Only sources last opened at least so many days ago.")] = 0,
    as_json: Annotated[bool, AS_JSON] = False,
) -> None:
    """How long ago each source was opened and compared with its case, the longest ago first."""
    incidents = [case.incident for case in _whole(Settings().data_roots).cases]
    ages = [age for age in source_ages(incidents, datetime.now(UTC).date()) if age.days >= older_than]
    if as_json:
        typer.echo(json.dumps([asdict(age) for age in ages], indent=1))
        return
    _draw(ages)


def _draw(ages: Sequence[SourceAge]) -> None:
    table = Table("days", "case", "source", "read", "archived", "address", box=box.SIMPLE, pad_edge=False)
    for age in ages[:SHOWN]:
        table.add_row(
            str(age.days),
            age.case,
            f"{age.source} {age.kind}",
            age.read,
            "yes" if age.archived else "",
            escape(age.url),
        )
    out = console()
    out.print(table)
    part = sum(age.read is ReadExtent.part for age in ages)
    archived = sum(age.archived for age in ages)
    hosts = ", ".join(f"{host} {many}" for host, many in Counter(age.host for age in ages).most_common(8))
    said = f"{len(ages)} sources, {part} read in part, {archived} with an archived copy."
    out.print(escape(f"{said} Most from: {hosts}." if hosts else said))


def changelog(
    before: Annotated[Path, typer.Argument(help="The data folder as it was, such as one unpacked from `git archive`.")],
    as_json: Annotated[bool, AS_JSON] = False,
) -> None:
    """What changed in the data since another state of it, as a section of a changelog."""
    if not (before / "incidents").is_dir():
        raise InvalidValue(
            f"`{before}` holds no folder `incidents`.", field="before",
            next_step="`git archive v0.1.0 data | tar -x -C /tmp` unpacks a former state into /tmp/data.",
        )  # fmt: skip
    changes = data_changes(_whole((before,)), _whole(Settings().data_roots))
    typer.echo(json.dumps(asdict(changes), ensure_ascii=False, indent=1) if as_json else markdown(changes), nl=as_json)
