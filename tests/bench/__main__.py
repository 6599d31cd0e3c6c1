"""`python -m tests.bench [--quick | --full] [--cases N …] [--seed N] [--soak [SECONDS]]`."""

import argparse
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from kb.library import Library
from kb.live import LiveLibrary
from kb.settings import Settings
from tests.bench import (
    asking,
    building,
    detectors,
    fleet,
    generated,
    load,
    pages,
    peers,
    questions,
    report,
    serving,
    stages,
    step_scale,
)
from tests.bench.generated import Roots
from tests.bench.timing import Call, Times, one_by_one

QUICK, SIZES, FULL = (50,), (50, 300, 500), (50, 300, 500, 5000)
#: The operations and the peers are measured on the largest size up to this.
ASKED = 500
#: More processes than there are cores measure the scheduler.
WORKERS = (1, 2)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="50 cases, few calls: under a minute")
    parser.add_argument("--full", action="store_true", help="5,000 cases and 2,048 nodes too: some ten minutes more")
    parser.add_argument("--cases", type=int, nargs="+", help="sizes of the libraries that are built")
    parser.add_argument("--seed", type=int, default=1, help="of the generated cases")
    parser.add_argument("--soak", type=int, nargs="?", const=300, default=0, help="hold 80 %% of the limit for seconds")
    options = parser.parse_args(arguments)
    sizes = sorted(options.cases or (QUICK if options.quick else FULL if options.full else SIZES))
    started = time.perf_counter()
    print(f"{report.machine()}; generated cases: {', '.join(map(str, sizes))} (seed {options.seed})")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        amount = Amount(1 if options.quick else 3, wrk_seconds=2 if options.quick else 10, soak_seconds=options.soak)
        run(Path(folder), sizes, options.seed, amount)
    if options.quick:
        step_scale.run(1024, 60, (1000, 4096), 10_000)
    else:
        step_scale.run(16_384, 200, (1000, 4096, 16_384, 65_536, 131_072), 100_000)
    detectors.run(5 if options.quick else 200 if options.full else 30)
    fleet.run(*((16,) if options.quick else (512, 2048) if options.full else (512,)))
    print(f"\nwhole run {time.perf_counter() - started:.0f} s")


@dataclass(frozen=True)
class Amount:
    """How often each question is asked, for how long wrk asks, for how long the soak lasts; 0 leaves a part out."""

    rounds: int
    wrk_seconds: int = 0
    soak_seconds: int = 0


def run(folder: Path, sizes: Sequence[int], seed: int, amount: Amount, *, meaning: bool = True) -> None:
    """Every part, printed as it is done. Without `meaning` nothing is embedded, for a test that has to be quick."""
    roots = generated.write(folder / "data", sizes[-1], seed)
    built = builds(folder, roots, sizes, meaning=meaning)
    asked = built[max((size for size in sizes if size <= ASKED), default=sizes[0])]
    by_size(built, folder, amount.rounds)
    live = LiveLibrary(asked)
    library = live.current()
    texts = peers.documents(asked)
    database = folder / "peer.db"
    peers.write_sqlite(database, texts)
    try:
        in_process(library, database, texts, amount.rounds)
        over_http(asked, library, database, amount.rounds)
        if amount.wrk_seconds:
            load.limits(building.environment(asked), library, database, folder, amount.wrk_seconds, WORKERS)
        if amount.soak_seconds:
            load.soak(building.environment(asked), library, folder, amount.soak_seconds)
        where_time_goes(library)
    finally:
        live.close()


def builds(folder: Path, roots: Roots, sizes: Sequence[int], *, meaning: bool) -> dict[int, Settings]:
    """Settings of each built library, by its size; every size is built into an empty cache."""
    report.heading("Build and start")
    columns = ("first build s", "of one core s", "one changed s", "no change s", "fresh start s", "memory MB")
    report.line("cases", *columns)
    built = {}
    for size in sizes:
        part = generated.part(roots, folder / f"made-{size}", size)
        cache = folder / f"cache-{size}"
        made = building.settings_of(part, cache, meaning=meaning)
        taken = building.measure(part, made)
        seconds = (taken.first, taken.worked, taken.changed, taken.unchanged, taken.fresh)
        report.line(str(part.cases), *(f"{value:.1f}" for value in seconds), f"{taken.memory:.0f}")
        built[size] = made
    return built


