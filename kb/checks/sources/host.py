"""One node, live or from a saved folder: sysfs and procfs files, and the outputs of nvidia-smi.

A saved folder is any copy of parts of `/` (`sys/class/infiniband/…` or a folder that holds only that), with command
outputs in files of any name; they are known by what they say. Live, the same files are read where they are, and
`nvidia-smi -q -x` and `nvidia-smi nvlink -s` are run, which only read. Links are not followed out of a saved folder.
"""

import errno
import os
import re
import shutil
import socket
import subprocess
import threading
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
#: Errors that say nothing is there to be read: a process that is gone, a counter that the device does not have.
ORDINARY = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ESRCH, errno.ENODEV, errno.EINVAL, errno.EOPNOTSUPP})
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
        self._texts: dict[str, str | None] = dict(texts)
        self._problems: dict[str, Unknown] = {}
        self._local = threading.local()

    def paths(self, pattern: str) -> tuple[str, ...]:
        """Each part of the pattern matches one part of a path, from the end."""
        parts = pattern.split("/")
        return tuple(path for path in sorted(self._all()) if _ends(path.split("/"), parts))

    def text(self, path: str) -> str | None:
        self._asked.add(path)
        raw = self._read(path)
        return None if raw is None else raw.strip()

    def outputs(self, first: str) -> tuple[tuple[str, str], ...]:
        begins = re.compile(first)
        found = []
        for path in sorted(self._all()):
            if path.startswith(("sys/", "proc/")):
                continue
            self._asked.add(path)
            head = self._head(path)
            if head is not None and begins.search(head) and (text := self._read(path)) is not None:
                found.append((path, text))
        return tuple(found)

    def problems(self) -> tuple[Unknown, ...]:
        """Of what this thread has asked for: every check runs in one of its own, and whether it is unknown must not
        depend on what others have read before it. Folders that could not be listed may hold what anyone asks for.
        """
        known = dict(self._problems)
        return tuple(known[path] for path in sorted(known) if path in self._asked or path not in self._all())

    @property
    def _asked(self) -> set[str]:
        asked: set[str] = self._local.__dict__.setdefault("asked", set())
        return asked

    def _all(self) -> Mapping[str, object]:
        return self._texts

    def _read(self, path: str) -> str | None:
        return self._texts.get(path)

    def _head(self, path: str) -> str | None:
        text = self._texts.get(path)
        return None if text is None else text[:HEAD]


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
        self._root = self._inside = root.resolve()
        self._heads: dict[str, str | None] = {}
        self._files = self._walk()

    def _walk(self) -> dict[str, Path]:
        files: dict[str, Path] = {}
        for folder, _, names in os.walk(self._root, onerror=self._unlisted):
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

    def _unlisted(self, error: OSError) -> None:
        self._problems[f"{error.filename}/"] = _unreadable(Path(error.filename), error)

    def _all(self) -> Mapping[str, object]:
        return self._files

    def _read(self, path: str) -> str | None:
        if path not in self._texts and path in self._files:
            self._texts[path] = self._whole(path)
        return self._texts.get(path)

    def _head(self, path: str) -> str | None:
        if path in self._texts:
            return super()._head(path)
        if path not in self._heads:
            raw = self._bytes(path, HEAD)
            self._heads[path] = None if raw is None else raw.decode("utf-8", "replace")
        return self._heads[path]

    def _whole(self, path: str) -> str | None:
        raw = self._bytes(path, MAX_BYTES + 1)
        if raw is not None and len(raw) > MAX_BYTES:
            self._problems[path] = _too_large(self._files[path])
            return None
        if raw is not None:
            self._problems.pop(path, None)
        return None if raw is None else raw.decode("utf-8", "replace")

    def _bytes(self, path: str, most: int) -> bytes | None:
        """The beginning of a file; what cannot be read is remembered, and binary files are nobody's output."""
        file = self._files[path]
        try:
            if not Path(os.path.realpath(file)).is_relative_to(self._inside) or not file.is_file():
                return None
            with file.open("rb") as opened:
                raw = opened.read(most)
        except OSError as error:
            if error.errno not in ORDINARY:
                self._problems[path] = _unreadable(file, error)
            return None
        return None if b"\0" in raw[:HEAD] else raw


class HostLive(HostFolder):
    """The machine this runs on."""

    def __init__(self, root: Path = Path("/"), commands: Mapping[str, tuple[str, ...]] = COMMANDS) -> None:
        HostFiles.__init__(self, socket.gethostname(), {})
        # sysfs is made of links that lead elsewhere below the same root.
        self._root, self._inside = root.resolve(), Path("/")
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
        """Nothing is kept: the same node may be looked at again later."""
        return self._texts[path] if path in self._texts else self._whole(path) if path in self._files else None

    def _head(self, path: str) -> str | None:
        text = self._read(path)
        return None if text is None else text[:HEAD]


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


def _unreadable(file: Path, error: OSError) -> Unknown:
    if isinstance(error, PermissionError):
        return _remark(
            file, ReasonKind.forbidden,
            Text(en=f"`{file}` may not be read.", ko=f"`{file}` 파일을 읽을 권한이 없습니다."),
            Text(en="Run it as a user who may read that file.", ko="그 파일을 읽을 수 있는 계정으로 실행하십시오."),
        )  # fmt: skip
    why = error.strerror or type(error).__name__
    return _remark(
        file, ReasonKind.crash,
        Text(en=f"`{file}` cannot be read: {why}.", ko=f"`{file}` 파일을 읽지 못했습니다: {why}."),
        Text(en="Look at the device or disk behind it, or save it anew.",
             ko="그 뒤의 장치나 디스크를 살펴보거나 파일을 다시 저장하십시오."),
    )  # fmt: skip


def _too_large(file: Path) -> Unknown:
    most = MAX_BYTES >> 20
    return _remark(
        file, ReasonKind.unsupported,
        Text(en=f"`{file}` is larger than {most} MiB and was not read.",
             ko=f"`{file}` 파일이 {most} MiB보다 커서 읽지 않았습니다."),
        Text(en="Save the output of the one command by itself.", ko="그 명령 하나의 출력만 따로 저장하십시오."),
    )  # fmt: skip


def _remark(file: Path, kind: ReasonKind, reason: Text, remedy: Text) -> Unknown:
    return Unknown(reason, kind, remedy, ({"file": str(file)},), 1)
