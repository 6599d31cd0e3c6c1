"""kb check and kb replay: look at a real cluster, read-only; run the proofs."""

import json
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from kb import corpus
from kb.build import read_catalogue
from kb.checks.catalogue import Catalogue
from kb.checks.proofs import ProofRecord
from kb.checks.replay import record as record_proofs
from kb.checks.replay import run_replays
from kb.checks.report import Report, ReportedFinding, ReportedUnknown
from kb.checks.run import run_checks
from kb.cli.opening import console
from kb.cli.sources import open_sources
from kb.errors import NotFound
from kb.model import Kind, Lang
from kb.questions import Question, ask
from kb.settings import Settings

SAID = {
    Lang.en: {
        "since": "since", "like": "like", "next": "next", "unknown": "unknown", "na": "not applicable",
        "looked": "looked at {n} things with {c} checks", "skipped": "not run for lack of a source",
        "clear": "clear", "found": "found", "remedy": "to see it",
    },
    Lang.ko: {
        "since": "시작", "like": "비슷한 사례", "next": "다음", "unknown": "알 수 없음", "na": "해당 없음",
        "looked": "검사 {c}개로 대상 {n}개를 살펴봄", "skipped": "소스가 없어 돌리지 않음",
        "clear": "이상 없음", "found": "발견", "remedy": "보이게 하려면",
    },
}  # fmt: skip


def register(app: typer.Typer) -> None:
    app.command("check")(check)
    app.command("replay")(replay)


