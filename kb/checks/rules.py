"""The PromQL checks as rules for the Prometheus that is already there (`kb rules`).

For each check an alert; for each check that knows what it ought to see, a second alert for what it cannot see,
because an alert whose series are gone is silent; and a recorded count of the things it looked at. Where exporters have
renamed a metric, both names are asked. Nothing is evaluated here: `promtool check rules` accepts the file.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from kb import links
from kb.checks.card import CheckCard, Rule, Severity, alert_name
from kb.checks.catalogue import Catalogue
from kb.checks.knobs import settle
from kb.checks.promql import fill, rename
from kb.checks.report import PLACEHOLDER
from kb.checks.site import Site
from kb.errors import InvalidValue
from kb.model import Lang

LOOKED_AT = "kb:check_looked_at:count"
#: How long something must be out of sight before anybody is told: longer than a restart of an exporter.
BLIND_FOR = "15m"
#: Labels that stand for a place when a message says `{place}`, the first that the rule has.
PLACES = ("host", "hostname", "node", "instance")


def rule_groups(
    catalogue: Catalogue,
    checks: Collection[str] | None = None,
    *,
    site: Site | None = None,
    lang: Lang = Lang.en,
    base_url: str = "",
) -> dict[str, Any]:
    """The rule file as plain data: one group for each family.

    checks: ids; absent for every check with a rule.

    Raises:
        NotFound: no such check.
        InvalidValue: a named check that has no PromQL rule.
    """
    site = site or Site()
    families: dict[str, list[dict[str, Any]]] = {}
    for card in _chosen(catalogue, checks):
        family = card.id.partition("/")[0]
        families.setdefault(family, []).extend(_rules(catalogue, card, site, lang, base_url))
    return {"groups": [{"name": f"incident-library.{name}", "rules": rules} for name, rules in families.items()]}


def as_object(groups: Mapping[str, Any]) -> dict[str, Any]:
    """The same as a PrometheusRule of the Prometheus operator."""
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "incident-library", "labels": {"app.kubernetes.io/name": "incident-library"}},
        "spec": dict(groups),
    }


def inhibit_rules(catalogue: Catalogue, checks: Collection[str] | None = None, site: Site | None = None) -> list[Any]:
    """For Alertmanager: of two alerts about the same place with the same main symptom, the graver one is enough."""
    ranks: dict[tuple[str, tuple[str, ...]], set[Severity]] = {}
    labels = (site or Site()).labels
    for card in _chosen(catalogue, checks):
        if card.rule is not None:
            where = tuple(labels.get(name, name) for name in card.rule.where)
            ranks.setdefault((card.catches[0], where), set()).add(card.severity)
    out = []
    for (symptom, where), found in sorted(ranks.items()):
        for severity in sorted(found, key=lambda one: one.rank, reverse=True):
            lesser = "|".join(sorted(one.value for one in found if one.rank < severity.rank))
            if lesser:
                out.append(
                    {
                        "source_matchers": [f'kb_symptom="{symptom}"', f'severity="{severity.value}"'],
                        "target_matchers": [f'kb_symptom="{symptom}"', f'severity=~"{lesser}"'],
                        "equal": list(where),
                    }
                )
    return out


def _chosen(catalogue: Catalogue, checks: Collection[str] | None) -> list[CheckCard]:
    cards = [catalogue.folder(check).card for check in sorted(set(checks))] if checks else catalogue.cards.values()
    for card in cards:
        if checks and card.rule is None:
            raise InvalidValue(
                f"The check `{card.id}` reads {card.kind.value}, so that no PromQL rule can say it.",
                field="check",
                next_step=f"Run it with `kb check --check {card.id}`.",
            )
    return [card for card in cards if card.rule is not None]


def _rules(catalogue: Catalogue, card: CheckCard, site: Site, lang: Lang, base_url: str) -> list[dict[str, Any]]:
    rule = card.rule
    assert rule is not None
    write = _Writer(card, site)
    labels = {"severity": card.severity.value, "kb_check": card.id, "kb_symptom": card.catches[0]}
    alert: dict[str, Any] = {"alert": alert_name(card.id), "expr": write.expr(rule.expr)}
    if rule.hold:
        alert["for"] = rule.hold
    alert |= {"labels": labels, "annotations": _annotations(catalogue, card, rule, site, lang, base_url)}
    out = [alert]
    if rule.expected:
        looked, on = write.expr(rule.looked_at), ", ".join(site.labels.get(name, name) for name in rule.where)
        text = {Lang.en: "not seen by this check any more", Lang.ko: "이 검사가 더 이상 보지 못함"}[lang]
        out.append(
            {
                "alert": f"{alert_name(card.id)}Blind",
                "expr": f"({write.expr(rule.expected)}) unless on ({on}) ({looked} or {write.expr(rule.expr)})",
                "for": BLIND_FOR,
                "labels": {"severity": "info", "kb_check": card.id, "kb_symptom": "monitoring-blind-spot"},
                "annotations": {"summary": f"{card.title.say(lang)[0]}: {text}"} | _page(card, lang, base_url),
            }
        )
    out.append({"record": LOOKED_AT, "expr": f"count({write.expr(rule.looked_at)})", "labels": {"kb_check": card.id}})
    return out


class _Writer:
    """Expressions of one card with knobs, generations of names and the site's own names put in."""

    def __init__(self, card: CheckCard, site: Site) -> None:
        self._knobs = settle(card, site.knobs.get(card.id)).values
        renamed = [metric for metric in card.needs.metrics if metric.also]
        generations = max((len(metric.also) for metric in renamed), default=0)
        self._names: list[dict[str, str]] = [{}]
        for number in range(generations):
            self._names.append({metric.name: metric.also[min(number, len(metric.also) - 1)] for metric in renamed})
        self._site = {**site.labels, **site.metrics}

    def expr(self, text: str) -> str:
        filled = " ".join(fill(text, self._knobs).split())
        variants = dict.fromkeys(rename(rename(filled, names), self._site) for names in self._names)
        return next(iter(variants)) if len(variants) == 1 else " or ".join(f"({one})" for one in variants)


