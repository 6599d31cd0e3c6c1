import errno
import gzip
import io
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kb.checks.contract import LogLine
from kb.checks.sources import log_bytes, logs
from kb.checks.sources.logs import MAX_LINE_BYTES, LogFiles, LogTexts

HEAD = "Nov  3 01:00:01 n1 kernel: "


def texts(log: str) -> list[str]:
    return [line.text for line in LogTexts({"kern.log": log}).lines()]


def read(*paths: Path | str) -> tuple[LogFiles, list[LogLine]]:
    source = LogFiles([str(path) for path in paths])
    return source, list(source.lines())


def test_an_indented_line_goes_on_from_the_one_before() -> None:
    log = "[ 1843.308145] NVRM: The GPU\n               NVRM: has\n               NVRM: fallen\n[ 1843.400000] next\n"
    assert texts(log) == ["NVRM: The GPU NVRM: has NVRM: fallen", "next"]


def test_an_indented_line_at_the_beginning_stands_alone() -> None:
    assert texts("   left over\n" + HEAD + "one\n") == ["left over", "one"]


def test_a_long_trace_is_not_joined_without_end() -> None:
    lines = list(LogTexts({"k": HEAD + "trace\n" + "  frame\n" * 100}).lines())
    assert len(lines[0].text) < 200
    assert all(not line.kernel for line in lines[1:])


def test_line_numbers_and_the_raw_line_are_kept() -> None:
    lines = list(LogTexts({"kern.log": "\n\n" + HEAD + "one\n"}).lines())
    assert [(line.file, line.number, line.raw) for line in lines] == [("kern.log", 3, HEAD + "one")]


def test_bytes_that_are_no_text_do_not_end_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "kern.log"
    path.write_bytes(b"\xff\xfe\x00\n" + HEAD.encode() + b"caf\xe9\r\n")
    source, lines = read(path)
    assert lines[-1].text == "caf�"
    assert source.problems() == ()


def test_a_line_without_end_is_cut_and_the_next_one_still_read(tmp_path: Path) -> None:
    path = tmp_path / "kern.log"
    path.write_bytes(HEAD.encode() + b"x" * (5 * MAX_LINE_BYTES) + b"\n" + HEAD.encode() + b"next\n")
    _, lines = read(path)
    assert [line.number for line in lines] == [1, 2]
    assert len(lines[0].raw) <= MAX_LINE_BYTES
    assert lines[1].text == "next"


def test_packed_files_are_read_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "kern.log.2.gz"
    path.write_bytes(gzip.compress((HEAD + "one\n").encode()))
    assert [line.text for line in read(path)[1]] == ["one"]
    renamed = path.rename(tmp_path / "kern.log.2")
    assert [line.text for line in read(renamed)[1]] == ["one"]


def test_a_packed_file_that_was_cut_is_a_problem_and_what_came_out_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "kern.log.gz"
    noise = "".join(f"{HEAD}{os.urandom(16).hex()}\n" for _ in range(5000))
    path.write_bytes(gzip.compress(noise.encode())[:-2000])
    source, lines = read(path)
    assert lines
    assert [remark.kind for remark in source.problems()] == ["crash"]
    assert "ends in the middle" in source.problems()[0].reason.en


def test_a_file_that_is_not_there_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    good = tmp_path / "kern.log"
    good.write_text(HEAD + "one\n", encoding="utf-8")
    source, lines = read(tmp_path / "none.log", good, tmp_path)
    assert [line.text for line in lines] == ["one"]
    assert [problem.where[0]["file"] for problem in source.problems()] == [str(tmp_path / "none.log"), str(tmp_path)]
    assert "No such file" in source.problems()[0].reason.en


def test_standard_input_can_be_read_by_more_than_one_check() -> None:
    source = LogFiles(["-"], stdin=io.BytesIO((HEAD + "one\n" + HEAD + "two\n").encode()))
    first, second = source.lines(), source.lines()
    assert next(first).text == "one"
    assert [line.text for line in second] == ["one", "two"]
    assert [line.text for line in first] == ["two"]
    assert source.files == ("standard input",)
    source.close()


