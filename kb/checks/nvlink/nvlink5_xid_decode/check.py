"""Fatal lines of Xid 144 to 150 since the last boot, judged by severity word and sub-code and not by the number."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.kernel_log import KernelLog

#: `Xid (PCI:0018:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 0x00000000 ...)`
FATAL = re.compile(
    r"NVRM: Xid \([^)]*\): (14[4-9]|150), (?:pid=[^,]*, name=[^,]*, )?([A-Z0-9_/]+) Fatal XC\d i\d "
    r"Link (-?\d+)(?: \((0x[0-9a-fA-F]+))?"
)
#: Sub-codes of a link-down event (bits 20 to 25 of the first word) as NVIDIA's sheet groups them.
NO_RESET = {38, 40}
AT_THE_PEER = {21, 32, 33, 34, 35, 36, 37}


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = KernelLog()
    for line in log.read(logs):
        if "NVRM" not in line.text:
            continue
        gpu = log.gpu_of(line)
        match = FATAL.search(line.text)
        if match is None:
            continue
        xid, unit, link, word = match.groups()
        link_event = unit.startswith("NETIR_LINK")
        code = int(word or "0", 16) >> 20 & 0x3F
        if not (link_event and code in NO_RESET):
            end = "peer" if link_event and code in AT_THE_PEER else "local"
            log.find(line, gpu=gpu, xid=xid, unit=unit, link=str(int(link)), end=end)
    return log.outcome()
