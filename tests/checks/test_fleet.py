"""Every injected fault of a simulated cluster is found in a real Prometheus, and nothing else is."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kb import yaml_text
from kb.checks.card import SourceName
from kb.checks.catalogue import Catalogue
from kb.checks.report import Report
from kb.checks.rules import rule_groups
from kb.checks.run import Sources, run_checks
from kb.checks.sources.prometheus import PrometheusHttp
from tests.fleet.faults import faults
from tests.fleet.prometheus import Fleet
from tests.fleet.series import cluster

CATALOGUE = Catalogue.load()
PROMQL = sorted(check for check, card in CATALOGUE.cards.items() if card.kind is SourceName.prometheus)
ROOT = Path(__file__).resolve().parents[2]
#: CI takes a smaller cluster and fewer days, for the sake of its time; faults need a hundred nodes.
NODES = int(os.environ.get("KB_FLEET_NODES", "512"))
MINUTES, FAULT_MINUTE = 135, 75
LONG_NODES, LONG_MINUTES = 8, int(os.environ.get("KB_FLEET_DAYS", "8")) * 24 * 60


def look(fleet: Fleet) -> Report:
    with closing(PrometheusHttp(fleet.url)) as source:
        return run_checks(CATALOGUE, Sources(prometheus=source), data_version="t", checks=PROMQL)


def evaluated(fleet: Fleet) -> list[dict[str, Any]]:
    """Every exported rule, after the server has evaluated it."""
    until = time.monotonic() + 240
    while True:
        rules = [rule for group in fleet.get("rules")["groups"] for rule in group["rules"]]
        if all(rule["health"] != "unknown" for rule in rules):
            return rules
        assert time.monotonic() < until, "the rules were not evaluated in time"
        time.sleep(1)  # the server needs the processor more than the question


def dashboard_queries() -> list[str]:
    dashboard = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text(encoding="utf-8"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]


def told(report: Report) -> dict[str, list[dict[str, str]]]:
    out: dict[str, list[dict[str, str]]] = {}
    for item in report.findings:
        out.setdefault(item.check, []).append(dict(item.finding.where))
    return out


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path_factory.mktemp("fleet"))
    fleet.fill(cluster(NODES), MINUTES, list(faults()), FAULT_MINUTE)
    fleet.start()
    yield fleet
    fleet.stop()


def test_every_injected_fault_is_found_and_nothing_else(faulty: Fleet) -> None:
    report = look(faulty)
    found = told(report)
    wanted = [(fault.name, check, where) for fault in faults() for check, where in fault.found.items()]
    missed = [
        (name, check)
        for name, check, where in wanted
        if not any(where.items() <= place.items() for place in found.get(check, []))
    ]
    assert missed == []
    allowed = {check for fault in faults() for check in fault.may}
    assert set(found) - {check for _, check, _ in wanted} - allowed == set()
    assert {check: len(places) for check, places in found.items() if len(places) > 1} == {}
    assert report.looked_at["gpu/temperature_high"] >= NODES * 8 - 16


def test_a_healthy_cluster_is_clear_and_what_it_does_not_export_is_unknown(tmp_path: Path) -> None:
    # Rules append at the present, which must lie behind the data.
    fleet = Fleet(tmp_path, ends=int(time.time()) // 60 * 60)
    fleet.fill(cluster(16), MINUTES)
    fleet.start(yaml_text.dump(rule_groups(CATALOGUE)))
    try:
        report = look(fleet)
        rules = evaluated(fleet)
        shown = [fleet.get("query", query=query)["result"] for query in dashboard_queries()]
    finally:
        fleet.stop()
    assert {rule["name"]: rule.get("lastError") for rule in rules if rule["health"] != "ok"} == {}
    firing = {alert["labels"]["kb_check"] for rule in rules for alert in rule.get("alerts", [])
              if not rule["name"].endswith("Blind") and alert["state"] == "firing"}  # fmt: skip
    assert firing == set()
    assert len(shown) >= 20
    assert any(shown)
    assert told(report) == {}
    assert report.answers["gpu/temperature_high"] == "clear"
    assert report.answers["workload/jupyterhub_starts_failing"] == "unknown"
    assert report.exit_status == 3


def test_faults_a_day_old_are_still_found_by_rules_with_long_windows(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    old = [fault for fault in faults() if fault.name == "gpu-lost"]
    old += [replace(fault, labels={**fault.labels, "instance": "gpu-0002:9100"}) for fault in faults()
            if fault.name in ("port-down", "half-rate")]  # fmt: skip
    fleet.fill(cluster(LONG_NODES, slim=True), LONG_MINUTES, old, LONG_MINUTES - 20 * 60)
    fleet.start()
    try:
        found = told(look(fleet))
    finally:
        fleet.stop()
    assert {"gpu/count_drop", "fabric/ib_port_down", "fabric/ib_rate_degraded"} <= set(found)
