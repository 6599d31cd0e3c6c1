"""Building and starting: first build, one changed case, nothing changed, a fresh process, memory."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from kb import case_file
from kb.build import build
from kb.settings import Settings
from tests.bench.generated import Roots
from tests.bench.timing import seconds

#: Opens the library, answers one question and says how much memory that took.
_FRESH = """
from pathlib import Path
from kb.live import LiveLibrary
from kb.questions import SearchIncidents, ask
from kb.settings import Settings
live = LiveLibrary(Settings())
live.current().search_incidents(ask(SearchIncidents, {"symptoms": "pods stuck in Pending"}))
print(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0])
"""


@dataclass(frozen=True)
class Builds:
    """Seconds; memory in MB of a process that has answered once.

    worked: what the first build took of the processor, whatever else the machine was doing.
    """

    first: float
    worked: float
    changed: float
    unchanged: float
    fresh: float
    memory: float


def settings_of(roots: Roots, cache: Path, *, meaning: bool) -> Settings:
    return Settings(data=roots.setting, cache=cache, vectors=meaning)


def measure(roots: Roots, made: Settings) -> Builds:
    """The cache of `made` must be new for the first build to be one."""
    before = time.process_time()
    first = seconds(lambda: build(made))
    worked = time.process_time() - before
    touch(roots)
    changed = seconds(lambda: build(made))
    unchanged = seconds(lambda: build(made))
    fresh, memory = start(made)
    return Builds(first, worked, changed, unchanged, fresh, memory)


def touch(roots: Roots) -> None:
    """Another title for one case, written beside and moved in place, since other roots link to the same file."""
    path = min((roots.made / "incidents").glob("*.yaml"))
    incident = case_file.read_incident(path)
    title = incident.title.model_copy(update={"en": f"Once more: {incident.title.en[:90]}"})
    spare = path.with_suffix(".new")
    spare.write_text(case_file.dumps(incident.model_copy(update={"title": title})), encoding="utf-8")
    spare.replace(path)


def start(made: Settings) -> tuple[float, float]:
    """Seconds from starting a process to its first answer (the better of two starts), and its memory in MB."""
    taken, memory = [], 0.0
    for _ in range(2):
        done: list[str] = []
        taken.append(seconds(lambda done=done: done.append(_fresh(made))))
        memory = int(done[0]) / 1024
    return min(taken), memory


def _fresh(made: Settings) -> str:
    return subprocess.run(
        [sys.executable, "-c", _FRESH], env=environment(made), capture_output=True, text=True, check=True
    ).stdout


def environment(made: Settings) -> dict[str, str]:
    """Of a process that serves `made`."""
    named = {"KB_DATA": made.data, "KB_CACHE": str(made.cache), "KB_VECTORS": str(made.vectors)}
    # One address asks for everything here; a budget for it would be what is measured.
    return os.environ | named | {"KB_RATE_LIMIT": "0", "KB_RATE_LIMIT_PAGES": "0"}
