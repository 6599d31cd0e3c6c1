import subprocess
from pathlib import Path
from typing import Any

import pytest

from kb.checks.card import PrometheusData
from kb.checks.contract import Ask
from kb.checks.sources import promtool
from kb.checks.sources.promtool import Promtool, Together, answers_of, parse_vector, version
from kb.errors import SourceError, ToolMissing


def series(value: int) -> PrometheusData:
    return PrometheusData.model_validate({"interval": "1m", "series": [{"series": "m", "values": f"{value}x5"}]})


DATA = series(1)


def test_an_answer_that_is_cut_is_not_taken_for_an_empty_one() -> None:
    with pytest.raises(SourceError, match="answered 1 of 2"):
        answers_of("        got: nil\n", [Ask("a", 0), Ask("b", 0)])


def test_a_vector_of_another_form_is_refused() -> None:
    with pytest.raises(SourceError, match="another form"):
        parse_vector("m 1", 0)


def test_without_promtool_the_package_is_named() -> None:
    with pytest.raises(ToolMissing, match="Debian"):
        Promtool("promtool-that-is-not-there").evaluate(DATA, [Ask("m", 0)])


def test_the_version_of_promtool_is_known() -> None:
    assert version().startswith("promtool 2.")


def test_many_replays_share_runs_and_each_gets_its_own_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    real, runs = promtool.run, []

    def counted(program: str, blocks: list[promtool.Block]) -> list[str]:
        runs.append(len(blocks))
        return real(program, blocks)

    monkeypatch.setattr(promtool, "run", counted)
    together = Together()

    def work(number: int) -> tuple[float, float]:
        [first], [] = together.evaluate(series(number), [Ask("m", 0), Ask("m > 100", 0)])
        # Every third asks no second time, and the others must not wait for it.
        [[second]] = together.evaluate(series(number), [Ask("m + 1", 60)]) if number % 3 else [[first]]
        return first.value, second.value

    told: list[int] = []
    answers = together.each(range(30), work, told.append)
    assert answers == {number: (number, number + 1 if number % 3 else number) for number in range(30)}
    assert sorted(told) == list(range(30))
    assert sum(runs) == 50
    assert len(runs) < 20


def test_an_error_of_one_replay_is_its_own_and_nobody_waits_for_it() -> None:
    together = Together()

    def work(expr: str) -> str:
        try:
            return str(together.evaluate(DATA, [Ask(expr, 0)])[0][0].value)
        except SourceError as error:
            return error.reason_kind

    assert together.each(["m", "m * 2", "m *", "no_such(m)"], work) == {
        "m": "1.0", "m * 2": "2.0", "m *": "unsupported", "no_such(m)": "unsupported",
    }  # fmt: skip

    def broken(expr: str) -> None:
        together.evaluate(DATA, [Ask(expr, 0)])
        raise KeyError(expr)

    with pytest.raises(KeyError, match="m"):
        together.each(["m", "m + 1"], broken)


def test_series_of_one_replay_that_cannot_be_read_leave_the_others_alone() -> None:
    broken = PrometheusData.model_validate({"interval": "1m", "series": [{"series": "m{", "values": "1"}]})
    together = Together()

    def work(number: int) -> str:
        try:
            return str(together.evaluate([DATA, broken, series(3)][number], [Ask("m", 0)])[0][0].value)
        except SourceError as error:
            return error.reason_kind

    assert together.each(range(3), work) == {0: "1.0", 1: "unsupported", 2: "3.0"}


def test_without_promtool_everybody_is_told() -> None:
    together = Together("promtool-that-is-not-there")
    with pytest.raises(ToolMissing, match="Debian"):
        together.each(["m"], lambda expr: together.evaluate(DATA, [Ask(expr, 0)]))


def test_whatever_goes_wrong_nobody_is_left_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(program: str, blocks: list[promtool.Block]) -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(promtool, "run", full)
    together = Together()
    with pytest.raises(OSError, match="No space left"):
        together.each(range(3), lambda number: together.evaluate(series(number), [Ask("m", 0)]))


def test_a_replay_over_which_promtool_hangs_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    real = subprocess.run

    def hanging(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        texts = [Path(path).read_text(encoding="utf-8") for path in command[3:]]
        if len(texts) == 1 and "hang" in texts[0]:
            raise subprocess.TimeoutExpired(command, 1.0)
        if any("hang" in text for text in texts):
            return subprocess.CompletedProcess(command, 2, "", "promtool was killed")
        return real(command, **options)

    monkeypatch.setattr(promtool.subprocess, "run", hanging)
    together = Together()

    def work(number: int) -> str:
        try:
            return str(together.evaluate(series(number), [Ask("hang" if number == 1 else "m", 0)])[0][0].value)
        except SourceError as error:
            return error.reason_kind

    assert together.each(range(3), work) == {0: "0.0", 1: "timeout", 2: "2.0"}
