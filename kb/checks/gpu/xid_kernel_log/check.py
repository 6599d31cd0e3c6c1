"""Xid lines of the fatal classes since the last boot; Xid 154 where it names a reset, a reboot or a drain."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.kernel_log import KernelLog

XID = re.compile(r"NVRM: Xid \([^)]*\): (\d+)\b(.*)")
#: `GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)`.
WANTED = re.compile(r"to 0x[0-9a-f]+ \([^)]*(?:Reset|Reboot|Drain)", re.IGNORECASE)


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    codes = set(knobs.text("codes").split("|"))
    log = KernelLog()
    for line in log.read(logs):
        if "NVRM" not in line.text:
            continue
        gpu = log.gpu_of(line)
        match = XID.search(line.text)
        if match and (match[1] in codes or (match[1] == "154" and WANTED.search(match[2]))):
            log.find(line, gpu=gpu, xid=match[1])
    return log.outcome()
