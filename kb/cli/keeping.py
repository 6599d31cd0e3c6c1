"""kb serve, mcp, build, validate, fmt: keep the library and hand it out."""

import json
import logging
import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from kb import corpus
from kb.build import build as make_build
from kb.build import read_catalogue
from kb.checks.catalogue import CatalogueFaults
from kb.checks.site import Site, read_site
from kb.cli import options
from kb.cli.opening import console, is_fresh, watched
from kb.errors import InvalidValue
from kb.settings import Settings
from kb.validate import Level, findings, unread_checks


def register(app: typer.Typer) -> None:
    for command in (serve, mcp, build, validate, fmt):
        app.command(command.__name__)(command)


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes; each holds the library in memory.")] = 1,
) -> None:
    """Build what is missing and serve website, REST API and MCP."""
    from kb import serving

    settings = Settings()
    with watched() as report:
        stamp = make_build(settings, report)
    here = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{port}"  # noqa: S104 (named, not bound)
    typer.echo(f"Incident Library, data version {stamp.data_version}, on {here}")
    typer.echo(f"  website   {here}/")
    typer.echo(f"  REST      curl '{here}/api/v1/search?symptoms=training+hangs+without+an+error'")
    typer.echo(f"  MCP       {here}/mcp")
    serving.run(settings, host, port, workers)


def mcp(
    checks: Annotated[
        bool, typer.Option("--checks", help="Offer run_checks and blind_spots over the sources named here.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --checks: look without asking before each run.")] = False,
    prometheus: options.PrometheusAddress = None,
    kube: options.KubeContext = None,
    host: options.Host = None,
    logs: options.Logs = None,
    header: options.Header = None,
    config: options.Config = None,
) -> None:
    """Serve MCP over standard input and output, for an assistant on this machine."""
    from kb.mcp_server import stdio

    settings = Settings()
    sources = (prometheus, kube, host, logs, header, config)
    if not checks and (yes or any(value is not None for value in sources)):
        raise InvalidValue("Sources and `--yes` mean something only together with `--checks`.", field="checks")
    machine = None
    if checks:
        from kb.cli.machine import Given, OwnMachine

        given = Given(prometheus=prometheus, kube=kube, host=host, logs=logs or (), headers=header or ())
        site = read_site(config, read_catalogue(settings)) if config else Site()
        machine = OwnMachine(settings, site, given)
    logging.getLogger().setLevel(logging.WARNING)
    # The build runs behind, so that an assistant gets its list of tools at once, and answers if there is an older one.
    say = None if is_fresh(settings) else partial(typer.echo, err=True)
    stdio.serve(settings, lambda: make_build(settings), machine, consented=yes, say=say)


def build() -> None:
    """Build tables and indexes from the files, and serve them from now on."""
    with watched() as report:
        stamp = make_build(Settings(), report, read_all=True)
    typer.echo(f"{stamp.data_version}  {stamp.build}  ({stamp.model})")


def validate(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Errors only.")] = False,
) -> None:
    """Judge every file by every rule; print all findings with file, line, field and mend."""
    settings = Settings()
    files = corpus.read(settings.data_roots)
    try:
        found = findings(files, read_catalogue(settings))
    except CatalogueFaults as faults:
        found = sorted([*findings(files, None), *unread_checks(faults)])
    errors = [finding for finding in found if finding.level is Level.error]
    shown = errors if quiet else found
    if as_json:
        typer.echo(json.dumps([finding.as_dict() for finding in shown], ensure_ascii=False, indent=1))
    else:
        for finding in shown:
            console().print(str(finding), markup=False, soft_wrap=True)
        typer.echo(f"{len(files.cases)} cases, {len(errors)} errors, {len(found) - len(errors)} warnings")
    raise typer.Exit(1 if errors else 0)


def fmt(
    files: Annotated[list[Path] | None, typer.Argument(help="Case files; default: all of the data roots.")] = None,
) -> None:
    """Rewrite case files in their canonical form; the meaning stays as it is."""
    from kb.fmt import format_file

    chosen = files or [p for root in Settings().data_roots for p in sorted((root / "incidents").glob("*.yaml"))]
    for path in chosen:
        if not path.is_file():
            raise InvalidValue(f"`{path}` is not a file.", field="files")
        if format_file(path):
            typer.echo(os.fspath(path))
