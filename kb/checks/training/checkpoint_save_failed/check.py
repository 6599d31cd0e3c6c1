"""Failed saves of checkpoints."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Fault, rank_of, search_faults
from kb.checks.training_log import SAVED, TrainingLog, step_of


def speaks(text: str) -> object:
    """A step, or a save that is done."""
    return SAVED.search(text) or step_of(text)


WORDS = (
    "PytorchStreamWriter",
    "inline_container",
    "No space left",
    "quota exceeded",
    "AccessDenied",
    "Access Denied",
    "403 Forbidden",
    "SlowDown",
    "heckpoint",
)
FAULTS = (
    Fault("writer", re.compile(r"PytorchStreamWriter failed|\[enforce fail at inline_container\.cc")),
    Fault(
        "no space",
        re.compile(
            r"(?:No space left on device|Disk quota exceeded).{0,200}(?:checkpoint|"
            r"ckpt|global_step|\.pt\b)|(?:checkpoint|ckpt|global_step|"
            r"\.pt\b).{0,200}(?:No space left on device|Disk quota exceeded)"
        ),
    ),
    Fault(
        "refused by the store",
        re.compile(
            r"(?:checkpoint|ckpt|metadata).{0,200}(?:AccessDenied|"
            r"Access Denied|403 Forbidden|SlowDown)|(?:AccessDenied|"
            r"SlowDown).{0,200}(?:checkpoint|ckpt)"
        ),
    ),
    Fault(
        "said by the framework",
        re.compile(
            r"(?i:(?:failed|unable|error|exception) (?:to|while|during|"
            r"when) sav(?:e|ing) (?:the )?(?:\w+ )?checkpoint|checkpoint save failed|"
            r"saving (?:the )?checkpoint failed)"
        ),
    ),
)


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    return search_faults(logs, TrainingLog(), speaks, FAULTS, rank_of, words=WORDS)
