"""Signs that the NVSwitch fabric has not been set up."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(
    r"Successfully configured all the available (?:GPUs and )?NVSwitches|"
    r"nv-fabricmanager|fabricmanager|torch\.cuda\.is_available\(\) = True|"
    r"cudaGetDeviceCount"
)
WORDS = ("802", "not yet initialized", "NotReady", "NOT_READY", "fabric manager", "fabricmanager")
FAULTS = (
    Fault(
        "CUDA error 802",
        re.compile(r"(?:Error 802|cudaErrorSystemNotReady|CUDA_ERROR_SYSTEM_NOT_READY|system not yet initialized)"),
    ),
    Fault(
        "fabric manager of another version",
        re.compile(r"fabric manager NVIDIA GPU driver interface version .* don't match with driver version"),
    ),
    Fault(
        "fabric manager does not run",
        re.compile(
            r"nvidia-fabricmanager\.service: (?:Failed with result|"
            r"Control process exited)|Unit nvidia-fabricmanager\.service (?:could not be found|"
            r"not found)"
        ),
    ),
)
NAME = Text(en="the fabric manager or of CUDA", ko="패브릭 매니저나 CUDA")
REMEDY = Text(
    en="Give /var/log/fabricmanager.log, or journalctl -u nvidia-fabricmanager, or the log of a job.",
    ko="/var/log/fabricmanager.log, journalctl -u nvidia-fabricmanager, 또는 잡 로그를 주십시오.",
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS, words=WORDS)
