"""A replay's data behind the same protocols as the live sources.

PromQL is evaluated by the real promtool and by nothing else: each query becomes an expression test whose
expectation cannot come true, and what promtool says it got instead is the answer.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from kb import yaml_text
from kb.checks.card import PrometheusData, Replay, SourceName
from kb.checks.contract import Ask, Sample, Source
from kb.checks.series import length
from kb.checks.sources.logs import LogTexts
from kb.errors import DataError, SourceError, ToolMissing

NEVER = "kb_expectation_that_never_comes_true"
TIMEOUT_SECONDS = 120.0
HEAD = re.compile(r'    expr: ("(?:\\.|[^"\\])*"), time: \S+?,(?: err: (?P<error>.*))?')
GOT = re.compile(r"        got: (?P<got>.*)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:\\.|[^"\\])*)"(?:, |(?=\}))')
ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)")
PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


class PromtoolSource:
    """The series of a replay. Its clock stands at `at`, in seconds from the start of the data."""

    kind = SourceName.prometheus

    def __init__(self, data: PrometheusData, at: float | None = None, *, promtool: str = "promtool") -> None:
        self.name = "promtool"
        self.data = data
        self._at = length(data) if at is None else at
        self._promtool = promtool

    def now(self) -> float:
        return self._at

    def query(self, expr: str, at: float) -> list[Sample]:
        return self.query_many([Ask(expr, at)])[0]

    def query_many(self, asks: Sequence[Ask]) -> list[list[Sample]]:
        """All in one run of promtool. Before the start of the data there is nothing.

        Raises:
            ToolMissing: promtool is not installed.
            SourceError: promtool does not accept the data or an expression.
        """
        within = [ask for ask in asks if ask.at >= 0]
        answers = iter(evaluate(self.data, within, self._promtool) if within else [])
        return [next(answers) if ask.at >= 0 else [] for ask in asks]


def source_of(replay: Replay, at: float | None, *, promtool: str = "promtool") -> Source:
    """The source a replay stands for.

    Raises:
        DataError: a kind of data that no check of this version reads.
    """
    data = replay.data
    if data is not None and data.prometheus is not None:
        return PromtoolSource(data.prometheus, at, promtool=promtool)
    if data is not None and data.logs is not None:
        return LogTexts(data.logs.files)
    raise DataError("The replay has no data that can be replayed.", field="data")


def evaluate(data: PrometheusData, asks: Sequence[Ask], promtool: str) -> list[list[Sample]]:
    """The vectors that promtool gets, in the order asked."""
    program = find(promtool)
    with tempfile.TemporaryDirectory(prefix="kb-replay-") as folder:
        path = Path(folder) / "test.yml"
        path.write_text(test_file(data, asks), encoding="utf-8")
        try:
            # promtool is found by name on purpose; its only argument is our own file.
            done = subprocess.run(  # noqa: S603
                [program, "test", "rules", str(path)],
                capture_output=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
                text=True,
                encoding="utf-8",
            )
        except subprocess.TimeoutExpired as error:
            raise SourceError("promtool did not end in time.", reason_kind="timeout") from error
    return answers_of(done.stdout + done.stderr, asks)


def find(promtool: str) -> str:
    program = shutil.which(promtool)
    if program is None:
        raise ToolMissing(
            f"`{promtool}` is not installed, and PromQL replays need it.",
            next_step="Install the package `prometheus` (Debian, Ubuntu) or name the program in KB_PROMTOOL.",
        )
    return program


@cache
def version(promtool: str = "promtool") -> str:
    """`promtool 2.42.0+ds`."""
    done = subprocess.run(  # noqa: S603
        [find(promtool), "--version"], capture_output=True, timeout=30, check=False, text=True
    )
    match = re.search(r"version (\S+?),? ", done.stdout + done.stderr)
    return f"promtool {match[1]}" if match else "promtool"


def test_file(data: PrometheusData, asks: Sequence[Ask]) -> str:
    """A rule-less test file; promtool's times are whole milliseconds."""
    return yaml_text.dump(
        {
            "rule_files": [],
            "tests": [
                {
                    "interval": data.interval,
                    "input_series": [{"series": s.series, "values": s.values} for s in data.series],
                    "promql_expr_test": [
                        {
                            "expr": ask.expr,
                            "eval_time": f"{round(ask.at * 1000)}ms",
                            "exp_samples": [{"labels": NEVER, "value": "1"}],
                        }
                        for ask in asks
                    ],
                }
            ],
        }
    )


def answers_of(output: str, asks: Sequence[Ask]) -> list[list[Sample]]:
    """Read promtool's list of failed expectations.

    Raises:
        SourceError: an expression that promtool refuses, or an output of another form.
    """
    answers: list[list[Sample]] = []
    for line in output.splitlines():
        head = HEAD.fullmatch(line)
        if head and head["error"]:
            expr = unquote(head[1][1:-1])[:300]
            raise SourceError(f"promtool refuses {expr}: {head['error']}.", reason_kind="unsupported")
        got = GOT.fullmatch(line)
        if got and len(answers) < len(asks):
            answers.append(parse_vector(got["got"], asks[len(answers)].at))
    if len(answers) != len(asks):
        said = " ".join(line.strip() for line in output.splitlines() if line.strip())
        what = f"promtool answered {len(answers)} of {len(asks)} questions: {said[:300]}"
        raise SourceError(what, reason_kind="unsupported")
    return answers


def parse_vector(text: str, at: float) -> list[Sample]:
    """`{a="b", c="d"} 1E+00, {} 2E+00` as samples; `nil` as none."""
    if text == "nil":
        return []
    samples: list[Sample] = []
    place = 0
    while place < len(text):
        if text[place] != "{":
            what = f"promtool wrote a vector of another form: {text[:200]}."
            raise SourceError(what, reason_kind="unsupported")
        place += 1
        labels: dict[str, str] = {}
        while match := LABEL.match(text, place):
            labels[match[1]] = unquote(match[2])
            place = match.end()
        value, _, _ = text[place + 2 :].partition(", ")
        samples.append(Sample(labels, float(value), at))
        place += 2 + len(value) + 2
    return samples


def unquote(text: str) -> str:
    """Undo Go's quoting."""

    def plain(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "xuU" and len(code) > 1:
            return chr(int(code[1:], 16))
        return PLAIN_ESCAPES.get(code, code)

    return ESCAPE.sub(plain, text)
