"""One side of the comparison on a simulated cluster, in a process of its own so that its memory is its own.

`python -m tests.bench.looking checks URL` runs all PromQL checks. `… pandas URL SECONDS` is the peer: it loads the last
hour of every metric that those checks read and the server has, as prometheus-api-client does it (one query a metric,
raw samples, `MetricRangeDataFrame`), lets each frame go before the next, and judges one rule, that of
`gpu/temperature_high`. It stops after SECONDS. Each prints one JSON object.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import httpx

from kb.checks.blind_spots import metrics_of, metrics_there
from kb.checks.card import SourceName
from kb.checks.catalogue import Catalogue
from kb.checks.run import Sources, run_checks
from kb.checks.sources.prometheus import PrometheusHttp

if TYPE_CHECKING:
    import requests

RULE, METRIC, LABELS = "gpu/temperature_high", "DCGM_FI_DEV_GPU_TEMP", ["hostname", "gpu", "UUID"]
CELSIUS, NO_VALUE, MINUTES = 85, 200, 10
HOUR = timedelta(hours=1)


@dataclass
class Side:
    """What one side took and found. Sizes are of the JSON as it is read, after unpacking."""

    wall: float = 0.0
    queries: int = 0
    received: int = 0
    memory: float = 0.0
    """Megabytes of this process at most."""
    metrics: int = 0
    of: int = 0
    """How many metrics there are to load."""
    samples: int = 0
    found: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    """Check → places; of the peer only the one rule."""
    clear: int = 0


class Counted(PrometheusHttp):
    """A server whose answers are counted."""

    def __init__(self, url: str, side: Side) -> None:
        super().__init__(url, timeout=120)
        self._side = side
        self._client.event_hooks = {"response": [self._count]}

    def _count(self, response: httpx.Response) -> None:
        response.read()
        self._side.queries += 1
        self._side.received += len(response.content)


def checks(url: str) -> Side:
    side, catalogue = Side(), Catalogue.load()
    chosen = [check for check, card in catalogue.cards.items() if card.kind is SourceName.prometheus]
    source = Counted(url, side)
    began = time.perf_counter()
    report = run_checks(catalogue, Sources(prometheus=source), data_version="bench", checks=chosen, deadline=300)
    side.wall = time.perf_counter() - began
    source.close()
    for item in report.findings:
        side.found.setdefault(item.check, []).append(dict(item.finding.where))
    side.clear = list(report.answers.values()).count("clear")
    return side


def pandas(url: str, seconds: float) -> Side:
    """
    Raises:
        ImportError: the peer is not installed.
    """
    from prometheus_api_client import MetricRangeDataFrame, PrometheusConnect

    side, source = Side(), PrometheusHttp(url)
    names = sorted(metrics_there(source, metrics_of(Catalogue.load())), key=lambda name: name != METRIC)
    source.close()
    client = PrometheusConnect(url)
    client._session.hooks["response"].append(_counting(side))
    side.of, began, now = len(names), time.perf_counter(), datetime.now(UTC)
    for name in names:
        if time.perf_counter() - began > seconds:
            break
        frame = MetricRangeDataFrame(client.get_metric_range_data(name, start_time=now - HOUR, end_time=now))
        side.metrics, side.samples = side.metrics + 1, side.samples + len(frame)
        if name == METRIC:
            late = frame[(frame.index > frame.index.max() - timedelta(minutes=MINUTES)) & (frame["value"] < NO_VALUE)]
            mean = late.groupby(LABELS)["value"].mean()
            side.found[RULE] = [dict(zip(LABELS, map(str, key), strict=True)) for key in mean[mean >= CELSIUS].index]
        del frame
    side.wall = time.perf_counter() - began
    return side


def _counting(side: Side) -> "Callable[..., None]":
    def count(response: "requests.Response", **_: object) -> None:
        side.queries += 1
        side.received += len(response.content)

    return count


def main(arguments: list[str]) -> None:
    what, url, *rest = arguments
    side = checks(url) if what == "checks" else pandas(url, float(rest[0]))
    side.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(asdict(side)))


if __name__ == "__main__":
    main(sys.argv[1:])
