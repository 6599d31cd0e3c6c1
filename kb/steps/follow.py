"""Step records as they are written: what has been added to files since the last look, whole lines only.

A line that is still being written waits for its end. A file that has shrunk or been replaced is read from its start;
one that appears later is taken in.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.errors import UnreadableFile
from kb.steps.lines import json_lines
from kb.steps.live import Live
from kb.steps.records import PhaseTable, RemarkKind
from kb.steps.verdict import Verdict

#: Bytes of one file that are taken at a look; the rest waits for the next one.
MOST = 16 << 20
PATTERN = "*.jsonl"


@dataclass
class _Tail:
    inode: int
    position: int
    rest: bytes = b""


class Follower:
    """Several growing files of JSON lines; a folder stands for all its `*.jsonl`."""

    def __init__(self, paths: Sequence[Path], *, from_start: bool = True) -> None:
        self._paths = tuple(paths)
        self._tails: dict[Path, _Tail] = {}
        if not from_start:
            for path in self._files():
                state = path.stat()
                self._tails[path] = _Tail(state.st_ino, state.st_size)

    def look(self) -> list[str]:
        """The lines that were ended since the last look, file by file."""
        found: list[str] = []
        for path in self._files():
            try:
                found += self._new(path)
            except OSError:
                # Gone between the listing and the look; if it comes back it is another file.
                self._tails.pop(path, None)
        return found

    def _files(self) -> list[Path]:
        files: list[Path] = []
        for path in self._paths:
            files += sorted(path.glob(PATTERN)) if path.is_dir() else [path] if path.is_file() else []
        return files

    def _new(self, path: Path) -> list[str]:
        with path.open("rb") as file:
            state = os.fstat(file.fileno())
            tail = self._tails.get(path)
            if tail is None or tail.inode != state.st_ino or state.st_size < tail.position:
                tail = self._tails[path] = _Tail(state.st_ino, 0)
            file.seek(tail.position)
            added = file.read(MOST)
        tail.position += len(added)
        *whole, tail.rest = (tail.rest + added).split(b"\n")
        return [line.decode("utf-8", "replace") + "\n" for line in whole]


class Watch:
    """Judges what a follower brings, each job by itself."""

    def __init__(self) -> None:
        self.jobs: dict[str, Live] = {}
        self.strange = 0
        """Lines that were no records."""

    @property
    def judged(self) -> bool:
        """Whether of any job there was enough to find anything in."""
        return any(live.judged for live in self.jobs.values())

    def feed(self, lines: Sequence[str]) -> list[Verdict]:
        """What holds now and did not before."""
        found: list[Verdict] = []
        for table in self._tables(lines):
            for code in sorted(set(table.job.codes.tolist())):
                name = table.job.names[code]
                live = self.jobs.setdefault(name, Live(name))
                found += live.add(table.take(table.job.codes == code))
        return found

    def finish(self) -> list[Verdict]:
        """What the steps that are still open show."""
        return [verdict for live in self.jobs.values() for verdict in live.finish()]

    def _tables(self, lines: Sequence[str]) -> Iterator[PhaseTable]:
        try:
            for table in json_lines(lines):
                self.strange += sum(one.count for one in table.remarks if one.kind is RemarkKind.unreadable)
                if isinstance(table, PhaseTable):
                    yield table
        except UnreadableFile:
            self.strange += len(lines)
