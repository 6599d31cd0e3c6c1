"""Inactive NVLinks in the output of nvidia-smi."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

GPU = re.compile(r"^\s*GPU (\d+): .*\(UUID")
LINK = re.compile(r"^\s*Link (\d+): (<inactive>|[\d.]+ GB/s)")
NOT_SUPPORTED = re.compile(r"NVLink Not Supported|^\s*GPU\d+\s+(?:\w+\s+)*NS\b")


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = ProgramLog(
        name=Text(en="nvidia-smi about NVLink", ko="NVLink에 관한 nvidia-smi"),
        remedy=Text(en="Give the output of nvidia-smi nvlink -s.", ko="nvidia-smi nvlink -s 출력을 주십시오."),
    )
    links: dict[tuple[str, str], list[tuple[bool, Line]]] = {}
    gpu: dict[str, str] = {}
    for line in log.read(logs):
        head, link = GPU.match(line.text), LINK.match(line.text)
        if head:
            gpu[line.file] = head[1]
        elif link:
            log.spoke(line)
            links.setdefault((line.file, gpu.get(line.file, "?")), []).append((link[2] != "<inactive>", line))
        elif NOT_SUPPORTED.search(line.text):
            log.find(line, fault="NVLink not supported")
    for (_, number), told in links.items():
        if any(active for active, _ in told):
            for active, line in told:
                if not active:
                    log.find(line, fault="inactive link", gpu=number)
    return log.outcome()
