"""Errors of SQLite that mean damage or inconsistency."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, ProgramLog, search_faults
from kb.model import Text

SPEAKS = re.compile(r"(?i)\b(?:controller|scheduler|scheduling cycle|reconcile|k3s|kine)\b")
WORDS = ("malformed", "not a database", "SQLITE_", "IntegrityError", "UNIQUE constraint", "OperationalError")
FAULTS = (
    Fault("a malformed image", re.compile(r"database disk image is malformed|SQLITE_CORRUPT")),
    Fault("a file that is no database", re.compile(r"file is not a database|SQLITE_NOTADB")),
    Fault(
        "a failed constraint", re.compile(r"sqlite3?\.?\w*\.?IntegrityError|SQLITE_CONSTRAINT|UNIQUE constraint failed")
    ),
    Fault(
        "an I/O error or full disk",
        re.compile(r"sqlite3\.OperationalError: (?:disk I/O error|database or disk is full)|SQLITE_(?:IOERR|FULL)"),
    ),
)
NAME = Text(en="a controller", ko="컨트롤러")
REMEDY = Text(
    en="Give the log of the controller.",
    ko="컨트롤러 로그를 주십시오.",
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, ProgramLog(NAME, REMEDY), SPEAKS.search, FAULTS, words=WORDS)