def test_two_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "dmesg").write_text("[    1.000000] one\n", encoding="utf-8")
    _, lines = read(tmp_path / "a" / "dmesg", tmp_path / "b" / "dmesg")
    assert len({line.file for line in lines}) == 2


@pytest.mark.parametrize("text", ["", "\n", "   \n"])
def test_an_empty_file_has_no_line_and_is_still_named(text: str) -> None:
    source = LogTexts({"kern.log": text})
    assert (list(source.lines()), source.files) == ([], ("kern.log",))


def test_standard_input_of_the_process_is_read_where_no_other_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((HEAD + "one\n").encode())))
    source = LogFiles(["-"])
    assert [line.text for line in source.lines()] == ["one"]
    source.close()


def test_a_small_log_is_taken_apart_once_for_all_checks_and_a_large_one_is_streamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, packed = tmp_path / "a.log", tmp_path / "b.log"
    plain.write_text(f"{HEAD}one\n{HEAD}two\n", encoding="utf-8")
    packed.write_bytes(gzip.compress(f"{HEAD}three\n".encode()))
    taken: list[str] = []
    real = logs.take_apart
    monkeypatch.setattr(logs, "take_apart", lambda line: taken.append(line) or real(line))
    source = LogFiles([str(plain), str(packed)])
    first, second = list(source.lines()), list(source.lines())
    assert [line.text for line in first] == ["one", "two", "three"]
    assert (first, len(taken)) == (second, 3)
    monkeypatch.setattr(logs, "KEPT_BYTES", 100)
    large = LogFiles([str(plain), str(packed)])
    assert list(large.lines()) == list(large.lines()) == first
    assert len(taken) == 9


