"""Hosts whose kernel translates every DMA address, by its command line or with strict invalidation."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.kernel_log import KernelLog

SAID = re.compile(r"^iommu: Default domain type: ")
FAULTS = {
    "translated by the command line": re.compile(
        r"^iommu: Default domain type: Translated +\(set via kernel command line\)"
    ),
    "strict invalidation": re.compile(r"^iommu: DMA domain TLB invalidation policy: strict mode"),
}


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = KernelLog(driver=SAID, name="IOMMU")
    for line in log.read(logs):
        for fault, pattern in FAULTS.items():
            if pattern.search(line.text):
                log.find(line, fault=fault)
    return log.outcome()
