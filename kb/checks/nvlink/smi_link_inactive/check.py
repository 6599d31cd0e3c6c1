"""NVLink links that nvidia-smi calls inactive."""

import re

from kb.checks.contract import Evidence, Finding, HostSource, Knobs, Outcome, ReasonKind, unknown
from kb.model import Text

DEVICE = re.compile(r"^GPU (\d+): (.*?) \(UUID: (GPU-[^)]+)\)")
LINK = re.compile(r"^\s+Link (\d+): (.+?)\s*$")
#: Boards that have NVLink only through an optional bridge: no link there is no fault.
BRIDGED = re.compile(r"PCIe|NVL\b", re.I)


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    findings, links = [], 0
    for path, text in source.outputs(r"(?m)^GPU \d+: .*\(UUID: GPU-[^)]*\)\s*\n\s+Link \d+:"):
        gpu = ("?", "", "")
        for number, line in enumerate(text.splitlines(), 1):
            device, link = DEVICE.match(line), LINK.match(line)
            if device:
                gpu = (device[1], device[2], device[3])
            elif link and not BRIDGED.search(gpu[1]):
                links += 1
                if link[2] == "<inactive>":
                    where = {"file": path, "gpu": gpu[0], "UUID": gpu[2], "link": link[1]}
                    findings.append(Finding(where, Evidence(file=path, line_number=number, line=line.strip())))
    if links:
        return Outcome(links, tuple(findings))
    return unknown(
        Text(
            en="No link of a GPU with NVLink of its own is listed.",
            ko="NVLink가 내장된 GPU의 링크 목록이 없습니다.",
        ),
        ReasonKind.no_series,
        Text(
            en="Save it into the folder: nvidia-smi nvlink -s > nvlink-s.txt; boards without NVLink list nothing.",
            ko="nvidia-smi nvlink -s > nvlink-s.txt로 저장하십시오. NVLink가 없는 보드는 아무것도 나오지 않습니다.",
        ),
    )
