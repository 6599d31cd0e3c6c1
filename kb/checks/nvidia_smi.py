"""What `nvidia-smi -q` says, as text or as XML, of any driver generation, in one form.

Both forms nest the same fields; here each becomes a path in small letters with blanks, as
`ecc errors/volatile/dram uncorrectable`, so that a check asks one question of all of them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from kb.checks.contract import Evidence, Finding, HostSource, Outcome, ReasonKind, Unknown
from kb.model import Text

XML_BEGINS = r"<nvidia_smi_log|<!DOCTYPE nvidia_smi_log"
TEXT_BEGINS = r"NVSMI LOG="
#: `GPU 00000000:07:00.0` at the margin begins a device.
DEVICE = re.compile(r"^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\s*$")
FIELD = re.compile(r"^(\s*)(.+?)\s*(?::\s?(.*))?$")
#: What the tool writes for a field it does not have.
ABSENT = ("n/a", "[n/a]", "", "not supported", "[not supported]", "requested functionality has been deprecated")
#: What it writes where the device no longer answers.
BROKEN = re.compile(
    r"err!|unknown error|gpu is lost|\[gpu requires reset\]|gpu requires reset|unable to determine|unable to get", re.I
)


@dataclass(frozen=True)
class Gpu:
    """One device of one output."""

    host: str
    bus: str
    """`00000000:07:00.0`"""
    file: str
    fields: tuple[tuple[str, str], ...]
    """(path, value) in the order written."""

    def values(self, pattern: str) -> list[tuple[str, str]]:
        """Fields whose whole path matches and whose value is there."""
        wanted = re.compile(pattern)
        return [(k, v) for k, v in self.fields if wanted.fullmatch(k) and v.lower() not in ABSENT]

    def first(self, pattern: str) -> str | None:
        found = self.values(pattern)
        return found[0][1] if found else None

    @property
    def where(self) -> dict[str, str]:
        uuid = self.first(r"(gpu )?uuid")
        place = {"host": self.host} if self.host else {"file": self.file}
        return {**place, "gpu": self.bus.lower()} | ({"UUID": uuid} if uuid else {})


@dataclass(frozen=True)
class Output:
    """One whole output. `attached` is how many GPUs it says there are, if it says so."""

    file: str
    attached: int | None
    gpus: tuple[Gpu, ...]
    damaged: bool = False
    """Cut, or not in the tool's form."""


def outputs(source: HostSource) -> tuple[Output, ...]:
    """Every `nvidia-smi -q` of the node."""
    xml = [_from_xml(path, text) for path, text in source.outputs(XML_BEGINS)]
    plain = [_from_text(path, text) for path, text in source.outputs(TEXT_BEGINS)]
    return (*xml, *plain)


Judge = Callable[[Gpu], Sequence[tuple[str, str]] | None]
"""The fields that are wrong; an empty list is healthy, none is a field that the device does not offer."""


def judge_gpus(source: HostSource, judge: Judge, *, what: str) -> Outcome:
    """Ask each GPU; a node without an output is unknown, and so is one where no GPU offers the fields.

    what: the fields, for the reason.
    """
    seen = outputs(source)
    if not any(output.gpus for output in seen):
        return Outcome(unknown=(_no_output(damaged=any(output.damaged for output in seen)),))
    findings, looked_at, silent = [], 0, []
    for gpu in (gpu for output in seen for gpu in output.gpus):
        wrong = judge(gpu)
        if wrong is None:
            silent.append(gpu.where)
            continue
        looked_at += 1
        if wrong:
            line = "; ".join(f"{name}: {value}" for name, value in wrong)
            findings.append(Finding(gpu.where, Evidence(file=gpu.file, line=line, count=len(wrong))))
    remarks = [_no_field(what, silent)] if silent else []
    remarks += [_cut(output.file) for output in seen if output.damaged]
    return Outcome(looked_at, tuple(findings), tuple(remarks))


