"""Back-fills a real Prometheus with a simulated cluster and starts it."""

import os
import socket
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.fleet.faults import Fault, Values
from tests.fleet.series import Series

STARTED_WITHIN = 120.0
#: The data goes on beyond the start of the server, as long as filling may take on a busy machine.
AHEAD_MINUTES = 15
#: Samples in one run of promtool, which holds them all: about a hundred and forty bytes each.
SHARD_SAMPLES = 4_000_000


@dataclass
class Fleet:
    """A server over the series of a cluster, which end at `ends` (Unix seconds), a little after now."""

    folder: Path
    ends: int = field(default_factory=lambda: (int(time.time()) // 60 + AHEAD_MINUTES) * 60)
    samples: int = 0
    _open: dict[str, list[str]] = field(default_factory=dict)
    _in_shard: int = 0
    _shard: int = 0
    process: subprocess.Popen[str] | None = None
    url: str = ""

    def fill(self, series: Iterable[Series], minutes: int, faults: Sequence[Fault] = (), fault_minute: int = 0) -> None:
        """Write blocks of one sample a minute; `fault_minute` counts from the start."""
        stamps = [f" {self.ends - (minutes - i) * 60}\n" for i in range(minutes + 1)]
        by_metric = self._by_metric(faults)
        added = [one for fault in faults for one in fault.adds]
        late: Values = [None if i < fault_minute else 1.0 for i in range(minutes + 1)]
        for one in series:
            values: Values | None = None
            for fault in by_metric.get(one.metric, []):
                if fault.touches(one):
                    values = fault.change(values or _plain(one, minutes), fault_minute)
            self._write(one, stamps, values)
        for one in added:
            self._write(one, stamps, [None if v is None else one.start for v in late])
        self._flush()

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

    def _write(self, one: Series, stamps: Sequence[str], values: Values | None) -> None:
        labels = ",".join(f'{name}="{value}"' for name, value in one.labels.items())
        head = f"{one.metric}{{{labels}}} "
        if values is None and one.per_minute == 0.0:
            constant = f"{head}{one.start:.12g}"
            text = constant + constant.join(stamps)
        else:
            values = values or _plain(one, len(stamps) - 1)
            text = "".join(f"{head}{v:.12g}{t}" for v, t in zip(values, stamps, strict=True) if v is not None)
        self._open.setdefault(one.metric, []).append(text)
        self.samples += len(stamps)
        self._in_shard += len(stamps)
        if self._in_shard >= SHARD_SAMPLES:
            self._flush()

    def _flush(self) -> None:
        if not self._open:
            return
        path = self.folder / f"shard-{self._shard}.om"
        with path.open("w", encoding="utf-8") as out:
            for metric, texts in sorted(self._open.items()):
                out.write(f"# TYPE {metric} gauge\n")
                out.writelines(texts)
            out.write("# EOF\n")
        subprocess.run(
            ["promtool", "tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=384h", "-q", str(path),
             str(self.folder / "db")],
            check=True, capture_output=True,
        )  # fmt: skip
        path.unlink()
        self._open, self._in_shard, self._shard = {}, 0, self._shard + 1


def _plain(one: Series, minutes: int) -> Values:
    return [one.start + one.per_minute * i for i in range(minutes + 1)]
