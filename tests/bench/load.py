"""Load by wrk on a running server: requests a second and the slowest hundredth, with one and two workers.

wrk sends the next request when the last one is answered, so what is measured is the limit, and the latency at it. The
soak holds 80 % of the limit of a mix of requests and looks at errors and memory.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from kb.library import Library
from tests.bench import peers, questions, report, serving

CONNECTIONS = 8
SHARE = 0.8
UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}
MCP_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


@dataclass(frozen=True)
class Load:
    """What is sent, over and over: GETs of these paths in turn, or one POST.

    fresh: whether each request gets a number of its own, so that none is answered from memory.
    """

    name: str
    paths: tuple[str, ...]
    body: str = ""
    headers: Mapping[str, str] | None = None
    fresh: bool = False


@dataclass(frozen=True)
class Measured:
    """`errors` counts answers that are no 2xx and connections that broke."""

    rate: float
    p50: float
    p99: float
    errors: int


def loads(library: Library) -> tuple[Load, ...]:
    """One record, a list, searches asked again and never asked before, an MCP call, a page."""
    ids = library.complete("id", "")
    texts = questions.ENGLISH + questions.KOREAN
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search_incidents", "arguments": {"symptoms": texts[1]}},
    }
    return (
        Load("get a case", tuple(f"/api/v1/incidents/{case_id}" for case_id in ids)),
        Load("list of 20 with facets", ("/api/v1/incidents", "/api/v1/incidents?component=gpu")),
        Load("search, asked again", tuple(_search(text) for text in texts[:20])),
        Load("search, never asked before", tuple(_search(text) for text in texts), fresh=True),
        Load("MCP call of search_incidents", ("/mcp",), json.dumps(call), MCP_HEADERS),
        Load("page of a case (HTML)", tuple(f"/en/incidents/{case_id}" for case_id in ids[:20])),
    )


def mix(library: Library) -> Load:
    """What a day brings: mostly records and pages, some lists, a search in ten."""
    ids = library.complete("id", "")[:40]
    paths = [path for case_id in ids for path in (f"/api/v1/incidents/{case_id}", f"/en/incidents/{case_id}")]
    paths += ["/api/v1/incidents?limit=20", "/api/v1/vocab?query=certificate"] * 5
    return Load("mix", (*paths, *(_search(text) for text in questions.ENGLISH[:10])))


def _search(text: str) -> str:
    return "/api/v1/search?" + urlencode({"symptoms": text})


def script(load: Load, delay: float = 0.0) -> str:
    """The Lua that wrk runs; `delay` in milliseconds before each request of a connection."""
    lines = [f"local paths = {{{', '.join(json.dumps(path) for path in load.paths)}}}", "local n = 0"]
    if load.body:
        lines += ['wrk.method = "POST"', f"wrk.body = {json.dumps(load.body)}"]
    lines += [f"wrk.headers[{json.dumps(name)}] = {json.dumps(text)}" for name, text in (load.headers or {}).items()]
    fresh = " .. '+' .. n" if load.fresh else ""
    lines += ["function request()", "  n = n + 1"]
    lines += [f"  return wrk.format(nil, paths[(n - 1) % #paths + 1]{fresh})", "end"]
    if delay:
        lines.append(f"function delay() return {delay:.0f} end")
    return "\n".join(lines) + "\n"


def wrk(port: int, load: Load, seconds: int, folder: Path, delay: float = 0.0) -> Measured:
    """One thread, so that numbers are given out once."""
    path = folder / "load.lua"
    path.write_text(script(load, delay), encoding="utf-8")
    program = shutil.which("wrk")
    assert program, "wrk is not installed: apt-get install wrk"
    command = [program, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "30s", "--latency", "-s", str(path)]
    done = subprocess.run([*command, f"http://127.0.0.1:{port}"], capture_output=True, text=True, check=True)
    return read(done.stdout)


def read(printed: str) -> Measured:
    """What wrk prints; times in milliseconds."""

    def time(name: str) -> float:
        found = re.search(rf"^\s+{name}\s+([\d.]+)(us|ms|s|m) *$", printed, re.MULTILINE)
        assert found, printed
        return float(found[1]) * UNITS[found[2]]

    rate = re.search(r"^Requests/sec:\s+([\d.]+)", printed, re.MULTILINE)
    assert rate, printed
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", printed)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", printed)
    errors = int(bad[1]) if bad else 0
    return Measured(float(rate[1]), time("50%"), time("99%"), errors + sum(map(int, broken.groups() if broken else ())))


def limits(
    environment: Mapping[str, str], library: Library, database: Path, folder: Path, seconds: int, workers: Sequence[int]
) -> None:
    """Every load, beside Datasette and a bare answer in the same run; what is asked again has been asked before."""
    report.heading(f"Load, {CONNECTIONS} connections that ask as fast as they are answered, {seconds} s each")
    report.line("", "requests/s", "p50 ms", "p99 ms", "errors", "of bare")
    bare_command = ["uvicorn", "tests.bench.floor:app", "--port", "{port}", "--no-access-log"]
    with serving.served(bare_command, "/") as port:
        bare = wrk(port, Load("bare", ("/",)), seconds, folder)
    _line("bare Starlette answer of 20 kB", bare, bare)
    with serving.served(["datasette", "serve", str(database), "--port", "{port}"], "/-/versions.json") as port:
        paths = tuple(peers.datasette_path(text) for text in questions.ENGLISH)
        _line("Datasette, FTS rows", wrk(port, Load("datasette", paths), seconds, folder), bare)
    for count in workers:
        command = ["kb", "serve", "--port", "{port}", "--workers", str(count)]
        with serving.served(command, "/api/v1/search?symptoms=warm", environment) as port:
            for load in loads(library):
                if not load.fresh and not load.body:
                    serving.call(port, load.paths * count, count)
                name = f"{load.name}, {count} worker{'s' * (count > 1)}"
                _line(name, wrk(port, load, seconds, folder), bare)


def _line(name: str, taken: Measured, bare: Measured) -> None:
    report.line(
        name,
        f"{taken.rate:.0f}",
        f"{taken.p50:.1f}",
        f"{taken.p99:.1f}",
        str(taken.errors),
        f"{100 * taken.rate / bare.rate:.0f} %",
    )


def soak(environment: Mapping[str, str], library: Library, folder: Path, seconds: int, workers: int = 1) -> Measured:
    """80 % of the limit of the mix for so long: errors, latency, memory before and after.

    Raises AssertionError where an answer failed.
    """
    report.heading(f"Soak, {seconds} s at {SHARE:.0%} of the limit of a mix, {workers} worker{'s' * (workers > 1)}")
    load = mix(library)
    command = ["kb", "serve", "--port", "{port}", "--workers", str(workers)]
    with serving.started(command, "/api/v1/search?symptoms=warm", environment) as (port, pid):
        short = max(5, seconds // 20)
        wrk(port, load, short, folder)  # pages are kept once made, so that the first seconds are slower than the rest
        limit = wrk(port, load, short, folder)
        # How long an answer takes at that rate is not known before, so a trial corrects the pause.
        cycle = 1000 * CONNECTIONS / (SHARE * limit.rate)
        trial = wrk(port, load, short, folder, max(1.0, cycle - limit.p50))
        before = memory(pid)
        held = wrk(port, load, seconds, folder, max(1.0, 2 * cycle - limit.p50 - 1000 * CONNECTIONS / trial.rate))
        after = memory(pid)
    report.line("", "requests/s", "p50 ms", "p99 ms", "errors", "memory MB")
    report.line(
        "limit", f"{limit.rate:.0f}", f"{limit.p50:.1f}", f"{limit.p99:.1f}", str(limit.errors), f"{before:.0f}"
    )
    report.line("held", f"{held.rate:.0f}", f"{held.p50:.1f}", f"{held.p99:.1f}", str(held.errors), f"{after:.0f}")
    assert held.errors == 0, f"{held.errors} answers failed"
    return held


def memory(pid: int) -> float:
    """Resident megabytes of a process and its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it ended while we looked
            children.setdefault(parent, []).append(int(entry.name))
    waiting, pages = [pid], 0
    while waiting:
        one = waiting.pop()
        pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
        waiting += children.get(one, [])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
