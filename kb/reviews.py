"""Second readings: `data/review/IL-….yaml`, written by a reader who saw the sources and the bare claims only.

They are kept with the cases, not served and not shipped.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from kb import case_file
from kb.model import CaseId, Incident, NonEmpty, Slug, Strict


class ClaimVerdict(StrEnum):
    ok = "ok"
    wrong = "wrong"
    too_strong = "too-strong"
    unreadable = "unreadable"


class Labels(Strict):
    """The second reader's own values, chosen from the sources by the definitions of the vocabulary."""

    on: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    main_symptom: Slug
    main_component: Slug | None = None
    main_root_cause: Slug
    factors: tuple[Slug, ...] = ()


class Reading(Strict):
    """One second reading, before discussion. What it found is mended in the case, not here."""

    case: CaseId
    reader_b: Labels
    claims: dict[str, ClaimVerdict] = Field(default_factory=dict)
    statements: dict[str, ClaimVerdict] = Field(default_factory=dict)
    remarks: tuple[NonEmpty | dict[str, str], ...] = ()


def read_all(folder: Path) -> dict[str, Reading]:
    """Case id → its second reading.

    Raises:
        UnreadableFile, SchemaFaults: a file of another form.
    """
    readings = (case_file.read(path, Reading)[0] for path in sorted(folder.glob("*.yaml")))
    return {reading.case: reading for reading in readings}


@dataclass(frozen=True)
class Agreement:
    """How often two readers chose the same main value: raw share, and Cohen's kappa (chance taken off)."""

    what: str
    cases: int
    raw: float
    kappa: float


def agreement(what: str, pairs: Sequence[tuple[str, str]]) -> Agreement:
    """`pairs` are (first reader, second reader); kappa is 1 where both always chose one and the same value."""
    count = len(pairs)
    if not count:
        return Agreement(what, 0, 0.0, 0.0)
    raw = sum(a == b for a, b in pairs) / count
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(first[value] * second[value] for value in first) / count**2
    return Agreement(what, count, raw, 1.0 if chance == 1 else (raw - chance) / (1 - chance))


def agreements(incidents: Iterable[Incident], readings: dict[str, Reading]) -> tuple[Agreement, ...]:
    """Over every case that has a second reading: main symptom, component and root cause."""
    both = [(case, readings[case.id].reader_b) for case in incidents if case.id in readings]
    none = "none"
    return (
        agreement("symptom", [(case.symptoms[0], labels.main_symptom) for case, labels in both]),
        agreement(
            "component", [((case.components or (none,))[0], labels.main_component or none) for case, labels in both]
        ),
        agreement("root cause", [(case.root_causes[0], labels.main_root_cause) for case, labels in both]),
    )
