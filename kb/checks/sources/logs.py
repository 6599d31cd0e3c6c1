"""Text logs, streamed: plain files, .gz, and standard input.

Dozens of checks read the same files. Small ones are taken apart once and kept; of larger ones only a line is held.
"""

import gzip
import io
import shutil
import sys
import tempfile
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from kb.checks.card import SourceName
from kb.checks.contract import LogLine, ReasonKind, Unknown
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


class LogFiles:
    """The files of one run.

    `-` is standard input (`stdin`, or that of the process), kept in a temporary file for every check to read.
    """

    kind = SourceName.logs

    def __init__(self, paths: Sequence[str], *, stdin: BinaryIO | None = None) -> None:
        self.paths = tuple(paths)
        self.files = tuple(shown(path) for path in paths)
        self.name = ", ".join(self.files)
        self._stdin = stdin
        self._spooled: tempfile._TemporaryFileWrapper[bytes] | None = None
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._problems: dict[str, Unknown] = {}
        self._kept: tuple[LogLine, ...] | None = None

    def lines(self) -> Iterator[LogLine]:
        if self._small():
            with self._reading:
                if self._kept is None:
                    self._kept = tuple(self._read())
            return iter(self._kept)
        return self._read()

    def _small(self) -> bool:
        """Whether all of it may be kept; what has no size, such as a pipe, or cannot be read may not."""
        try:
            return sum(_weight(Path(self._spool() if path == STDIN else path)) for path in self.paths) <= KEPT_BYTES
        except OSError:
            return False

    def _read(self) -> Iterator[LogLine]:
        for path in self.paths:
            try:
                with self._open(path) as stream:
                    yield from messages(shown(path), raw_lines(stream))
            except PermissionError:
                self._fault(path, ReasonKind.forbidden, "may not be read", "읽을 권한이 없습니다")
            except OSError as error:
                why = error.strerror or "it is damaged"
                self._fault(path, ReasonKind.crash, f"cannot be read: {why}", f"읽을 수 없습니다({why})")
            except (EOFError, zlib.error):
                self._fault(path, ReasonKind.crash, "ends in the middle", "중간에서 잘렸습니다")

    def close(self) -> None:
        """Let go of what standard input said."""
        if self._spooled is not None:
            self._spooled.close()

    def problems(self) -> tuple[Unknown, ...]:
        return tuple(self._problems[path] for path in self.paths if path in self._problems)

    def _fault(self, path: str, kind: ReasonKind, en: str, ko: str) -> None:
        self._problems[path] = Unknown(
            Text(en=f"{shown(path)} {en}.", ko=f"{shown(path)}: {ko}."),
            kind,
            Text(en="Give a log that can be read to its end.", ko="끝까지 읽을 수 있는 로그를 주십시오."),
            ({"file": shown(path)},),
            1,
        )

    @contextmanager
    def _open(self, path: str) -> Iterator[IO[bytes]]:
        if path == STDIN:
            with Path(self._spool()).open("rb") as spooled:
                yield spooled
            return
        with Path(path).open("rb") as plain:
            magic = plain.read(2)
            plain.seek(0)
            if magic == GZIP_MAGIC:
                with gzip.open(plain, "rb") as packed:
                    yield io.BufferedReader(packed)
            else:
                yield plain

    def _spool(self) -> str:
        """The name of a temporary file that holds what standard input said; it goes with this object."""
        with self._lock:
            if self._spooled is None:
                self._spooled = tempfile.NamedTemporaryFile(prefix="kb-stdin-")  # noqa: SIM115
                shutil.copyfileobj(self._stdin or sys.stdin.buffer, self._spooled, 1 << 20)
                self._spooled.flush()
            return self._spooled.name


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


def _weight(file: Path) -> int:
    """Bytes of text in a file, for a packed one at most."""
    if not file.is_file():
        return KEPT_BYTES + 1
    with file.open("rb") as opened:
        packed = opened.read(2) == GZIP_MAGIC
    return file.stat().st_size * (UNPACKED if packed else 1)


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
