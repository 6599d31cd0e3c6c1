"""The bytes of a log: looked up once, so that every check of a run reads the same ones.

Dozens of checks read a file one after the other, and it may grow, be rotated or vanish between them. They read up to
where it ended at first; a file that is another one by then, or shorter, is said to be unreadable. What can be read only
once (a pipe, a terminal, standard input) is kept in a temporary file, which goes with its object. Its end is not waited
for without end, since `tail -f` has none.
"""

import io
import os
import select
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

COPIED = 1 << 20
#: Seconds in which a stream may say nothing, also before it begins: a password may have to be typed first.
SILENT = 60.0
#: Seconds that a stream may go on: some fifty gigabytes, unpacked on the way.
WHOLE = 600.0


class Changed(OSError):
    """A file that is no longer the one that was first looked at, or shorter."""


class Unended(OSError):
    """A stream that had not ended in time; `seconds` is how long it was waited for."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


@dataclass(frozen=True)
class Held:
    """A file as it was when it was first looked at.

    size: bytes that are read of it; 0 where the system does not say, as below /proc, and then all of it is read.
    waited: of a copy that breaks off where patience ended, the seconds until then.
    """

    path: Path
    size: int
    identity: tuple[int, int]
    copy: "tempfile._TemporaryFileWrapper[bytes] | None" = None
    waited: float | None = None

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """Those bytes, from the beginning.

        Raises:
            OSError: it cannot be opened.
            Changed: it is no longer what it was; also while it is read.
        """
        with self.path.open("rb", buffering=0) as file:
            now = os.fstat(file.fileno())
            if (now.st_dev, now.st_ino) != self.identity or now.st_size < self.size:
                raise Changed
            yield io.BufferedReader(_First(file, self.size) if self.size else file)

    def close(self) -> None:
        if self.copy is not None:
            self.copy.close()


def hold(path: Path) -> Held:
    """A file of the disk as it is now, or a copy of what a pipe, a device or a terminal says until its end.

    Raises:
        OSError: it is not there, may not be read, or there is no room for the copy.
    """
    seen = path.stat()
    if stat.S_ISREG(seen.st_mode) or stat.S_ISDIR(seen.st_mode):
        return Held(path, seen.st_size if stat.S_ISREG(seen.st_mode) else 0, (seen.st_dev, seen.st_ino))
    # A named pipe that nobody writes to yet would hold up its opening.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with io.FileIO(descriptor) as stream:
        return copied(stream)


def read_once(path: Path) -> bool:
    """Whether it is there and a second reading would find it empty: a pipe, a terminal, a device."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def copied(stream: BinaryIO | io.FileIO) -> Held:
    """What a stream says until its end, or until it was waited for long enough.

    Raises:
        OSError: it broke off, or there is no room for the copy.
    """
    copy = tempfile.NamedTemporaryFile(prefix="kb-log-")  # noqa: SIM115
    try:
        waited = _copy(stream, copy)
        copy.flush()
    except BaseException:
        copy.close()
        raise
    now = os.fstat(copy.fileno())
    return Held(Path(copy.name), now.st_size, (now.st_dev, now.st_ino), copy, waited)


def _copy(stream: BinaryIO | io.FileIO, copy: "tempfile._TemporaryFileWrapper[bytes]") -> float | None:
    """The seconds until patience ended, or nothing if the stream did."""
    try:
        descriptor = stream.fileno()
    except io.UnsupportedOperation:
        # Bytes in memory, which end.
        shutil.copyfileobj(stream, copy, COPIED)
        return None
    began = time.monotonic()
    ready = select.poll()
    ready.register(descriptor, select.POLLIN)
    while (left := began + WHOLE - time.monotonic()) > 0 and ready.poll(1000 * min(SILENT, left)):
        try:
            said = os.read(descriptor, COPIED)
        except BlockingIOError:
            continue
        if not said:
            return None
        copy.write(said)
    return time.monotonic() - began


class _First(io.RawIOBase):
    """The first bytes of a file, from where it stands."""

    def __init__(self, file: io.FileIO, size: int) -> None:
        self._file, self._left = file, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        count = self._file.readinto(memoryview(buffer)[: self._left])
        if not count and self._left:
            raise Changed
        self._left -= count
        return count
