"""Back-fills a real Prometheus with a simulated cluster and starts it."""

import os
import socket
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

import httpx

from tests.fleet.faults import Fault, Values
from tests.fleet.series import Series

STARTED_WITHIN = 120.0
#: The data goes on beyond the start of the server, as long as filling may take on a busy machine.
AHEAD_MINUTES = 15
#: Samples in one run of promtool, which holds them all: some hundred bytes each, and the text besides.
SHARD_SAMPLES = 4_000_000


@dataclass
class Fleet:
    """A server over the series of a cluster, which end at `ends` (Unix seconds), a little after now."""

    folder: Path
    ends: int = field(default_factory=lambda: (int(time.time()) // 60 + AHEAD_MINUTES) * 60)
    shard_samples: int = SHARD_SAMPLES
    samples: int = 0
    shards: int = 0
    process: subprocess.Popen[str] | None = None
    url: str = ""

    def fill(self, series: Iterable[Series], minutes: int, faults: Sequence[Fault] = (), fault_minute: int = 0) -> None:
        """Write blocks of one sample a minute; `fault_minute` counts from the start."""
        stamps = [f" {self.ends - (minutes - i) * 60}\n" for i in range(minutes + 1)]
        late: Values = [None if i < fault_minute else 1.0 for i in range(minutes + 1)]
        by_metric = self._by_metric(faults)
        added = [(one, True) for fault in faults for one in fault.adds]
        # By metric, so that few blocks have to be asked for one and a file can be written as it comes.
        ordered = sorted([*((one, False) for one in series), *added], key=lambda pair: pair[0].metric)
        room = self.shard_samples
        out = self._shard()
        for metric, group in groupby(ordered, key=lambda pair: pair[0].metric):
            out.write(f"# TYPE {metric} gauge\n")
            for one, is_late in group:
                if room <= 0:
                    self._pack(out)
                    out, room = self._shard(), self.shard_samples
                    out.write(f"# TYPE {metric} gauge\n")
                values = [None if v is None else one.start for v in late] if is_late else None
                for fault in () if is_late else by_metric.get(metric, []):
                    if fault.touches(one):
                        values = fault.change(values or _plain(one, minutes), fault_minute)
                out.write(_text(one, stamps, values))
                room -= len(stamps)
                self.samples += len(stamps)
        self._pack(out)

    def start(self, rules: str = "") -> None:
        """`rules` is the text of a rule file, evaluated every few seconds."""
        config = self.folder / "prometheus.yml"
        (self.folder / "rules.yml").write_text(rules, encoding="utf-8")
        loaded = "global: {evaluation_interval: 5s}\nrule_files: [rules.yml]\n" if rules else ""
        config.write_text(loaded, encoding="utf-8")
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{address}"
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.folder / 'db'}",
             "--storage.tsdb.retention.time=30d", f"--web.listen-address={address}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stderr
        until = time.monotonic() + STARTED_WITHIN
        for line in self.process.stderr:
            if "ready to receive web requests" in line:
                return
            assert time.monotonic() < until, "Prometheus did not start in time"
        raise AssertionError("Prometheus ended before it was ready")

    def get(self, path: str, **arguments: str) -> Any:
        """The data of an answer of the HTTP API."""
        answer = httpx.get(f"{self.url}/api/v1/{path}", params=arguments, timeout=30)
        assert answer.status_code == httpx.codes.OK, answer.text
        return answer.json()["data"]

    def cpu_seconds(self) -> float:
        """What the server has spent so far."""
        assert self.process
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_peak(self) -> float:
        """Megabytes that the server has held at most."""
        assert self.process
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    def settle(self, within: float) -> bool:
        """Wait until the server has joined the blocks, which it begins by itself after a minute; whether it has."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            told = httpx.get(f"{self.url}/metrics", timeout=30).text
            loaded = next(line for line in told.splitlines() if line.startswith("prometheus_tsdb_blocks_loaded "))
            # Two where the time of the data goes over a border of blocks.
            if float(loaded.split()[1]) <= 2:
                return True
            time.sleep(1)
        return False

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.communicate(timeout=60)

    @staticmethod
    def _by_metric(faults: Sequence[Fault]) -> dict[str, list[Fault]]:
        class Table(dict[str, list[Fault]]):
            def get(self, metric: str, default: object = None) -> list[Fault]:  # type: ignore[override]
                if metric not in self:
                    self[metric] = [
                        f for f in faults
                        if f.metric == metric or (f.metric.endswith("*") and metric.startswith(f.metric[:-1]))
                    ]  # fmt: skip
                return self[metric]

        return Table()

    def _shard(self) -> TextIO:
        return (self.folder / f"shard-{self.shards}.om").open("w", encoding="utf-8")

    def _pack(self, out: TextIO) -> None:
        """End a file and make a block of it."""
        out.write("# EOF\n")
        out.close()
        path = self.folder / f"shard-{self.shards}.om"
        subprocess.run(
            ["promtool", "tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=384h", "-q", str(path),
             str(self.folder / "db")],
            check=True, capture_output=True,
        )  # fmt: skip
        path.unlink()
        self.shards += 1


def _text(one: Series, stamps: Sequence[str], values: Values | None) -> str:
    labels = ",".join(f'{name}="{value}"' for name, value in one.labels.items())
    head = f"{one.metric}{{{labels}}} "
    if values is None and one.per_minute == 0.0:
        constant = f"{head}{one.start:.12g}"
        return constant + constant.join(stamps)
    values = values or _plain(one, len(stamps) - 1)
    return "".join(f"{head}{v:.12g}{t}" for v, t in zip(values, stamps, strict=True) if v is not None)


def _plain(one: Series, minutes: int) -> Values:
    return [one.start + one.per_minute * i for i in range(minutes + 1)]