def _annotations(
    catalogue: Catalogue, card: CheckCard, rule: Rule, site: Site, lang: Lang, base_url: str
) -> dict[str, str]:
    cases = catalogue.cases(card.id)
    detail = f" {card.next_step_detail.say(lang)[0]}" if card.next_step_detail else ""
    said = {
        "summary": card.title.say(lang)[0],
        "description": _template(card.message.say(lang)[0], rule, site.labels),
        "next_step": f"{card.next_step.value}.{detail}",
    }
    if cases:
        said["cases"] = ", ".join(_case(case, lang, base_url) for case in cases)
    return {name: " ".join(text.split()) for name, text in said.items()} | _page(card, lang, base_url)


def _page(card: CheckCard, lang: Lang, base_url: str) -> dict[str, str]:
    return {"runbook_url": links.absolute(base_url, links.check(lang, card.id))} if base_url else {}


def _case(case: str, lang: Lang, base_url: str) -> str:
    return f"{case} {links.absolute(base_url, links.incident(lang, case))}" if base_url else case


def _template(message: str, rule: Rule, labels: Mapping[str, str]) -> str:
    """`{host}` as a Go template; the value with its unit."""

    def put(match: re.Match[str]) -> str:
        name = match[1]
        if name == "value":
            return "{{ $value | humanize }}" + (f" {rule.unit}" if rule.unit else "")
        if name == "place":
            name = _first(PLACES, rule.where)
        return f"{{{{ $labels.{labels.get(name, name)} }}}}"

    return PLACEHOLDER.sub(put, message)


def _first(names: Iterable[str], there: tuple[str, ...]) -> str:
    return next((name for name in names if name in there), there[0])
