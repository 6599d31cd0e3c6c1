import json
from pathlib import Path

from kb.steps.follow import Follower, Watch
from kb.steps.verdict import VerdictKind
from kb.steps.writer import StepWriter


def line(rank: int, step: int, slow: bool) -> str:
    seconds = 0.25 if slow and rank == 2 else 0.1
    return json.dumps({"rank": rank, "dp": rank, "step": step, "phase": "forward", "duration_s": seconds}) + "\n"


def test_only_whole_lines_are_taken_and_half_ones_wait(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    path.write_text("one\ntw")
    follower = Follower([path])
    assert follower.look() == ["one\n"]
    assert follower.look() == []
    with path.open("a") as file:
        file.write("o\nthree\n")
    assert follower.look() == ["two\n", "three\n"]


def test_a_file_that_is_replaced_or_cut_is_read_anew_and_one_that_goes_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    path.write_text("one\n")
    follower = Follower([tmp_path])
    assert follower.look() == ["one\n"]
    path.rename(tmp_path / "old")
    path.write_text("first\nsecond\n")
    assert follower.look() == ["first\n", "second\n"]
    path.write_text("cut\n")
    assert follower.look() == ["cut\n"]
    path.unlink()
    assert follower.look() == []


def test_files_that_appear_later_are_taken_in(tmp_path: Path) -> None:
    follower = Follower([tmp_path])
    assert follower.look() == []
    for rank in range(2):
        writer = StepWriter(str(tmp_path / "steps-{rank}.jsonl"), rank=rank)
        writer.record(1, "forward", 0.1)
        writer.close()
    assert len(follower.look()) == 2


def test_what_was_there_before_may_be_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    path.write_text("before\n")
    follower = Follower([path], from_start=False)
    with path.open("a") as file:
        file.write("after\n")
    assert follower.look() == ["after\n"]


def test_a_growing_file_gives_its_verdict_while_the_job_runs(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    follower, watch = Follower([path]), Watch()
    first = None
    for step in range(40):
        with path.open("a") as file:
            file.writelines(line(rank, step, slow=step >= 20) for rank in range(8))
        found = watch.feed(follower.look())
        if found and first is None:
            first = step, found[0]
    assert first is not None
    at, verdict = first
    assert at <= 28
    assert (verdict.kind, verdict.ranks, verdict.first_step) == (VerdictKind.compute_straggler, (2,), 20)


def test_lines_of_something_else_are_counted_and_do_no_harm() -> None:
    watch = Watch()
    assert watch.feed(["nonsense\n", "more\n"]) == []
    assert watch.strange == 2


def test_a_strange_line_among_records_is_counted_and_so_is_what_was_judged() -> None:
    watch = Watch()
    watch.feed([line(rank, step, slow=False) for step in range(3) for rank in range(4)])
    assert not watch.judged
    watch.feed(["nonsense\n", *(line(rank, step, slow=False) for step in range(3, 12) for rank in range(4))])
    assert watch.strange == 1
    assert watch.judged


def test_steps_in_which_a_phase_is_absent_are_not_judged_by_it() -> None:
    watch = Watch()
    watch.feed([line(rank, 0, slow=False) for rank in range(4)])
    watch.feed([line(0, step, slow=False) for step in range(1, 8)])
    watch.finish()
    assert not watch.judged
