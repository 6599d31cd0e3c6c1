"""kb check and kb replay: look at a real cluster, read-only; run the proofs."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from kb import corpus
from kb.build import read_catalogue
from kb.checks.accepting import Baseline, accept, read_baseline
from kb.checks.card import Severity
from kb.checks.catalogue import Catalogue
from kb.checks.proofs import ProofRecord
from kb.checks.replay import record as record_proofs
from kb.checks.replay import run_replays
from kb.checks.report import Report
from kb.checks.report_markdown import markdown
from kb.checks.run import Progress as RunProgress
from kb.checks.run import Sources, run_checks
from kb.checks.sarif import sarif
from kb.checks.site import Site, read_site
from kb.cli import options
from kb.cli.heat import draw_heat
from kb.cli.opening import console, one_row
from kb.cli.reporting import draw
from kb.cli.sources import open_sources
from kb.errors import InvalidValue, NotFound
from kb.model import Kind, Lang
from kb.nearest import nearest
from kb.questions import Question, ask
from kb.settings import Settings


def register(app: typer.Typer) -> None:
    app.command("check")(check)
    app.command("replay")(replay)


def check(
    prometheus: options.PrometheusAddress = None,
    kube: options.KubeContext = None,
    host: options.Host = None,
    logs: options.Logs = None,
    steps: options.Steps = None,
    steps_unit: options.StepsUnit = None,
    standing: options.Standing = False,
    case: options.ForCase = None,
    component: options.Component = None,
    select: options.CheckIds = None,
    header: options.Header = None,
    config: options.Config = None,
    baseline: options.BaselineFile = None,
    fail_on: options.FailOn = None,
    lang: options.Language = None,
    as_json: options.AsJson = False,
    as_markdown: options.AsMarkdown = False,
    as_sarif: options.AsSarif = False,
) -> None:
    """Look at a real cluster, read-only: which of the library's incidents are under way there?

    Exit status: 0 all clear, 1 something found, 2 wrong usage, 3 nothing found but something unknown.
    """
    language = ask(Question, {"lang": lang}).lang
    form = _form(as_json, as_markdown, as_sarif)
    settings = Settings()
    catalogue = read_catalogue(settings)
    site = read_site(config, catalogue) if config else Site()
    known = read_baseline(baseline) if baseline else None
    chosen = chosen_checks(catalogue, settings, case, component, select)
    sources = open_sources(
        site, prometheus=prometheus, kube=kube, host=host, logs=logs, steps=steps, steps_unit=steps_unit,
        standing=standing, headers=header,
    )  # fmt: skip
    with one_row("checks") as progress:
        report = look(
            catalogue, settings, sources, chosen, site, baseline=known, fail_on=fail_on, progress=progress
        )  # fmt: skip
    if form is None:
        _drawn(report, sources, language)
    else:
        typer.echo(form(report, catalogue, language, settings.base_url))
    raise typer.Exit(report.exit_status)


def _drawn(report: Report, sources: Sources, lang: Lang) -> None:
    draw(console(), report, lang)
    if sources.steps is not None and report.findings:
        draw_heat(console(), sources.steps, lang)


Form = Callable[[Report, Catalogue, Lang, str], str]


def _form(as_json: bool, as_markdown: bool, as_sarif: bool) -> Form | None:
    if as_json + as_markdown + as_sarif > 1:
        raise InvalidValue("Ask for one form: --json, --markdown or --sarif.", field="json")
    if as_json:
        return lambda report, _, lang, __: json.dumps(report.as_dict(lang), ensure_ascii=False, indent=1)
    if as_markdown:
        return lambda report, _, lang, base_url: markdown(report, lang, base_url).rstrip()
    if as_sarif:
        return lambda report, catalogue, lang, base_url: json.dumps(
            sarif(report, catalogue.cards, lang, base_url), ensure_ascii=False, indent=1
        )
    return None


def look(
    catalogue: Catalogue,
    settings: Settings,
    sources: Sources,
    chosen: list[str] | None,
    site: Site,
    *,
    baseline: Baseline | None = None,
    fail_on: Severity | None = None,
    progress: RunProgress | None = None,
) -> Report:
    """One run as a site wants it: its knobs, what it has accepted, and the least severity that counts.

    Knobs of checks that are not run this time are left aside.
    """
    report = run_checks(
        catalogue, sources, data_version=corpus.read(settings.data_roots).data_version, checks=chosen,
        knobs={check: values for check, values in site.knobs.items() if chosen is None or check in chosen},
        started=None if sources.prometheus else datetime.now(UTC).isoformat(timespec="seconds"), progress=progress,
    )  # fmt: skip
    report = replace(report, fail_on=fail_on or site.fail_on)
    return accept(report, ignore=site.ignore, baseline=baseline, today=datetime.now(UTC).date().isoformat())


def chosen_checks(
    catalogue: Catalogue,
    settings: Settings,
    case: str | None,
    component: str | None,
    select: list[str] | None,
) -> list[str] | None:
    """The checks asked for by name, case or component; nothing where all are meant.

    Raises:
        NotFound: no such case, or no check answers to that.
    """
    chosen = list(select or ())
    if case:
        linked = sorted({link.check for link in catalogue.links if link.case == case.upper()})
        if not linked:
            _require_case(settings, case.upper())
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


def _require_case(settings: Settings, case_id: str) -> None:
    ids = [case.incident.id for case in corpus.read(settings.data_roots).cases]
    if case_id not in ids:
        raise NotFound(
            f"There is no case {case_id}.",
            field="for",
            nearest=nearest(case_id, ids),
            next_step="`kb search` finds cases by what is seen.",
        )


def replay(
    names: Annotated[list[str] | None, typer.Argument(help="Check ids or case ids; default: all.")] = None,
    record: Annotated[bool, typer.Option("--record", help="Write the outcomes to data/proofs.json.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON.")] = False,
) -> None:
    """Run the proofs: every replay must give the answer that it must give. Exit status 1 if one does not."""
    settings = Settings()
    catalogue = read_catalogue(settings)
    with one_row("replays") as progress:
        records = run_replays(catalogue, names or None, promtool=settings.promtool, progress=progress)
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
