"""The real promtool, and nothing else, evaluates PromQL over the series of a replay.

Each question becomes an expression test whose expectation cannot come true; what promtool says it got instead is
the answer. A run of promtool costs some sixty milliseconds before it reads its first series, so that many replays
at once share runs: `Together`.
"""

import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from kb import yaml_text
from kb.checks.card import PrometheusData
from kb.checks.contract import Ask, Sample
from kb.errors import SourceError, ToolMissing

NEVER = "kb_expectation_that_never_comes_true"
TIMEOUT_SECONDS = 300.0
#: Replays that wait for each other's questions; each is a thread that does little but wait.
TOGETHER = 48
#: What promtool writes before the failed expectations of each file, on standard error.
SECTION = "  FAILED:"
HEAD = re.compile(r'    expr: ("(?:\\.|[^"\\])*"), time: \S+?,(?: err: (?P<error>.*))?')
GOT = re.compile(r"        got: (?P<got>.*)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:\\.|[^"\\])*)"(?:, |(?=\}))')
ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)")
PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}

Block = tuple[PrometheusData, Sequence[Ask]]
"""The series of one replay and what is asked of them."""
Answers = list[list[Sample]]
"""One vector for each question of a block."""
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Evaluator(Protocol):
    """What answers the questions of a replay."""

    def evaluate(self, data: PrometheusData, asks: Sequence[Ask]) -> Answers:
        """The vectors, in the order asked.

        Raises:
            ToolMissing: promtool is not installed.
            SourceError: promtool does not accept the data or an expression.
        """

    def version(self) -> str:
        """`promtool 2.42.0+ds`."""


@dataclass(frozen=True)
class Promtool:
    """One run for each block."""

    program: str = "promtool"

    def evaluate(self, data: PrometheusData, asks: Sequence[Ask]) -> Answers:
        return answers_of(run(self.program, [(data, asks)])[0], asks)

    def version(self) -> str:
        return version(self.program)


@dataclass
class Waiting:
    """One block in the queue and, later, what promtool said of it."""

    block: Block
    said: str | Exception | None = None


@dataclass
class Together:
    """Shares runs between the workers of `each`: promtool is run when all of them wait for it."""

    program: str = "promtool"
    _lock: threading.Condition = field(default_factory=threading.Condition)
    _working: int = 0
    _queue: list[Waiting] = field(default_factory=list)

    def version(self) -> str:
        return version(self.program)

    def evaluate(self, data: PrometheusData, asks: Sequence[Ask]) -> Answers:
        mine = Waiting((data, asks))
        with self._lock:
            self._queue.append(mine)
            self._working -= 1
            if self._working == 0:
                self._run()
            while mine.said is None:
                self._lock.wait()
        return answers_of(mine.said, asks)

    def each(
        self, keys: Collection[K], work: Callable[[K], T], done: Callable[[K], None] = lambda _: None
    ) -> dict[K, T]:
        """`work` of every key, in threads of which each may ask; the first error is raised when all have ended."""

        def worked(key: K) -> T:
            with self._at_work():
                out = work(key)
            done(key)
            return out

        with ThreadPoolExecutor(min(TOGETHER, max(len(keys), 1))) as pool:
            futures = {key: pool.submit(worked, key) for key in keys}
        return {key: future.result() for key, future in futures.items()}

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        with self._lock:
            self._working += 1
        try:
            yield
        finally:
            with self._lock:
                self._working -= 1
                if self._working == 0 and self._queue:
                    self._run()

    def _run(self) -> None:
        """Answer everybody who waits; the lock is held, for nobody else has anything to do."""
        waiting, self._queue = self._queue, []
        try:
            for one, said in zip(waiting, run(self.program, [one.block for one in waiting]), strict=True):
                one.said = said
        except Exception as error:  # whatever it is, nobody may be left waiting
            for one in waiting:
                one.said = error
        finally:
            self._working += len(waiting)
            self._lock.notify_all()


def run(promtool: str, blocks: Sequence[Block]) -> list[str | Exception]:
    """What one run of promtool says of each block; if it does not speak of each, what it says or raises for each alone.

    Raises:
        ToolMissing: promtool is not installed.
        SourceError: it does not end in time.
    """
    program = find(promtool)
    with tempfile.TemporaryDirectory(prefix="kb-replay-") as folder:
        paths = [Path(folder) / f"{number}.yml" for number in range(len(blocks))]
        for path, (data, asks) in zip(paths, blocks, strict=True):
            path.write_text(test_file(data, asks), encoding="utf-8")
        try:
            # promtool is found by name on purpose; its only arguments are our own files.
            done = subprocess.run(  # noqa: S603
                [program, "test", "rules", *map(str, paths)],
                capture_output=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
                text=True,
                encoding="utf-8",
            )
        except subprocess.TimeoutExpired as error:
            raise SourceError("promtool did not end in time.", reason_kind="timeout") from error
    sections = f"\n{done.stderr}".split(f"\n{SECTION}\n")[1:]
    if len(sections) == len(blocks):
        return list(sections)
    if len(blocks) == 1:
        return [done.stdout + done.stderr]
    return [_alone(promtool, block) for block in blocks]


def _alone(promtool: str, block: Block) -> str | Exception:
    try:
        return run(promtool, [block])[0]
    except (SourceError, OSError, UnicodeDecodeError) as error:
        return error


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


def answers_of(output: str | Exception, asks: Sequence[Ask]) -> list[list[Sample]]:
    """Read promtool's list of failed expectations.

    Raises:
        SourceError: an expression that promtool refuses, or an output of another form.
        Exception: what was raised in place of an output.
    """
    if isinstance(output, Exception):
        raise output
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
