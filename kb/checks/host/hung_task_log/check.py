"""Processes that the kernel's watchdog has reported as blocked, more than once."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.kernel_log import ANY_LINE, KernelLog

#: `INFO: task python:280058 blocked for more than 120 seconds.`; since Linux 7.1 also `blocked in I/O wait for more`.
#: The name may hold colons: `kworker/4:1:16648`.
BLOCKED = re.compile(r"^INFO: task (.+):(\d+) blocked(?: in I/O wait)? for more than \d+ seconds")
#: `kworker/u64:3+flush-0:45`: which of the kernel's workers it was says nothing.
WORKER = re.compile(r"^kworker/.*")


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    log = KernelLog(driver=ANY_LINE, name="kernel")
    for line in log.read(logs):
        blocked = BLOCKED.match(line.text)
        if blocked:
            log.find(line, process=WORKER.sub("kworker", blocked[1]))
    return log.outcome(least=int(knobs.number("reports")))
