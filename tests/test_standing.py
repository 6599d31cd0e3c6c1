"""kb check --steps --standing: open calls are a hang only where the job is known to stand still."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.cli import main
from kb.settings import Settings

Run = Callable[..., tuple[int, str]]
HANG = "training/communication_hang"


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """Eight ranks; rank 3 never makes the sixth call."""
    rows = [
        {"rank": rank, "communicator": "dp", "sequence": n, "operation": "AllGather", "enter_s": float(n)}
        | ({"leave_s": n + 0.4} if n < 5 else {})
        for n in range(6)
        for rank in range(8)
        if (n, rank) != (5, 3)
    ]
    path = tmp_path / "calls.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def check(settings: Settings, calls: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("KB_DATA", settings.data)

    def run(*more: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["kb", "check", "--steps", str(calls), "--check", HANG, *more])
        with pytest.raises(SystemExit) as stop:
            main()
        return int(stop.value.code or 0), capsys.readouterr().out

    return run


def test_the_missing_rank_is_named_and_drawn(check: Run) -> None:
    status, out = check("--standing")
    assert status == 1
    assert "call 5 of dp is stuck on ranks 3" in out
    assert "3 ·····  <" in out
    assert "not called" in out


def test_open_calls_at_the_end_of_the_records_are_unknown_and_never_clear(check: Run) -> None:
    status, out = check("--lang", "ko")
    assert status == 3
    assert "--standing" in out
    assert "발견" not in out
