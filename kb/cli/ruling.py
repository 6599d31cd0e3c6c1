"""kb rules: the PromQL checks as rules for the Prometheus that is already there."""

from typing import Annotated

import typer

from kb import yaml_text
from kb.build import read_catalogue
from kb.checks.rules import as_object, inhibit_rules, rule_groups
from kb.checks.site import Site, read_site
from kb.cli import options
from kb.errors import InvalidValue
from kb.questions import Question, ask
from kb.settings import Settings


def register(app: typer.Typer) -> None:
    app.command("rules")(rules)


def rules(
    select: options.CheckIds = None,
    config: options.Config = None,
    lang: options.Language = None,
    as_kubernetes: Annotated[
        bool, typer.Option("--object", help="As a PrometheusRule object for the operator.")
    ] = False,
    inhibit: Annotated[
        bool, typer.Option("--inhibit", help="Print inhibition rules for Alertmanager instead.")
    ] = False,
) -> None:
    """Print alerting and recording rules, with the cases they would have caught; `promtool check rules` accepts them.

    KB_BASE_URL makes the annotations link to the pages of checks and cases.
    """
    if as_kubernetes and inhibit:
        raise InvalidValue(
            "Inhibition rules belong to Alertmanager's own file; ask for one of the two.", field="object"
        )
    language = ask(Question, {"lang": lang}).lang
    settings = Settings()
    catalogue = read_catalogue(settings)
    site = read_site(config, catalogue) if config else Site()
    if inhibit:
        typer.echo(yaml_text.dump({"inhibit_rules": inhibit_rules(catalogue, select, site)}).rstrip())
        return
    groups = rule_groups(catalogue, select, site=site, lang=language, base_url=settings.base_url)
    typer.echo(yaml_text.dump(as_object(groups) if as_kubernetes else groups).rstrip())
