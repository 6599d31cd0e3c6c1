"""Files of step records behind the source that checks read, and through the command line."""

import io
import json
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from kb.checks.ask import judge_of, judged
from kb.checks.card import Answer, StepData
from kb.checks.catalogue import Catalogue
from kb.checks.knobs import settle
from kb.checks.site import Site
from kb.checks.sources import steps
from kb.checks.sources.steps import step_files, step_replay
from kb.checks.step_check import Wanted, outcome
from kb.cli import main
from kb.cli.sources import open_sources
from kb.errors import DataError, InvalidValue, MissingExtra, SourceError
from kb.model import Text
from kb.steps import reading
from kb.steps.follow import Watch
from kb.steps.job import Job
from kb.steps.verdict import Confidence


def written(folder: Path, *, slow: int = 5, unit: str = "_ms", **more: object) -> Path:
    lines = [
        json.dumps(
            {"rank": r, "dp": r, "step": s, "phase": "backward", f"duration{unit}": 180 if r == slow else 100, **more}
        )
        for s in range(20)
        for r in range(8)
    ]
    path = folder / "steps.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_one_file_is_one_job_named_after_it(tmp_path: Path) -> None:
    (job,) = step_files([str(written(tmp_path))]).jobs()
    assert job.name == "steps"
    assert {rank for verdict in job.verdicts for rank in verdict.ranks} == {5}


def test_a_file_a_rank_is_one_job_all_the_same(tmp_path: Path) -> None:
    whole = written(tmp_path).read_text().splitlines(keepends=True)
    paths = []
    for rank in range(8):
        path = tmp_path / f"rank-{rank}.jsonl"
        path.write_text("".join(line for line in whole if json.loads(line)["rank"] == rank))
        paths.append(str(path))
    (job,) = step_files(paths).jobs()
    assert {rank for verdict in job.verdicts for rank in verdict.ranks} == {5}


def test_a_file_that_cannot_be_read_is_a_problem_beside_those_that_can(tmp_path: Path) -> None:
    source = step_files([str(written(tmp_path)), str(tmp_path / "gone.jsonl")])
    assert len(source.jobs()) == 1
    (problem,) = source.problems()
    assert problem.where == ({"file": "gone.jsonl"},)
    assert str(tmp_path) not in problem.reason.en
    assert problem.reason.ko


def test_nothing_readable_is_an_error_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    for path in ("empty.jsonl", "gone.jsonl"):
        with pytest.raises(SourceError) as caught:
            step_files([str(tmp_path / path)]).jobs()
        assert caught.value.next_step
        assert caught.value.what_ko


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(written(tmp_path).read_text()))
    source = step_files(["-"])
    assert source.name == "standard input"
    assert len(source.jobs()) == 1


def test_a_unit_may_be_declared_for_times_that_state_none(tmp_path: Path) -> None:
    path = str(written(tmp_path, unit=""))
    (job,) = step_files([path], unit="us").jobs()
    assert float(job.grid.mean(0).min()) == pytest.approx(1e-4)
    with pytest.raises(InvalidValue):
        step_files([path], unit="parsec")


def test_checks_that_ask_at_once_share_one_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(written(tmp_path))
    read: list[str] = []
    real = steps.reading.tables

    def counted(*args: object, **more: object) -> object:
        read.append("once")
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(steps.reading, "tables", counted)
    source = step_files([path])
    found: list[Job] = []
    threads = [threading.Thread(target=lambda: found.extend(source.jobs())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read == ["once"]
    assert len({id(job) for job in found}) == 1


def test_parquet_without_its_extra_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtra, match="pip install"):
        open_sources(Site(), steps=[str(tmp_path / "t.parquet")])


def test_a_replay_is_made_by_name_and_seed_or_holds_records() -> None:
    (job,) = step_replay(StepData(generator="slow_rank dp=8 bad_dp=3", seed=2)).jobs()
    assert {rank for verdict in job.verdicts for rank in verdict.ranks} == {3}
    (other,) = step_replay(StepData(records=({"rank": 0, "step": 1, "phase": "forward", "duration_ms": 1.0},))).jobs()
    assert other.verdicts == ()
    with pytest.raises(DataError):
        step_replay(StepData()).jobs()


def test_the_command_line_names_the_slow_rank_and_ends_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path)
    status, out = asked(monkeypatch, capsys, "check", "--steps", str(path), "--check", "training/rank_computes_slowly")
    assert status == 1
    assert "ranks 5 take 1.8× as long as their peers in backward" in out
    # The heat map below it marks the same rank.
    assert any(line.lstrip().startswith("5 ") and line.rstrip().endswith("<") for line in out.splitlines())
    assert "IL-0477" in out