def by_size(built: Mapping[int, Settings], folder: Path, rounds: int) -> None:
    """How searching grows with the library: every question new, then one question again."""
    report.times_heading("Search by size, in one process (ratio: to FTS5 over the same cases)")
    for size, made in built.items():
        texts, database = peers.documents(made), folder / f"peer-{size}.db"
        peers.write_sqlite(database, texts)
        plain, tantivy, live = peers.Fts5(database), peers.Tantivy(texts), LiveLibrary(made)
        floor = one_by_one([_asking(plain.search, text) for text in questions.ALL * rounds])
        report.times(f"{len(texts)} cases: SQLite FTS5", floor)
        asked = [_asking(tantivy.search, text) for text in questions.ALL * rounds]
        report.times(f"{len(texts)} cases: Tantivy", one_by_one(asked), floor)
        for name, taken in asking.asked_twice(live.current(), rounds):
            report.times(f"{len(texts)} cases: {name}", taken, floor)
        plain.close()
        live.close()


def in_process(library: Library, database: Path, texts: list[peers.TextDocument], rounds: int) -> None:
    cases = library.status().cases
    report.times_heading(f"In one process, {cases} cases (ratio: to FTS5 on the same question)")
    plain, bm25 = peers.Fts5(database), peers.Bm25(texts)
    asked = questions.ALL * rounds
    floor = one_by_one([_asking(plain.search, text) for text in asked])
    report.times("SQLite FTS5 (porter), 5 ranked rows", floor)
    tantivy = peers.Tantivy(texts)
    report.times(
        "Tantivy (English stems), 5 ranked rows", one_by_one([_asking(tantivy.search, t) for t in asked]), floor
    )
    report.times("plain BM25 in Python, ids only", one_by_one([_asking(bm25.search, t) for t in questions.ALL]), floor)
    for name, taken in asking.operations(library, rounds):
        report.times(name, taken, floor if name.startswith("search") else None)
    plain.close()


def _asking(search: Callable[[str], object], text: str) -> Call:
    return lambda: search(text)


def over_http(made: Settings, library: Library, database: Path, rounds: int) -> None:
    report.times_heading("Over HTTP on loopback, connections kept (ratio: to the bare answer, same callers)")
    bare: dict[int, Times] = {}
    with serving.served(["uvicorn", "tests.bench.floor:app", "--port", "{port}", "--no-access-log"], "/") as port:
        for callers in (1, 4):
            bare[callers] = serving.call(port, ["/"] * 200, callers)
            report.times(f"bare Starlette answer of 20 kB, {_callers(callers)}", bare[callers])
    command = ["datasette", "serve", str(database), "--port", "{port}"]
    with serving.served(command, "/-/versions.json") as port:
        _each(port, "Datasette, FTS rows", [peers.datasette_path(t) for t in questions.ALL[:-1]] * rounds, bare)
    command = ["kb", "serve", "--port", "{port}"]
    with serving.served(command, "/api/v1/search?symptoms=warm", building.environment(made)) as port:
        texts, number = questions.ALL[:-1], iter(range(1000, 2000))
        for callers in (1, 4):
            paths = [_search(questions.anew(text, next(number))) for _ in range(rounds) for text in texts]
            taken = serving.call(port, paths, callers)
            report.times(f"search, never asked before, {_callers(callers)}", taken, bare[callers])
        _each(port, "search, asked again", [_search(texts[0])] * 100 * rounds, bare)
        ids = library.complete("id", "")[: 40 * rounds]
        _each(port, "get a case", [f"/api/v1/incidents/{case_id}" for case_id in ids], bare)
        _each(port, "list with facets", [f"/api/v1/incidents?limit={20 + i}" for i in range(20 * rounds)], bare)
        _each(port, "page of the library (HTML)", ["/en/"] * 10 * rounds, bare)
        pages.measure(port, library, bare, rounds)


def _each(port: int, name: str, paths: Sequence[str], bare: dict[int, Times]) -> None:
    """Each number of callers gets paths of its own, so that the second is not answered from memory."""
    for turn, (callers, floor) in enumerate(bare.items()):
        taken = serving.call(port, paths[turn :: len(bare)], callers)
        report.times(f"{name}, {_callers(callers)}", taken, floor)


def _callers(count: int) -> str:
    return f"{count} caller{'s' * (count > 1)}"


def _search(text: str) -> str:
    return "/api/v1/search?" + urlencode({"symptoms": text})


def where_time_goes(library: Library) -> None:
    report.heading("Where the time of a search goes (words already met)")
    parts, whole = stages.measure(library)
    report.shares(parts, whole)
    report.line("whole", f"{whole:.2f} ms")


if __name__ == "__main__":
    main()
