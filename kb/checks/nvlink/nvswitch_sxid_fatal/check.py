"""NVSwitches with a fatal SXid since the last boot."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.kernel_log import KernelLog

#: `SXid (PCI:0000:c1:00.0): 24007, Fatal, Link 30 ...` and `SXid (PCI:0000:aa:00.0): 24007, Severity 1 Engine ...`
FATAL = re.compile(r"nvidia-nvswitch\d+: SXid \(PCI:[^)]*\): (\d+), (?:Fatal|Severity 1)\b")


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = KernelLog()
    for line in log.read(logs):
        match = FATAL.search(line.text)
        if match:
            log.find(line, switch=log.gpu_of(line), sxid=match[1])
    return log.outcome()