def _from_xml(path: str, text: str) -> Output:
    body = text[text.find("<") :]
    if "<!ENTITY" in body:
        return Output(path, None, (), damaged=True)
    try:
        root = ET.fromstring(body)  # noqa: S314 - no entities, and a bounded file
    except ET.ParseError:
        return Output(path, None, (), damaged=True)
    attached = root.findtext("attached_gpus") or ""
    gpus = tuple(Gpu(_host(path), node.get("id", "?"), path, tuple(_flat(node))) for node in root.iter("gpu"))
    return Output(path, int(attached) if attached.isdigit() else None, gpus)


def _flat(node: ET.Element, above: str = "") -> Iterator[tuple[str, str]]:
    for child in node:
        name = f"{above}{child.tag.replace('_', ' ').lower()}"
        if len(child):
            yield from _flat(child, f"{name}/")
        else:
            yield name, (child.text or "").strip()


def _from_text(path: str, text: str) -> Output:
    """The indented form. A section is a line without a value; what is indented further belongs to it."""
    attached: int | None = None
    gpus: list[Gpu] = []
    fields: list[tuple[str, str]] = []
    bus, above = "", list[tuple[int, str]]()
    for line in text.splitlines():
        device = DEVICE.match(line)
        if device:
            if bus:
                gpus.append(Gpu(_host(path), bus, path, tuple(fields)))
            bus, fields, above = device[1], [], []
            continue
        match = FIELD.match(line)
        if not match or not line.strip():
            continue
        depth, name, value = len(match[1]), match[2].strip().lower(), match[3]
        if name == "attached gpus" and (value or "").strip().isdigit():
            attached = int(value)
        above = [(d, n) for d, n in above if d < depth]
        if value is None or not value.strip():
            above.append((depth, name))
        elif bus:
            fields.append(("/".join([*(n for _, n in above), name]), value.strip()))
            # A field may have others below it: `HW Slowdown : Not Active` and its two kinds.
            above.append((depth, name))
    if bus:
        gpus.append(Gpu(_host(path), bus, path, tuple(fields)))
    return Output(path, attached, tuple(gpus), damaged=attached is not None and len(gpus) < attached)


def _host(path: str) -> str:
    """The folder a file lies in names the node where reports of several nodes lie side by side."""
    folder = path.rpartition("/")[0].rpartition("/")[2]
    return "" if folder in ("", "commands", "nvidia", "logs") else folder


def _no_output(*, damaged: bool) -> Unknown:
    return Unknown(
        Text(
            en="The output of `nvidia-smi -q` is damaged." if damaged else "No output of `nvidia-smi -q` is there.",
            ko="`nvidia-smi -q` 출력이 손상되었습니다." if damaged else "`nvidia-smi -q` 출력이 없습니다.",
        ),
        ReasonKind.no_series,
        Text(
            en="Save it into the folder: nvidia-smi -q -x > nvidia-smi-q.xml; or run `kb check --host` on the node.",
            ko="nvidia-smi -q -x > nvidia-smi-q.xml로 폴더에 저장하거나, 노드에서 `kb check --host`를 실행하십시오.",
        ),
    )


def _no_field(what: str, places: list[dict[str, str]]) -> Unknown:
    return Unknown(
        Text(en=f"This output does not tell {what}.", ko=f"이 출력에는 {what} 항목이 없습니다."),
        ReasonKind.unsupported,
        Text(
            en="Save the whole of `nvidia-smi -q`; older drivers and some models do not have the field.",
            ko="`nvidia-smi -q` 전체 출력을 저장하십시오. 오래된 드라이버와 일부 모델에는 이 항목이 없습니다.",
        ),
        tuple(places[:20]),
        len(places),
    )


def _cut(file: str) -> Unknown:
    return Unknown(
        Text(en=f"{file} ends before the last GPU.", ko=f"{file}이 마지막 GPU 앞에서 끊겼습니다."),
        ReasonKind.no_series,
        Text(en="Save the output again, whole.", ko="출력 전체를 다시 저장하십시오."),
        ({"file": file},),
        1,
    )
