"""A whole run of the PromQL checks against a real Prometheus with a simulated cluster, beside fetching the series.

The peer does what a script does that has no engine to ask: it fetches the last hour of every metric the checks need,
by range queries of one minute, into NumPy arrays, and has then judged nothing yet.
"""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np

from kb.checks.blind_spots import metrics_of, metrics_there
from kb.checks.card import SourceName
from kb.checks.catalogue import Catalogue
from kb.checks.run import Sources, run_checks
from kb.checks.sources.prometheus import PrometheusHttp
from tests.bench import report
from tests.fleet.faults import faults
from tests.fleet.prometheus import Fleet
from tests.fleet.series import cluster

MINUTES, FAULT_MINUTE = 135, 75


@dataclass
class Traffic:
    queries: int = 0
    received: int = 0

    def count(self, response: httpx.Response) -> None:
        response.read()
        self.queries += 1
        self.received += len(response.content)


class Counted(PrometheusHttp):
    """A server whose answers are counted."""

    def __init__(self, url: str, traffic: Traffic) -> None:
        super().__init__(url, timeout=120)
        self._client.event_hooks = {"response": [traffic.count]}


def run(*sizes: int) -> None:
    catalogue = Catalogue.load()
    report.heading("PromQL checks against a real Prometheus (simulated cluster, 8 GPUs and 9 adapters a node)")
    for nodes in sizes:
        with tempfile.TemporaryDirectory(prefix="bench-fleet-") as folder:
            fleet = Fleet(Path(folder))
            began = time.perf_counter()
            fleet.fill(cluster(nodes), MINUTES, list(faults()) if nodes > 100 else (), FAULT_MINUTE)
            report.line(
                f"{nodes} nodes: samples, filled in", f"{fleet.samples}", f"{time.perf_counter() - began:.0f} s"
            )
            fleet.start()
            try:
                _look(fleet, catalogue)
                _fetch(fleet, catalogue)
            finally:
                fleet.stop()


def _look(fleet: Fleet, catalogue: Catalogue) -> None:
    checks = [check for check, card in catalogue.cards.items() if card.kind is SourceName.prometheus]
    traffic, spent, began = Traffic(), fleet.cpu_seconds(), time.perf_counter()
    source = Counted(fleet.url, traffic)
    found = run_checks(catalogue, Sources(prometheus=source), data_version="bench", checks=checks, deadline=300)
    wall = time.perf_counter() - began
    source.close()
    report.line("  a whole run: wall, Prometheus' CPU", f"{wall:.1f} s", f"{fleet.cpu_seconds() - spent:.1f} s")
    report.line("  queries, received", f"{traffic.queries}", f"{traffic.received / 1e6:.1f} MB")
    injected = {check for fault in faults() for check in fault.found}
    told = {item.check for item in found.findings}
    if told:
        allowed = {check for fault in faults() for check in fault.may}
        right = len(told & injected)
        report.line("  precision, recall over injected faults", f"{right / len(told - (allowed - injected)):.3f}",
                    f"{right / len(injected):.3f}")  # fmt: skip
    answers = [str(answer) for answer in found.answers.values()]
    report.line("  found, clear", f"{answers.count('found')}", f"{answers.count('clear')}")


def _fetch(fleet: Fleet, catalogue: Catalogue) -> None:
    """The same metrics, fetched whole for an hour."""
    with PrometheusHttpClosing(fleet.url) as source:
        names = sorted(metrics_there(source, metrics_of(catalogue)))
    received, samples, spent, began = 0, 0, fleet.cpu_seconds(), time.perf_counter()
    end = int(time.time())
    for name in names:
        answer = httpx.get(f"{fleet.url}/api/v1/query_range", timeout=300,
                           params={"query": name, "start": end - 3600, "end": end, "step": 60})  # fmt: skip
        received += len(answer.content)
        for series in answer.json()["data"]["result"]:
            samples += np.array([float(value) for _, value in series["values"]]).size
    wall = time.perf_counter() - began
    report.line(
        "  peer, the last hour fetched: wall, CPU there", f"{wall:.1f} s", f"{fleet.cpu_seconds() - spent:.1f} s"
    )
    report.line("  its samples, received", f"{samples}", f"{received / 1e6:.0f} MB")


class PrometheusHttpClosing(PrometheusHttp):
    def __enter__(self) -> "PrometheusHttpClosing":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
