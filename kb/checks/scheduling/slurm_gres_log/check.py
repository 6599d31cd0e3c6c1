"""Messages of Slurm about GPUs that it cannot detect or count."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(r"\bslurm(?:d|ctld|dbd)?\b")
WORDS = ("was configured", "wasn't found", "lower than configured", "Invalid")
FAULTS = (
    Fault("built without the library", re.compile(r"weren't able to find that lib when Slurm was configured")),
    Fault("library not on the node", re.compile(r"functionality, but that lib wasn't found on the system")),
    Fault("fewer GPUs than configured", re.compile(r"gres/gpu count reported lower than configured")),
    Fault(
        "setting not understood", re.compile(r"Invalid (?:GRES|generic resource) \(?gres\)? ?(?:data|specification)")
    ),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = ProgramLog(
        name=Text(en="Slurm", ko="Slurm"),
        remedy=Text(en="Give the log of slurmd or slurmctld.", ko="slurmd나 slurmctld 로그를 주십시오."),
    )
    return search_faults(logs, log, SPEAKS.search, FAULTS, words=WORDS)