@contextmanager
def pipe(path: Path, content: bytes) -> Iterator[Path]:
    """A named pipe that says this once, to whoever opens it first."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    yield path
    writer.join(timeout=10)
    assert not writer.is_alive()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kept", [logs.KEPT_BYTES, 0])
def test_a_named_pipe_can_be_read_by_more_than_one_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int, packed: bool
) -> None:
    monkeypatch.setattr(logs, "KEPT_BYTES", kept)
    content = f"{HEAD}one\n{HEAD}two\n".encode()
    with pipe(tmp_path / "old", gzip.compress(content) if packed else content) as path:
        source, lines = read(path)
    assert [(line.file, line.number, line.text) for line in lines] == [(str(path), 1, "one"), (str(path), 2, "two")]
    assert list(source.lines()) == list(source.lines()) == lines
    assert source.problems() == ()
    source.close()


def test_a_pipe_of_the_shell_is_read_once_for_checks_that_run_at_once() -> None:
    inside, outside = os.pipe()
    with os.fdopen(outside, "wb") as writer:
        writer.write(f"{HEAD}one\n".encode() * 50)
    source = LogFiles([f"/dev/fd/{inside}"])
    heard: list[int] = []
    threads = [threading.Thread(target=lambda: heard.append(len(list(source.lines())))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    os.close(inside)
    assert heard == [50] * 4
    source.close()


def test_a_pipe_that_cannot_be_copied_is_the_same_problem_for_every_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(log_bytes.shutil, "copyfileobj", full)
    good = tmp_path / "kern.log"
    good.write_text(HEAD + "one\n", encoding="utf-8")
    source = LogFiles(["-", str(good)], stdin=io.BytesIO(b"never said"))
    for _ in range(2):
        assert [line.text for line in source.lines()] == ["one"]
        assert "No space left" in source.problems()[0].reason.en


def test_the_copies_of_pipes_go_with_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_bytes.tempfile, "tempdir", str(tmp_path))
    source = LogFiles(["-"], stdin=io.BytesIO(b"one\n"))
    assert [line.text for line in source.lines()] == ["one"]
    assert len(list(tmp_path.iterdir())) == 1
    source.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kept", [logs.KEPT_BYTES, 0])
@pytest.mark.parametrize("packed", [False, True])
def test_every_check_reads_a_growing_log_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int, packed: bool
) -> None:
    monkeypatch.setattr(logs, "KEPT_BYTES", kept)
    path = tmp_path / "kern.log"
    more = (HEAD + "one\n").encode() * 2000
    path.write_bytes(gzip.compress(more) if packed else more)
    source = LogFiles([str(path)])
    half = source.lines()
    first = [next(half) for _ in range(3)]
    with path.open("ab") as log:
        log.write(gzip.compress(b"later\n") if packed else b"later\n")
    first += half
    assert len(first) == 2000
    assert list(source.lines()) == first
    assert source.problems() == ()


def test_a_log_that_another_takes_the_place_of_is_not_read_as_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "KEPT_BYTES", 0)
    path, other = tmp_path / "kern.log", tmp_path / "new"
    path.write_text(HEAD + "one\n", encoding="utf-8")
    source, lines = read(path)
    other.write_text(HEAD + "another boot\n" * 9, encoding="utf-8")
    other.replace(path)
    assert (len(lines), list(source.lines())) == (1, [])
    assert "was replaced or cut" in source.problems()[0].reason.en
    path.unlink()
    assert list(source.lines()) == []
    assert "No such file" in source.problems()[0].reason.en


def test_a_log_that_is_cut_while_it_is_read_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "KEPT_BYTES", 0)
    path = tmp_path / "kern.log"
    path.write_text((HEAD + "one\n") * 20_000, encoding="utf-8")
    source = LogFiles([str(path)])
    reading = source.lines()
    next(reading)
    os.truncate(path, 0)
    assert len(list(reading)) < 19_999
    assert [remark.kind for remark in source.problems()] == ["crash"]
    assert list(source.lines()) == []


def test_a_small_log_that_goes_away_is_still_there_for_the_other_checks(tmp_path: Path) -> None:
    path = tmp_path / "kern.log"
    path.write_text(HEAD + "one\n", encoding="utf-8")
    source, lines = read(path, tmp_path / "empty")
    path.unlink()
    assert list(source.lines()) == lines
    assert [place["file"] for problem in source.problems() for place in problem.where] == [str(tmp_path / "empty")]


def test_a_file_without_a_size_is_read_whole() -> None:
    source, lines = read("/proc/self/status")
    assert lines
    assert source.problems() == ()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("bound", ["SILENT", "WHOLE"])
def test_a_pipe_that_does_not_end_is_read_as_far_as_it_came_and_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool, bound: str
) -> None:
    monkeypatch.setattr(log_bytes, bound, 0.2)
    said = "".join(f"{HEAD}{os.urandom(16).hex()}\n" for _ in range(3000)).encode()
    os.mkfifo(path := tmp_path / "old")
    with path.open("r+b", buffering=0) as writer:
        thread = threading.Thread(target=writer.write, args=(gzip.compress(said)[:-9] if packed else said,))
        thread.start()
        source, lines = read(path)
        thread.join(timeout=10)
        assert len(lines) > 2000
        assert list(source.lines()) == lines
    [problem] = source.problems()
    assert problem.kind == "timeout"
    assert problem.reason.en == f"{path} had not ended after 0 s; it was read as far as it had come."
    assert "End what writes to it" in problem.remedy.en
    source.close()


def test_a_named_pipe_that_nobody_writes_to_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_bytes, "SILENT", 0.1)
    os.mkfifo(path := tmp_path / "old")
    waits: list[float] = []
    real = log_bytes.time.monotonic
    monkeypatch.setattr(log_bytes.time, "monotonic", lambda: waits.append(1) or real())
    source = LogFiles([str(path)])
    for _ in range(3):
        assert list(source.lines()) == []
        assert [problem.kind for problem in source.problems()] == ["timeout"]
    assert len(waits) == 3
    source.close()


def test_standard_input_that_goes_on_is_read_as_far_as_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_bytes, "SILENT", 0.1)
    inside, outside = os.pipe()
    os.write(outside, f"{HEAD}one\n".encode())
    with os.fdopen(inside, "rb") as stdin:
        source = LogFiles(["-"], stdin=stdin)
        assert [line.text for line in source.lines()] == ["one"]
        os.close(outside)
    assert "standard input had not ended after 0 s" in source.problems()[0].reason.en
    source.close()
