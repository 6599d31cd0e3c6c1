"""Kernel logs as the GPU checks read them: by host, since the last boot, and only with the driver in view.

A check reads the lines through `KernelLog.read`, names what it finds, and asks for the outcome at the end.
What was found before a boot in the same file is forgotten there; a host whose log never shows the NVIDIA
driver is unknown.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kb.checks.contract import Evidence, Finding, LogLine, LogSource, Outcome, ReasonKind, Unknown
from kb.model import Text

#: The first line of every boot.
BOOT = re.compile(r"Linux version \d")
#: Said by the driver or one of its modules (not `HDA NVidia`, the sound device).
DRIVER = re.compile(r"NVRM|\bnvidia")
#: For checks of what any kernel would say: a single line of it will do.
ANY_LINE = re.compile("")
#: `PCI:0000:09:00`, `GPU 0000:09:00.0`, `(0000:01:00)`: domain, bus and device, with or without function.
ADDRESS = re.compile(r"\b([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})\b")
#: A message may be cut into lines with a head each; the address then stands in the first of three.
LINES_BACK = 3
MAX_EVIDENCE_CHARS = 500
SHOWN = 20

Key = tuple[str, str]
Identity = tuple[tuple[str, str], ...]


@dataclass
class Stretch:
    """What one file says of one host since its last boot."""

    lines: int = 0
    driver: bool = False
    gpu: str = "?"
    gpu_line: int = 0
    found: dict[Identity, Finding] = field(default_factory=dict)


class KernelLog:
    """State of one pass over the logs."""

    def __init__(self, driver: re.Pattern[str] = DRIVER, name: str = "NVIDIA") -> None:
        """`driver` matches what the driver in question says; a host where it never speaks is unknown."""
        self._driver, self._name = driver, name
        self._stretches: dict[Key, Stretch] = {}
        self._files: dict[str, int] = {}
        self._problems: tuple[Unknown, ...] = ()

    def read(self, logs: LogSource) -> Iterator[LogLine]:
        """The lines that the kernel wrote, counted."""
        self._files = dict.fromkeys(logs.files, 0)
        for line in logs.lines():
            if not line.kernel:
                continue
            self._files[line.file] += 1
            stretch = self._stretches.get(_key(line))
            if stretch is None or BOOT.match(line.text):
                stretch = self._stretches[_key(line)] = Stretch()
            stretch.lines += 1
            stretch.driver = stretch.driver or self._driver.search(line.text) is not None
            yield line
        self._problems = logs.problems()

    def gpu_of(self, line: LogLine) -> str:
        """The GPU that a driver line speaks of: named in it, or at most three lines before it, or `?`."""
        stretch = self._stretches[_key(line)]
        named = ADDRESS.search(line.text)
        if named:
            stretch.gpu, stretch.gpu_line = pci_address(named[1]), stretch.lines
        return stretch.gpu if stretch.lines - stretch.gpu_line < LINES_BACK else "?"

    def find(self, line: LogLine, **labels: str) -> None:
        """Something is found at this line; further lines that say the same of the same place are counted."""
        where = _where(line, labels)
        found = self._stretches[_key(line)].found
        identity = tuple(sorted(where.items()))
        if identity in found:
            evidence = found[identity].evidence
            found[identity] = replace(found[identity], evidence=replace(evidence, count=evidence.count + 1))
            return
        shown = line.raw[:MAX_EVIDENCE_CHARS]
        evidence = Evidence(file=line.file, line_number=line.number, line=shown)
        # A time without a colon counts from the boot and says nothing by itself.
        found[identity] = Finding(where, evidence, line.time if ":" in line.time else None)

    def take_back(self, line: LogLine, **labels: str) -> None:
        """At this line the kernel says that what was found before in this file, at the same place, is over."""
        self._stretches[_key(line)].found.pop(tuple(sorted(_where(line, labels).items())), None)

    def outcome(self, least: int = 1) -> Outcome:
        """What was found since the last boot in a file, at least so many times."""
        findings: dict[Identity, Finding] = {}
        for stretch in self._stretches.values():
            for identity, finding in stretch.found.items():
                if finding.evidence.count >= least:
                    findings.setdefault(identity, finding)
        spoke = {_host(key) for key, stretch in self._stretches.items() if stretch.driver}
        judged = sum(stretch.lines for key, stretch in self._stretches.items() if _host(key) in spoke)
        silent = sorted({_host(key) for key in self._stretches} - spoke)
        return Outcome(judged, tuple(findings[key] for key in sorted(findings)), self._unknown(silent))

    def _unknown(self, silent: list[str]) -> tuple[Unknown, ...]:
        damaged = {place["file"] for problem in self._problems for place in problem.where}
        foreign = sorted(name for name, lines in self._files.items() if lines == 0 and name not in damaged)
        remarks = [_no_driver(silent, self._name)] if silent else []
        if foreign or not self._files:
            remarks.append(_no_kernel(foreign))
        return (*remarks, *self._problems)


def pci_address(text: str) -> str:
    """`0000:09:00`, lower case, the domain in four digits where it fits."""
    domain, bus, device = text.lower().split(":")
    return f"{domain[-4:] if int(domain, 16) < 0x10000 else domain}:{bus}:{device}"


def _where(line: LogLine, labels: dict[str, str]) -> dict[str, str]:
    return {"host": line.host, **labels} if line.host else {"file": line.file, **labels}


def _key(line: LogLine) -> Key:
    return line.file, line.host


def _host(key: Key) -> str:
    """The host, or where lines do not name it the file: one file then stands for one host."""
    return key[1] or key[0]


def _no_kernel(files: list[str]) -> Unknown:
    return Unknown(
        Text(
            en=f"No line of the kernel in {_some(files) or 'the log'}.",
            ko=f"{_some(files) or '로그'}에 커널이 쓴 줄이 없습니다.",
        ),
        ReasonKind.no_series,
        _REMEDY,
        tuple({"file": name} for name in files[:SHOWN]),
        len(files),
        foreign=True,
    )


def _no_driver(hosts: list[str], name: str) -> Unknown:
    return Unknown(
        Text(
            en=f"No line of the {name} driver for {_some(hosts)}: no such device, or the wrong log.",
            ko=f"{_some(hosts)}에 {name} 드라이버가 남긴 줄이 없습니다. 장치가 없거나 다른 로그입니다.",
        ),
        ReasonKind.no_series,
        _REMEDY,
        tuple({"host": name} for name in hosts[:SHOWN]),
        len(hosts),
    )


def _some(names: list[str]) -> str:
    rest = len(names) - 3
    return ", ".join(names[:3]) + (f" (+{rest})" if rest > 0 else "")


_REMEDY = Text(
    en="Give the kernel log of that host since its boot: `dmesg` or `journalctl -k -b` run there.",
    ko="해당 호스트의 부팅 이후 커널 로그를 주십시오. 그 호스트에서 `dmesg`나 `journalctl -k -b`로 받을 수 있습니다.",
)
