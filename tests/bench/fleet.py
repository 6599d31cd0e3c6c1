"""A whole run of the PromQL checks against a real Prometheus with a simulated cluster, beside loading the same series.

The peer is what a script does that has no engine to ask: prometheus-api-client and pandas, see `looking`. It is not
needed for anything else and installed apart: `pip install --require-hashes -r requirements-bench.lock`.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench import report
from tests.bench.looking import RULE, Side
from tests.fleet.faults import faults
from tests.fleet.prometheus import Fleet
from tests.fleet.series import cluster

MINUTES, FAULT_MINUTE = 135, 75
#: Samples in a block. More, and promtool would hold more than six gigabytes; of 512 nodes all are in one.
SHARD = 20_000_000
#: Seconds for the server to join several blocks, for one run of the checks, and for the peer.
SETTLED, LOOKED, LOADED = 240, 600, 120
MISSING = "not installed: pip install --require-hashes -r requirements-bench.lock"
COLUMNS = ("wall s", "queries", "received MB", "server CPU s", "of its cores", "own peak MB")


def run(*sizes: int) -> None:
    report.heading("PromQL checks against a real Prometheus (simulated cluster, 8 GPUs and 9 adapters a node)")
    for nodes in sizes:
        with tempfile.TemporaryDirectory(prefix="bench-fleet-") as folder:
            fleet = Fleet(Path(folder), shard_samples=SHARD)
            began = time.perf_counter()
            fleet.fill(cluster(nodes), MINUTES, list(faults()) if nodes > 100 else (), FAULT_MINUTE)
            filled = time.perf_counter() - began
            fleet.start()
            try:
                settled = fleet.shards == 1 or fleet.settle(SETTLED)
                joined = time.perf_counter() - began - filled
                report.line(
                    f"{nodes} nodes: samples, filled in, blocks joined in", f"{fleet.samples}", f"{filled:.0f} s",
                    f"{joined:.0f} s" if settled else "not yet",
                )  # fmt: skip
                _compare(fleet)
            finally:
                fleet.stop()


def _compare(fleet: Fleet) -> None:
    report.line("", *COLUMNS)
    checks = _side(fleet, "  all PromQL checks", "checks", fleet.url)
    pandas = None
    if importlib.util.find_spec("prometheus_api_client") and importlib.util.find_spec("pandas"):
        name = "  prometheus-api-client + pandas, last hour"
        pandas = _side(fleet, name, "pandas", fleet.url, str(LOADED))
    else:
        print(f"    prometheus-api-client + pandas: {MISSING}")
    report.line("  Prometheus at most", f"{fleet.memory_peak():.0f} MB")
    injected = {check for fault in faults() for check in fault.found}
    if checks.found:
        allowed = {check for fault in faults() for check in fault.may}
        right = len(checks.found.keys() & injected)
        of_told = right / len(checks.found.keys() - (allowed - injected))
        report.line("  precision, recall over injected faults", f"{of_told:.3f}", f"{right / len(injected):.3f}")
    report.line("  found, clear", f"{len(checks.found)}", f"{checks.clear}")
    if pandas is not None:
        report.line("  peer: metrics loaded, samples", f"{pandas.metrics} of {pandas.of}", f"{pandas.samples}")
        same = checks.found.get(RULE, []) == pandas.found.get(RULE, [])
        report.line(f"  peer: {RULE}, the same places", "yes" if same else "no")


def _side(fleet: Fleet, name: str, *arguments: str) -> Side:
    """Run one side in a process of its own and print what it took."""
    spent = fleet.cpu_seconds()
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench.looking", *arguments],
        capture_output=True, text=True, check=True, timeout=LOOKED,
    )  # fmt: skip
    spent = fleet.cpu_seconds() - spent
    side = Side(**json.loads(ran.stdout))
    share = 100 * spent / side.wall / (os.cpu_count() or 1)
    report.line(name, f"{side.wall:.1f}", f"{side.queries}", f"{side.received / 1e6:.1f}", f"{spent:.1f}",
                f"{share:.0f} %", f"{side.memory:.0f}")  # fmt: skip
    return side