def check(
    prometheus: Annotated[
        str | None, typer.Option(help="Address of Prometheus or anything that speaks its API.")
    ] = None,
    logs: Annotated[list[str] | None, typer.Option(help="A log file (.gz too), or `-`; repeatable.")] = None,
    case: Annotated[str | None, typer.Option("--for", help="Only the checks that would have caught this case.")] = None,
    component: Annotated[str | None, typer.Option(help="Only the checks that concern this component.")] = None,
    select: Annotated[list[str] | None, typer.Option("--check", help="Only this check; repeatable.")] = None,
    header: Annotated[
        list[str] | None, typer.Option(help="HTTP header for Prometheus, `Name: value`; repeatable.")
    ] = None,
    lang: Annotated[str | None, typer.Option(help="Language: en or ko.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Look at a real cluster, read-only: which of the library's incidents are under way there?

    Exit status: 0 all clear, 1 something found, 2 wrong usage, 3 nothing found but something unknown.
    """
    language = ask(Question, {"lang": lang}).lang
    settings = Settings()
    catalogue = read_catalogue(settings)
    chosen = _chosen(catalogue, settings, case, component, select)
    sources = open_sources(prometheus=prometheus, logs=logs, headers=header)
    version = corpus.read(settings.data_roots).data_version
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        row = bar.add_task("checks")
        report = run_checks(
            catalogue, sources, data_version=version, checks=chosen, started=_started(prometheus),
            progress=lambda name, done, of: bar.update(row, description=name, completed=done, total=of),
        )  # fmt: skip
    if as_json:
        typer.echo(json.dumps(report.as_dict(language), ensure_ascii=False, indent=1))
    else:
        draw(console(), report, language)
    raise typer.Exit(report.exit_status)


def _started(prometheus: str | None) -> str | None:
    """Logs have no clock of their own; a Prometheus has, and its clock is the one that counts."""
    return None if prometheus else datetime.now(UTC).isoformat(timespec="seconds")


def _chosen(
    catalogue: Catalogue,
    settings: Settings,
    case: str | None,
    component: str | None,
    select: list[str] | None,
) -> list[str] | None:
    """The checks asked for by name, case or component; nothing where all are meant.

    Raises:
        NotFound: no check answers to that.
    """
    chosen = list(select or ())
    if case:
        linked = sorted({link.check for link in catalogue.links if link.case == case.upper()})
        if not linked:
            raise NotFound(
                f"No check is linked to case {case.upper()} yet.",
                field="for",
                next_step="`kb show` tells more about the case; `kb checks` lists all checks.",
            )
        chosen += linked
    if component:
        files = corpus.read(settings.data_roots)
        slug = files.vocabulary.require(Kind.components, component, field="component").slug
        carrying = {c.incident.id for c in files.served if slug in c.incident.components}
        found = [
            check for check, card in catalogue.cards.items()
            if slug in card.catches or carrying & set(catalogue.cases(check))
        ]  # fmt: skip
        if not found:
            raise NotFound(f"No check concerns the component `{slug}` yet.", field="component")
        chosen += found
    return sorted(set(chosen)) or None


def draw(out: Console, report: Report, lang: Lang) -> None:
    """Findings first, then what could not be seen and why, then how much was looked at."""
    said = SAID[lang]
    for finding in report.findings:
        _finding(out, finding, lang)
    for item in report.unknown:
        _unknown(out, item, lang)
    for name, reason in report.not_applicable:
        out.print(f"[dim]– {said['na']}  {name}: {escape(reason.say(lang)[0])}[/]")
    for name, count in report.looked_at.items():
        if str(report.answers[name]) == "clear":
            out.print(f"✓ {said['clear']}  {name} ({count})")
    out.print(said["looked"].format(n=report.looked_at_total, c=len(report.answers)))
    for kind, names in report.skipped.items():
        out.print(f"[dim]{said['skipped']} ({kind}): {len(names)}[/]")


def _finding(out: Console, item: ReportedFinding, lang: Lang) -> None:
    said, evidence = SAID[lang], item.finding.evidence
    out.print(
        f"[bold red]! {said['found']}[/]  [bold]{escape(item.message.say(lang)[0])}[/]  ({item.check}, {item.severity})"
    )
    if evidence.line:
        out.print(f"    {escape(evidence.file)}:{evidence.line_number}: {escape(evidence.line)}", soft_wrap=True)
    elif evidence.value is not None:
        out.print(f"    {evidence.value:g} {evidence.unit} ({escape(evidence.threshold)})")
    if item.finding.since:
        out.print(f"    {said['since']}: {item.finding.since}")
    if item.cases:
        out.print(f"    {said['like']}: {', '.join(item.cases)}")
    detail = item.next_step_detail.say(lang)[0] if item.next_step_detail else ""
    out.print(f"    {said['next']}: {item.next_step}. {escape(detail)}")


def _unknown(out: Console, item: ReportedUnknown, lang: Lang) -> None:
    said, remark = SAID[lang], item.unknown
    places = "; ".join(", ".join(place.values()) for place in remark.where)
    out.print(f"[bold yellow]? {said['unknown']}[/]  {item.check}: {escape(remark.reason.say(lang)[0])}")
    if places:
        out.print(f"    {escape(places)}" + (f" … ({remark.count})" if remark.count > len(remark.where) else ""))
    out.print(f"    {said['remedy']}: {escape(remark.remedy.say(lang)[0])}")


def replay(
    names: Annotated[list[str] | None, typer.Argument(help="Check ids or case ids; default: all.")] = None,
    record: Annotated[bool, typer.Option("--record", help="Write the outcomes to data/proofs.json.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON.")] = False,
) -> None:
    """Run the proofs: every replay must give the answer that it must give. Exit status 1 if one does not."""
    settings = Settings()
    catalogue = read_catalogue(settings)
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        row = bar.add_task("replays")
        records = run_replays(
            catalogue, names or None, promtool=settings.promtool,
            progress=lambda name, done, of: bar.update(row, description=name, completed=done, total=of),
        )  # fmt: skip
    if names and not records:
        raise NotFound(f"No replay belongs to {', '.join(names)}.", next_step="`kb checks` lists all checks.")
    if record:
        record_proofs(catalogue, records, settings.data_roots[0] / "proofs.json")
    if as_json:
        typer.echo(json.dumps([r.model_dump(mode="json") for r in records], ensure_ascii=False, indent=1))
    else:
        _draw_proofs(console(), records)
    raise typer.Exit(0 if all(r.passes for r in records) else 1)


def _draw_proofs(out: Console, records: list[ProofRecord]) -> None:
    for item in records:
        fired = f" · {item.fired_at:g} s" if item.fired_at is not None else ""
        mark = "✓" if item.passes else "[bold red]✗[/]"
        out.print(f"{mark} {item.check} {item.replay} · {item.actual}{fired}  {escape(item.why_not)}")
    passed = sum(item.passes for item in records)
    out.print(f"{passed} of {len(records)} replays pass ({', '.join(sorted({item.tool for item in records}))})")
