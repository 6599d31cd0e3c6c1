"""kb plan: figures that anybody can check, and refusals that say why."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.cli import main

Run = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kb", "plan", *arguments.split()])
        try:
            main()
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        out = capsys.readouterr()
        return status, out.out, out.err

    return run


def test_spares_are_counted_for_any_rate(plan: Run) -> None:
    status, out, _ = plan("spares --servers 128 --failures-a-day 0.0043 --repair-days 5 --json")
    assert status == 0
    assert json.loads(out) == {"spares": 7, "away_on_average": pytest.approx(2.84, abs=0.01), "until_delivery": 7}
    assert "예비 서버 7대" in plan("spares --servers 128 --failures-a-day 0.0043 --repair-days 5 --lang ko")[1]


def test_an_interval_is_judged_with_the_hours_it_loses(plan: Run) -> None:
    status, out, _ = plan("checkpoint --interval 14400 --save 60 --restart 600 --failures 419 --days 54")
    assert status == 0
    assert "Too long: 13.1 hours a day" in out
    assert "1116 s" in out
    assert (
        json.loads(plan("checkpoint --interval 600 --save 60 --restart 600 --failures 0 --days 3 --json")[1])["verdict"]
        == "too-few-failures"
    )


def test_levels_are_told_with_the_time_at_which_each_is_due(plan: Run) -> None:
    figures = json.loads(plan("mitigate --slow 1.4715 --healthy 1.05228 --json")[1])
    # At the end of the iteration in which the loss reaches the cost: the 5th, the 144th and the 927th.
    assert figures == {"S2": pytest.approx(7.4), "S3": pytest.approx(211.9), "S4": pytest.approx(1364.1)}
    told = plan("mitigate --slow 1.4715 --healthy 1.05228 --cause host --lang ko")[1]
    assert "S4" in told
    assert "S2" not in told


def test_a_level_that_a_cheaper_and_higher_one_has_overtaken_is_not_advised(plan: Run) -> None:
    # Twenty seconds lost in each iteration: swapping nodes (60 s) costs less than redistributing (5 * 20 s).
    assert list(json.loads(plan("mitigate --slow 30 --healthy 10 --json")[1])) == ["S3", "S4"]


def test_an_iteration_within_a_tenth_of_the_healthy_one_is_no_event_to_act_on(plan: Run) -> None:
    assert json.loads(plan("mitigate --slow 1.05 --healthy 1 --json")[1]) == {}


def test_iterations_of_microseconds_are_planned_without_a_list_of_all(plan: Run) -> None:
    assert list(json.loads(plan("mitigate --slow 0.000002 --healthy 0.000001 --json")[1])) == ["S2", "S3", "S4"]


def test_micro_batches_are_dealt_so_that_groups_end_together(plan: Run) -> None:
    # Published (Greyhound): one group of four 1.9 times as slow; 32 micro-batches are filled in.
    figures = json.loads(plan("redistribute 1.9 1 1 1 --total 32 --json")[1])
    assert figures == {"microbatches": [5, 9, 9, 9], "before": pytest.approx(15.2), "after": pytest.approx(9.5)}
    assert "5, 9, 9, 9" in plan("redistribute 1.9 1 1 1 --total 32 --lang ko")[1]


def test_the_validation_of_suspects_is_written_out(plan: Run) -> None:
    status, out, _ = plan("validate 8 9 10 11")
    assert status == 0
    assert [line.split(".")[0] for line in out.splitlines()] == ["1", "2", "3", "4", "5", "6"]
    assert "8→9, 10→11" in out
    assert "작업을 세웁니다" in plan("validate 8 9 10 --shape tree --lang ko")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("spares --servers 0 --failures-a-day 0.1 --repair-days 5", "more than 0"),
        ("spares --servers 8 --failures-a-day 0.1 --repair-days 5 --chance 2", "between 0.5"),
        ("checkpoint --interval 600 --save -1 --restart 0 --failures 1 --days 1", "more than 0"),
        ("checkpoint --interval nan --save 1 --restart 0 --failures 1 --days 1", "finite"),
        ("mitigate --slow 1 --healthy 2", "not slower"),
        ("mitigate --slow inf --healthy 2", "between 0"),
        ("mitigate --slow 3 --healthy nan", "finite"),
        ("mitigate --slow 3 --healthy 2 --lost-work nan", "between 0"),
        ("redistribute 1 2 3 --total 2", "do not give each"),
        ("redistribute 1 0 --total 8", "more than 0"),
    ],
)
def test_figures_that_cannot_be_are_refused_in_one_line(plan: Run, arguments: str, said: str) -> None:
    status, out, err = plan(arguments)
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def phases(path: Path, slow: int | None) -> Path:
    """Sixteen data-parallel ranks of two servers; one of them computes three times as long from step 60 on."""
    lines = [
        {"step": step, "rank": rank, "dp": rank, "phase": phase, "duration_ms": 1000 * seconds}
        for step in range(160)
        for rank in range(16)
        for late in [3.0 if rank == slow and step >= 60 else 1.0]
        for wobble in [1 + 0.002 * ((rank * 7 + step * 3) % 5)]
        for phase, seconds in (("forward", late * wobble), ("iteration", 2 + late * wobble))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_server_of_a_slow_rank_is_to_be_taken_out_and_nobody_where_all_are_alike(plan: Run, tmp_path: Path) -> None:
    slow = phases(tmp_path / "slow.jsonl", slow=11)
    assert json.loads(plan(f"isolate {slow} --json")[1])["slow"]["nodes"] == [1]
    assert json.loads(plan(f"isolate {slow} --per-node 4 --json")[1])["slow"]["nodes"] == [2]
    assert "서버 1번을 빼고" in plan(f"isolate {slow} --lang ko")[1]
    healthy = phases(tmp_path / "healthy.jsonl", slow=None)
    status, out, _ = plan(f"isolate {healthy}")
    assert (status, out) == (0, "healthy: These records name no rank, connection or group that is slow or stuck.\n")


def test_records_that_cannot_be_read_isolate_nobody(plan: Run, tmp_path: Path) -> None:
    status, out, err = plan(f"isolate {tmp_path / 'absent.jsonl'}")
    assert (status != 0, out) == (True, "")
    assert "absent.jsonl" in err


def test_measurements_of_suspects_are_read_as_a_slow_gpu_a_slow_link_or_the_host(plan: Run) -> None:
    # Published (Greyhound): 515.49 ms among 65; transfers of 0.80 s, and 3.04 s where the link is degraded.
    gpu = json.loads(plan("diagnose 0=65.47 1=515.49 2=65.69 3=65.69 0-1=0.23 2-3=0.23 --json")[1])
    assert (gpu["cause"], gpu["ranks"], gpu["edges"]) == ("computation", [1], [])
    assert "the transfer 2→3 is slow" in plan("diagnose 0=0.5 1=0.5 0-1=0.8 1-2=0.8 2-3=3.04")[1]
    assert "호스트" in plan("diagnose 0=0.5 1=0.5 --lang ko")[1]


def test_two_nodes_are_named_whose_exchange_takes_a_slow_link_out_of_the_rings(plan: Run) -> None:
    freed = json.loads(plan("swap --stage a,b,c,d --stage e,f,g,h --slow a,b=1 --data 10 --pipeline 1 --json")[1])
    assert (freed["before"], freed["after"]) == (10, 0)
    assert {freed["a"], freed["b"]} & {"a", "b"}
    assert "No exchange of two nodes helps" in plan("swap --stage a --stage b --slow a,b=1 --data 1 --pipeline 1")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("diagnose 0=fast", "not of the form NAME=SECONDS"),
        ("diagnose 0-1-2=1", "neither a rank nor two of them"),
        ("swap --stage a,b --stage c --slow a,b=1 --data 1 --pipeline 1", "Every stage must hold as many nodes"),
        ("swap --stage a,b --slow a,z=1 --data 1 --pipeline 1", "no link between two nodes"),
        ("swap --stage a,b --slow a,b=1 --data -1 --pipeline 1", "must be finite and not negative"),
    ],
)
def test_measurements_that_cannot_be_read_are_refused(plan: Run, arguments: str, said: str) -> None:
    status, _, err = plan(arguments)
    assert status == 2
    assert said in err
