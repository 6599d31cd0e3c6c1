"""One node, live or from a saved folder: sysfs and procfs files, and the outputs of nvidia-smi.

A saved folder is any copy of parts of `/` (`sys/class/infiniband/…` or a folder that holds only that), with command
outputs in files of any name; they are known by what they say. Live, the same files are read where they are, and
`nvidia-smi -q -x` and `nvidia-smi nvlink -s` are run, which only read. Links are not followed out of a saved folder.
"""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from kb.checks.card import SourceName
from kb.checks.contract import ReasonKind, Unknown
from kb.errors import InvalidValue
from kb.model import Text

MAX_FILES = 50_000
MAX_BYTES = 16 * 1024 * 1024
#: How much of a file is looked at to know whether it is the output of a command.
HEAD = 2_000
COMMAND_SECONDS = 60.0
#: Where a live node keeps what checks read; nothing else is opened.
LIVE = (
    "sys/class/infiniband/*/*", "sys/class/infiniband/*/ports/*/*", "sys/class/infiniband/*/ports/*/counters/*",
    "sys/class/infiniband/*/ports/*/hw_counters/*", "sys/bus/pci/devices/*/*_link_*", "sys/bus/pci/devices/*/class",
    "sys/bus/pci/devices/*/vendor", "proc/modules", "proc/driver/nvidia/version", "proc/sys/kernel/numa_balancing",
    "proc/mounts", "proc/[0-9]*/limits", "proc/[0-9]*/comm", "proc/[0-9]*/stat",
)  # fmt: skip
COMMANDS = {
    "commands/nvidia-smi-q.xml": ("nvidia-smi", "-q", "-x"),
    "commands/nvidia-smi-nvlink-s.txt": ("nvidia-smi", "nvlink", "-s"),
}
#: What stands in the place of an output that did not come within a minute.
NO_ANSWER = "kb: no answer within {seconds:.0f} s: {command}"


class HostFiles:
    """A node as paths and texts; the base of all three kinds."""

    kind = SourceName.host

    def __init__(self, name: str, texts: Mapping[str, str]) -> None:
        self.name = name
        self._texts = dict(texts)
        self._problems: list[Unknown] = []

    def paths(self, pattern: str) -> tuple[str, ...]:
        """Each part of the pattern matches one part of a path, from the end."""
        parts = pattern.split("/")
        return tuple(path for path in sorted(self._all()) if _ends(path.split("/"), parts))

    def text(self, path: str) -> str | None:
        raw = self._read(path)
        return None if raw is None else raw.strip()

    def outputs(self, first: str) -> tuple[tuple[str, str], ...]:
        begins = re.compile(first)
        found = []
        for path in sorted(self._all()):
            if path.startswith(("sys/", "proc/")) and not path.startswith("sys-"):
                continue
            text = self._read(path)
            if text is not None and begins.search(text[:HEAD]):
                found.append((path, text))
        return tuple(found)

    def problems(self) -> tuple[Unknown, ...]:
        return tuple(self._problems)

    def _all(self) -> Mapping[str, object]:
        return self._texts

    def _read(self, path: str) -> str | None:
        return self._texts.get(path)


class HostFolder(HostFiles):
    """A saved folder.

    Raises (constructor):
        InvalidValue: no folder, or one with more files than a node's report has.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(str(root), {})
        if not root.is_dir():
            raise InvalidValue(
                f"`{root}` is not a folder.",
                field="host",
                next_step="Give a saved copy of a node's files, or `--host` alone for this machine.",
            )
        self._root = root.resolve()
        self._files = self._walk()

    def _walk(self) -> dict[str, Path]:
        files: dict[str, Path] = {}
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = Path(folder) / name
                files[path.relative_to(self._root).as_posix()] = path
            if len(files) > MAX_FILES:
                raise InvalidValue(
                    f"`{self.name}` holds more than {MAX_FILES} files; that is not one node's report.",
                    field="host",
                    next_step="Give the folder of one node.",
                )
        return files

    def _all(self) -> Mapping[str, object]:
        return self._files

    def _read(self, path: str) -> str | None:
        if path not in self._texts:
            file = self._files.get(path)
            text = None if file is None else _contents(self, file, inside=self._root)
            if text is None:
                return None
            self._texts[path] = text
        return self._texts[path]


class HostLive(HostFolder):
    """The machine this runs on."""

    def __init__(self, root: Path = Path("/"), commands: Mapping[str, tuple[str, ...]] = COMMANDS) -> None:
        HostFiles.__init__(self, socket.gethostname(), {})
        self._root = root.resolve()
        self._files = {
            path.relative_to(root).as_posix(): path
            for pattern in LIVE
            for path in root.glob(pattern)
            if not path.is_dir()
        }
        for name, command in commands.items():
            output = _output(command)
            if output is not None:
                self._files[name] = Path(name)
                self._texts[name] = output

    def _read(self, path: str) -> str | None:
        if path in self._texts or path not in self._files:
            return self._texts.get(path)
        # sysfs is made of links that lead elsewhere below the same root.
        return _contents(self, self._files[path], inside=Path("/"))


def _contents(source: HostFiles, file: Path, *, inside: Path) -> str | None:
    """The text of a file; what cannot be read is remembered, and binary files are nobody's output."""
    try:
        if not file.resolve().is_relative_to(inside) or not file.is_file():
            return None
        with file.open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
    except OSError as error:
        refused = isinstance(error, PermissionError)
        # A process may be gone, and a counter may not be supported by the device: both are ordinary.
        if refused:
            source._problems.append(_unreadable(file))
        return None
    if len(raw) > MAX_BYTES or b"\0" in raw[:HEAD]:
        return None
    return raw.decode("utf-8", "replace")


def _output(command: tuple[str, ...]) -> str | None:
    """What a program says; none if it is not installed. One that hangs is a finding of its own."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - a fixed list of reading commands
            [program, *command[1:]], capture_output=True, timeout=COMMAND_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return NO_ANSWER.format(seconds=COMMAND_SECONDS, command=" ".join(command))
    except OSError:
        return None
    return (done.stdout + done.stderr).decode("utf-8", "replace")


def _ends(path: list[str], pattern: list[str]) -> bool:
    return len(path) >= len(pattern) and all(
        fnmatchcase(part, wanted) for part, wanted in zip(path[-len(pattern) :], pattern, strict=True)
    )


def _unreadable(file: Path) -> Unknown:
    return Unknown(
        Text(en=f"`{file}` may not be read.", ko=f"`{file}` 파일을 읽을 권한이 없습니다."),
        ReasonKind.forbidden,
        Text(en="Run it as a user who may read that file.", ko="그 파일을 읽을 수 있는 계정으로 실행하십시오."),
        ({"file": str(file)},),
        1,
    )
