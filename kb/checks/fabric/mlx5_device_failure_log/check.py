"""Adapters of mlx5_core whose firmware or command interface has failed since the last boot."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.kernel_log import ADDRESS, KernelLog, pci_address

FAULTS = {
    "command-timeout": re.compile(r"timeout\. Will cause a leak of a command resource"),
    "health-compromised": re.compile(r"device's health compromised - reached miss count"),
    "unrecoverable": re.compile(r"unrecoverable hardware error"),
}


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = KernelLog(driver=re.compile("mlx5_core"), name="mlx5_core")
    for line in log.read(logs):
        if "mlx5_core" not in line.text:
            continue
        named = ADDRESS.search(line.text)
        for fault, pattern in FAULTS.items():
            if pattern.search(line.text):
                log.find(line, nic=pci_address(named[1]) if named else "?", fault=fault)
    return log.outcome()
