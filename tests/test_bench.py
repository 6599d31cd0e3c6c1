"""`make bench` runs at toy size, and its made-up cases are what they claim to be."""

from itertools import islice
from pathlib import Path

import pytest

from kb import corpus
from kb.library import Library
from kb.settings import Settings
from kb.validate import Level, findings
from tests.bench import __main__ as bench
from tests.bench import fleet, generated, load, peers, stages, step_scale
from tests.bench.timing import Times, at_once


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> generated.Roots:
    return generated.write(tmp_path_factory.mktemp("bench"), 1, seed=1)


def test_made_up_cases_fulfil_every_rule_and_the_count_is_kept(roots: generated.Roots) -> None:
    files = corpus.read((roots.base, roots.made))
    assert sum(case.incident.id.startswith("GEN-") for case in files.served) == generated.FEWEST
    assert len(files.served) == roots.cases
    # The vocabulary's examples name real cases, which are not held here.
    found = [f for f in findings(files, None, layout=False) if f.path.parent.name == "incidents"]
    assert not [f for f in found if f.level is Level.error]


def test_the_same_seed_makes_the_same_cases_and_no_passage_twice() -> None:
    real = generated.real_cases()
    first, again, other = (list(islice(generated.incidents(real, seed), 20)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    told = [case.narrative.symptom.en for case in first]
    assert len(set(told)) == len(told)
    assert not {case.narrative.symptom.en for case in real} & set(told)


def test_the_whole_bench_prints_every_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench.run(tmp_path, [8], 1, bench.Amount(rounds=1), meaning=False)
    printed = capsys.readouterr().out
    for part in (
        "first build",
        "SQLite FTS5",
        "cases: Tantivy",
        "Datasette",
        "bare Starlette",
        "search, asked again, 4 callers",
        "/ko/ with style, script and icon",
        "library page, 4 at once",
        "whole",
    ):
        assert part in printed


PRINTED = """Running 2s test @ http://127.0.0.1:8000
  1 threads and 8 connections
  Latency Distribution
     50%    5.11ms
     75%    6.02ms
     99%    1.20s
  1500 requests in 2.00s, 1.00MB read
  Socket errors: connect 0, read 1, write 0, timeout 2
  Non-2xx or 3xx responses: 4
Requests/sec:    750.12
"""


def test_what_wrk_prints_is_read_with_its_units_and_errors() -> None:
    assert load.read(PRINTED) == load.Measured(750.12, 5.11, 1200.0, 7)
    clean = "".join(line for line in PRINTED.splitlines(True) if "errors" not in line and "Non-2xx" not in line)
    assert load.read(clean).errors == 0
    # Times are padded where their unit is shorter than the others'.
    assert load.read(PRINTED.replace("1.20s", "1.20s ")).p99 == 1200.0


def test_what_wrk_runs_sends_every_load_as_it_is_meant(library: Library) -> None:
    made = {item.name: load.script(item) for item in (*load.loads(library), load.mix(library))}
    assert len(made) == 7
    assert 'wrk.method = "POST"' in made["MCP call of search_incidents"]
    assert ".. '+' .. n" in made["search, never asked before"]
    assert ".. '+' .. n" not in made["search, asked again"]
    assert "function delay() return 12 end" in load.script(load.mix(library), 12.3)


def test_stages_add_up_to_the_whole(library: Library) -> None:
    parts, whole = stages.measure(library)
    assert {name for name, _ in parts} == {*stages.STAGES, stages.REST}
    assert sum(spent for _, spent in parts) == pytest.approx(whole)
    assert min(spent for _, spent in parts) > 0


def test_peers_find_the_case_that_says_so(settings: Settings, tmp_path: Path) -> None:
    texts = peers.documents(settings)
    peers.write_sqlite(tmp_path / "peer.db", texts)
    fts5 = peers.Fts5(tmp_path / "peer.db")
    title = texts[3].fields["title"]
    assert fts5.search(title)[0][0] == texts[3].id
    assert peers.Bm25(texts).search(title)[0][0] == texts[3].id
    fts5.close()


def test_an_error_in_one_caller_is_not_lost() -> None:
    def fail() -> None:
        raise ValueError("no answer")

    with pytest.raises(ValueError, match="no answer"):
        at_once([[fail], [lambda: None]])


def test_percentiles_are_of_the_calls_in_order() -> None:
    taken = Times(tuple(float(n) for n in range(100, 0, -1)), 2.0)
    assert (taken.p50, taken.p99, taken.rate) == (51.0, 100.0, 50.0)


def test_the_scale_of_step_records_is_printed_and_the_slow_rank_found(capsys: pytest.CaptureFixture[str]) -> None:
    step_scale.run(1024, 60, (256, 1024), 1024)
    printed = capsys.readouterr().out
    assert f"[{step_scale.SLOW}]" in printed
    for part in ("M records/s", "group-by", "memory bound", "How it grows", "Live, 1024 ranks", "onset to the verdict"):
        assert part in printed


def test_the_fleet_is_looked_at_beside_the_peer_or_it_says_how_to_install_that(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet.importlib.util, "find_spec", lambda name: None)
    fleet.run(1)
    printed = capsys.readouterr().out
    assert "all PromQL checks" in printed
    assert "not installed: pip install --require-hashes -r requirements-bench.lock" in printed
