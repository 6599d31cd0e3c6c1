"""What is printed: one table a subject, plain text, every figure with its unit."""

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from tests.bench.timing import Times

WIDTH = 44


def machine() -> str:
    model = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.machine(),
    )
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores ({model}), load {load:.1f} before, Python {platform.python_version()}"


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines() if Path(path).is_file() else []


def heading(text: str) -> None:
    print(f"\n{text}", flush=True)


def line(name: str, *values: str) -> None:
    print(f"  {name:<{WIDTH}}" + "".join(f"{value:>15}" for value in values), flush=True)


def times_heading(subject: str) -> None:
    heading(subject)
    line("", "p50 ms", "p99 ms", "calls/s", "p50 ratio")


def times(name: str, taken: Times, floor: Times | None = None) -> None:
    """With `floor`, how many times as long the middle call takes."""
    ratio = f"{taken.p50 / floor.p50:.1f}x" if floor else ""
    line(name, f"{taken.p50:.2f}", f"{taken.p99:.2f}", f"{taken.rate:.0f}", ratio)


def shares(parts: Sequence[tuple[str, float]], whole: float) -> None:
    for name, spent in parts:
        line(name, f"{spent:.2f} ms", f"{100 * spent / whole:.0f} %")
