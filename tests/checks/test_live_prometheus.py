"""The same series in a real Prometheus, asked over HTTP: live and replay must agree."""

import re
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.checks.card import Answer, PrometheusSeries
from kb.checks.catalogue import Catalogue, ReplayFile
from kb.checks.contract import Outcome
from kb.checks.knobs import seconds, settle
from kb.checks.replay import asked_at, replayed
from kb.checks.rule import run_rule
from kb.checks.run import Sources, run_checks
from kb.checks.series import expand
from kb.checks.sources.prometheus import PrometheusHttp

CHECK = "gpu/xid_fatal_counted"
CATALOGUE = Catalogue.load()
REPLAYS = [file for file in CATALOGUE.replays(CHECK) if file.replay.data]


def openmetrics(series: list[tuple[str, PrometheusSeries]], ends: int, step: float, length: float) -> str:
    """Each replay's series with a label that tells them apart, the last sample at `ends`."""
    by_metric: dict[str, list[str]] = {}
    for name, one in series:
        metric, _, labels = one.series.partition("{")
        head = f'{metric}{{replay="{name}",{labels}'
        for number, value in enumerate(expand(one.values)):
            if value is not None and number * step <= length:
                at = ends - length + number * step
                by_metric.setdefault(metric, []).append(f"{head} {value:g} {at:.0f}")
    text = [line for metric, lines in by_metric.items() for line in (f"# TYPE {metric} gauge", *lines)]
    return "\n".join([*text, "# EOF", ""])


class Server:
    """Prometheus over blocks that end now."""

    def __init__(self, folder: Path) -> None:
        self.ends = int(time.time())
        for file in REPLAYS:
            assert file.replay.data
            data = file.replay.data.prometheus
            assert data
            series = [(file.name, one) for one in data.series]
            source = folder / f"{file.name}.om"
            length = asked_at(file.replay) or 0
            source.write_text(openmetrics(series, self.ends, seconds(data.interval), length), encoding="utf-8")
            blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", str(source), str(folder / "db")]
            subprocess.run(blocks, check=True, capture_output=True)
        (folder / "empty.yml").write_text("", encoding="utf-8")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{address}"
        self.process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={folder / 'empty.yml'}",
                f"--storage.tsdb.path={folder / 'db'}",
                f"--web.listen-address={address}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr
        for line in self.process.stderr:
            if "ready to receive web requests" in line:
                return
        raise AssertionError("Prometheus did not start")

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=30)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("prometheus"))
    yield server
    server.stop()


class OneReplay(PrometheusHttp):
    """The server as if it held the series of one replay only, asked at the end of the data."""

    def __init__(self, server: Server, name: str) -> None:
        super().__init__(server.url)
        self.replay = name
        self.ends = float(server.ends)

    def now(self) -> float:
        return self.ends

    def query(self, expr: str, at: float) -> list:
        metric = r"\b(DCGM_[A-Z_]+|kube_node_status_capacity)(\{)?"
        return super().query(
            re.sub(metric, lambda m: f'{m[1]}{{replay="{self.replay}"{"," if m[2] else "}"}', expr), at
        )


def told(outcome: Outcome) -> tuple:
    places = sorted(tuple(sorted(finding.where.items())) for finding in outcome.findings)
    return outcome.answer, outcome.looked_at, places, {remark.kind for remark in outcome.unknown}


@pytest.mark.parametrize("file", REPLAYS, ids=[file.name for file in REPLAYS])
def test_a_real_server_gives_the_answer_of_the_replay(server: Server, file: ReplayFile) -> None:
    card = CATALOGUE.cards[CHECK]
    source = OneReplay(server, file.name)
    live = run_rule(card, source, settle(card))
    source.close()
    assert told(live) == told(replayed(CATALOGUE, CHECK, file.replay))


def test_a_run_over_a_real_server_reports_by_its_clock_and_finds(server: Server) -> None:
    source = PrometheusHttp(server.url)
    report = run_checks(CATALOGUE, Sources(prometheus=source), data_version="t")
    source.close()
    assert report.answers[CHECK] is Answer.found
    assert report.exit_status == 1
    assert abs(source.now() - time.time()) < 300
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", report.started)
    assert all(finding.finding.evidence.query for finding in report.findings)