def test_following_tells_the_slow_rank_in_the_words_of_its_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = asked(monkeypatch, capsys, "follow", str(written(tmp_path)), "--idle", "0", "--lang", "ko")
    assert status == 1
    assert "랭크 5" in out


def test_following_says_of_whom_nobody_is_named_that_it_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = Watch.feed
    monkeypatch.setattr(
        Watch, "feed", lambda *given: [replace(v, confidence=Confidence.detected_only) for v in real(*given)]
    )
    status, out = asked(monkeypatch, capsys, "follow", str(written(tmp_path)), "--idle", "0")
    assert status == 3
    assert out.startswith("unknown: ")
    assert "Give the coordinates of every rank" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "nothing could be judged"), ('{"rank": 0, "step": 1, "phase": "backward", "duration_ms": 9}\n', "nothing"),
     ("nonsense\n", "1 lines were no step records")],
)  # fmt: skip
def test_following_what_cannot_be_judged_is_no_health(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    path = tmp_path / "steps.jsonl"
    path.write_text(text)
    status, out = asked(monkeypatch, capsys, "follow", str(path), "--idle", "0")
    assert status == 3
    assert f"unknown: {said}" in out
    status, out = asked(monkeypatch, capsys, "follow", str(tmp_path / "gone.jsonl"), "--idle", "0")
    assert status == 2


def test_records_that_were_left_out_keep_a_check_from_being_not_applicable(tmp_path: Path) -> None:
    wanted = Wanted(("nothing",), lambda _: Text(en="The job has none.", ko="이 작업에는 없습니다."))
    path = written(tmp_path)
    assert outcome(step_files([str(path)]), wanted).answer is Answer.not_applicable
    with path.open("a") as file:
        file.write(json.dumps({"rank": 0, "dp": 0, "step": 3, "phase": "forward", "duration_ms": 1e12}) + "\n")
    said = outcome(step_files([str(path)]), wanted)
    assert said.answer is Answer.unknown
    # One record of many, but a wrong unit is wrong for all.
    assert [remark.count for remark in said.unknown] == [1]


def nccl_calls(path: Path, *, introduced: int) -> Path:
    """Calls of four processes, the first of which have lines that introduce their communicator."""
    text = ""
    for rank in range(4):
        place = f"host{rank}:100{rank}:100{rank} [0] NCCL INFO"
        if rank < introduced:
            text += f"{place} comm 0x55{rank} rank {rank} nranks 4 cudaDev 0 commId 0xabc - Init COMPLETE\n"
        text += (
            f"{place} AllReduce: opCount 5 sendbuff 0x1 recvbuff 0x2 count 8 datatype 7 op 0 root 0 "
            f"comm 0x55{rank} [nranks=4] stream 0x3 rank {rank}\n"
        )
    path.write_text(text)
    return path


@pytest.mark.parametrize("introduced", [0, 3])
def test_what_an_nccl_log_lacks_is_asked_for_in_words_of_such_a_log(tmp_path: Path, introduced: int) -> None:
    catalogue, check = Catalogue.load(), "training/communication_hang"
    source = step_files([str(nccl_calls(tmp_path / "nccl.log", introduced=introduced))], standing=True)
    said = judged(judge_of(catalogue, check), source, settle(catalogue.cards[check]))
    assert any("NCCL_DEBUG_SUBSYS=INIT,COLL" in remark.remedy.en for remark in said.unknown)
    assert not any("Mend the records" in remark.remedy.en for remark in said.unknown)


def test_jobs_that_were_left_out_are_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_JOBS", 1)
    path = tmp_path / "steps.jsonl"
    record = {"rank": 0, "dp": 0, "step": 3, "phase": "forward", "duration_ms": 10}
    path.write_text("".join(json.dumps({**record, "job": name}) + "\n" for name in ("a", "b", "c")))
    source = step_files([str(path)])
    assert [job.name for job in source.jobs()] == ["a"]
    [problem] = source.problems()
    assert (problem.count, problem.remedy.en) == (2, "Give fewer files: one job, its last hours.")


def asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["kb", *arguments])
    monkeypatch.setenv("COLUMNS", "400")
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0), capsys.readouterr().out
