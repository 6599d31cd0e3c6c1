"""A GPU that the NVIDIA driver has lost on PCIe, with or without Xid 79, since the last boot in the log."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.kernel_log import KernelLog

LOST = re.compile(r"Xid \([^)]*\): 79\b|fallen off the bus")


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = KernelLog()
    for line in log.read(logs):
        if "NVRM" not in line.text:
            continue
        gpu = log.gpu_of(line)
        if LOST.search(line.text):
            log.find(line, gpu=gpu)
    return log.outcome()
