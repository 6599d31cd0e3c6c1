"""NFS servers that a host's kernel calls silent and has not heard since."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.kernel_log import ANY_LINE, KernelLog

#: `nfs: server 10.2.80.41 not responding, still trying` (hard mount), `timed out` (soft mount), `nfs: server fs1 OK`.
#: The lock manager of NFSv3 says the same as `lockd`.
SAID = re.compile(r"^(nfs|lockd): server (\S+) (?:OK$|not responding, (still trying|timed out))")
FAULTS = ("still trying", "timed out")


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = KernelLog(driver=ANY_LINE, name="kernel")
    for line in log.read(logs):
        said = SAID.match(line.text)
        if said is None:
            continue
        program, server, fault = said.groups()
        if fault:
            log.find(line, server=server, program=program, fault=fault)
        else:
            for over in FAULTS:
                log.take_back(line, server=server, program=program, fault=over)
    return log.outcome()
