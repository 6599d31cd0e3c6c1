"""Counters of this process in the Prometheus text format."""

from collections import defaultdict
from threading import Lock

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Requests and seconds by method, route and status.

    Routes are templates, so the number of series is bounded.
    """

    def __init__(self) -> None:
        self._requests: defaultdict[tuple[str, str, int], int] = defaultdict(int)
        self._seconds: defaultdict[tuple[str, str, int], float] = defaultdict(float)
        self._lock = Lock()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        known = method if method in ("GET", "HEAD", "POST", "OPTIONS") else "other"
        with self._lock:
            self._requests[known, route, status] += 1
            self._seconds[known, route, status] += seconds

    def text(self, *, version: str, data_version: str) -> str:
        lines = [
            "# HELP kb_build_info The program and the data it serves.",
            "# TYPE kb_build_info gauge",
            f'kb_build_info{{version="{version}",data_version="{data_version}"}} 1',
        ]
        with self._lock:
            requests, seconds = dict(self._requests), dict(self._seconds)
        lines += ["# HELP kb_http_requests_total Requests answered.", "# TYPE kb_http_requests_total counter"]
        lines += [f"kb_http_requests_total{_labels(key)} {requests[key]}" for key in sorted(requests)]
        lines += [
            "# HELP kb_http_seconds_total Time spent answering.",
            "# TYPE kb_http_seconds_total counter",
        ]
        lines += [f"kb_http_seconds_total{_labels(key)} {seconds[key]:.6f}" for key in sorted(seconds)]
        return "\n".join(lines) + "\n"


def _labels(key: tuple[str, str, int]) -> str:
    method, route, status = key
    return f'{{method="{method}",route="{route}",status="{status}"}}'
