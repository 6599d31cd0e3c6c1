"""Text logs, streamed: plain files, .gz, pipes and standard input.

Dozens of checks read the same files. Small ones are taken apart once and kept; larger ones are read anew by each check,
which holds a line of them. Taking lines apart is a quarter of what checks do with a training log, so that sharing it
would save little.
"""

import gzip
import io
import sys
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from kb.checks.card import SourceName
from kb.checks.contract import LogLine, ReasonKind, Unknown
from kb.checks.sources.log_bytes import Changed, Held, Unended, copied, hold
from kb.checks.sources.log_forms import clean, continues, take_apart
from kb.model import Text

MAX_LINE_BYTES = 64 * 1024
#: Files up to this, all together, are kept as messages: some ten times as much memory.
KEPT_BYTES = 16 * 1024 * 1024
#: What a packed file may unpack to.
UNPACKED = 20
#: Lines joined to one message at most; a trace may go on for pages.
MAX_JOINED = 20
GZIP_MAGIC = b"\x1f\x8b"
STDIN = "-"
REMEDY = Text(en="Give a log that can be read to its end.", ko="끝까지 읽을 수 있는 로그를 주십시오.")


class LogFiles:
    """The files of one run, as they were when it first looked at them.

    `-` is standard input (`stdin`, or that of the process). It and whatever else can be read only once, such as a named
    pipe, is kept in a temporary file for every check to read. One that does not end in time is read as far as it came,
    and said to be a problem.
    """

    kind = SourceName.logs

    def __init__(self, paths: Sequence[str], *, stdin: BinaryIO | None = None) -> None:
        self.paths = tuple(paths)
        self.files = tuple(shown(path) for path in paths)
        self.name = ", ".join(self.files)
        self._stdin = stdin
        self._lock = threading.Lock()
        self._held: dict[str, Held | OSError] = {}
        self._reading = threading.Lock()
        self._problems: dict[str, Unknown] = {}
        self._small: bool | None = None
        self._kept: tuple[LogLine, ...] | None = None

    def lines(self) -> Iterator[LogLine]:
        with self._reading:
            if self._small is None:
                self._small = sum(self._weight(path) for path in self.paths) <= KEPT_BYTES
            if self._small and self._kept is None:
                self._kept = tuple(self._read())
        return self._read() if self._kept is None else iter(self._kept)

    def _weight(self, path: str) -> int:
        """Bytes of text in a file, for a packed one at most; nothing where it cannot be read."""
        try:
            held = self._hold(path)
            with held.open() as opened:
                first = opened.peek(2)
        except OSError:
            return 0
        if not held.size:
            # What has no size and yet says something, as below /proc, may be long.
            return KEPT_BYTES + 1 if first else 0
        return held.size * (UNPACKED if first.startswith(GZIP_MAGIC) else 1)

    def _read(self) -> Iterator[LogLine]:
        for path in self.paths:
            try:
                with self._open(path) as stream:
                    yield from messages(shown(path), raw_lines(stream))
            except Unended as error:
                self._endless(path, error.seconds)
            except PermissionError:
                self._fault(path, ReasonKind.forbidden, "may not be read", "읽을 권한이 없습니다")
            except Changed:
                self._fault(path, ReasonKind.crash, "was replaced or cut while it was read", "읽는 동안 바뀌었습니다")
            except OSError as error:
                why = error.strerror or "it is damaged"
                self._fault(path, ReasonKind.crash, f"cannot be read: {why}", f"읽을 수 없습니다({why})")
            except (EOFError, zlib.error):
                self._fault(path, ReasonKind.crash, "ends in the middle", "중간에서 잘렸습니다")

    def close(self) -> None:
        """Let go of what standard input and pipes said."""
        for held in self._held.values():
            if isinstance(held, Held):
                held.close()

    def problems(self) -> tuple[Unknown, ...]:
        return tuple(self._problems[path] for path in self.paths if path in self._problems)

    def _endless(self, path: str, seconds: float) -> None:
        self._fault(
            path, ReasonKind.timeout, f"had not ended after {seconds:.0f} s; it was read as far as it had come",
            f"{seconds:.0f}초가 지나도 끝나지 않아 그때까지 나온 내용만 읽었습니다",
            Text(
                en="End what writes to it, or let it write to a file and give that.",
                ko="쓰는 쪽을 끝내거나, 파일로 저장한 뒤 그 파일을 주십시오.",
            ),
        )  # fmt: skip

    def _fault(self, path: str, kind: ReasonKind, en: str, ko: str, remedy: Text = REMEDY) -> None:
        reason = Text(en=f"{shown(path)} {en}.", ko=f"{shown(path)}: {ko}.")
        self._problems[path] = Unknown(reason, kind, remedy, ({"file": shown(path)},), 1)

    @contextmanager
    def _open(self, path: str) -> Iterator[IO[bytes]]:
        held = self._hold(path)
        try:
            with held.open() as plain:
                if plain.peek(2).startswith(GZIP_MAGIC):
                    with gzip.open(plain, "rb") as packed:
                        yield io.BufferedReader(packed)
                else:
                    yield plain
        except (EOFError, zlib.error):
            # What was cut by us is not damaged.
            if held.waited is None:
                raise
        if held.waited is not None:
            raise Unended(held.waited)

    def _hold(self, path: str) -> Held:
        """Looked up by whoever comes first. What went wrong then goes wrong for all: a pipe has no second reading."""
        with self._lock:
            if path not in self._held:
                try:
                    self._held[path] = copied(self._stdin or sys.stdin.buffer) if path == STDIN else hold(Path(path))
                except OSError as error:
                    self._held[path] = error
            held = self._held[path]
        if isinstance(held, OSError):
            raise OSError(held.errno, held.strerror)
        return held


class LogTexts:
    """Logs held as text: what a replay carries."""

    kind = SourceName.logs

    def __init__(self, files: dict[str, str]) -> None:
        self._texts = files
        self.files = tuple(files)
        self.name = ", ".join(files)

    def lines(self) -> Iterator[LogLine]:
        for name, text in self._texts.items():
            yield from messages(name, raw_lines(io.BytesIO(text.encode())))

    def problems(self) -> tuple[Unknown, ...]:
        return ()


def raw_lines(stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    """Number and text of each line. Bytes that are not UTF-8 become U+FFFD; what exceeds 64 kB is dropped."""
    number = 0
    inside = False
    while raw := stream.readline(MAX_LINE_BYTES):
        if not inside:
            number += 1
            yield number, clean(raw.decode("utf-8", "replace"))
        inside = not raw.endswith(b"\n")


def messages(name: str, lines: Iterator[tuple[int, str]]) -> Iterator[LogLine]:
    """Lines joined to messages: an indented line without a head of its own goes on from the one before."""
    held: LogLine | None = None
    joined = 0
    for number, line in lines:
        form = take_apart(line)
        if form is None and held is not None and joined < MAX_JOINED and continues(line):
            held = _longer(held, line)
            joined += 1
            continue
        if held is not None:
            yield held
        joined = 0
        if form is None:
            held = LogLine(name, number, line.strip(), line, kernel=False) if line.strip() else None
        else:
            held = LogLine(name, number, form.text, line, form.kernel, form.host, form.time)
    if held is not None:
        yield held


def _longer(held: LogLine, line: str) -> LogLine:
    return held._replace(text=f"{held.text} {line.strip()}", raw=f"{held.raw}\n{line}")


def shown(path: str) -> str:
    """How a file is named in a report: as the user named it."""
    return "standard input" if path == STDIN else path
