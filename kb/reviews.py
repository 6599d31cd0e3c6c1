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


class MainValue(StrEnum):
    """The value of which two readers may choose differently."""

    main_symptom = "main_symptom"
    main_component = "main_component"
    main_root_cause = "main_root_cause"


class Decision(Strict):
    """One disagreement settled by the definitions. `none` stands for no value."""

    what: MainValue
    writer: Slug
    """As it stood before."""
    reader: Slug
    decided: Slug
    """What the case carries now; usually one of the two."""
    reason: NonEmpty


class Reading(Strict):
    """One second reading, before discussion. What it found is mended in the case, not here."""

    case: CaseId
    reader_b: Labels
    planted: NonEmpty | None = None
    """The claim in which an error was planted to test the reader; it is not counted."""
    claims: dict[str, ClaimVerdict] = Field(default_factory=dict)
    statements: dict[str, ClaimVerdict] = Field(default_factory=dict)
    remarks: tuple[NonEmpty | dict[str, str], ...] = ()
    adjudicated: tuple[Decision, ...] = ()


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


NONE = "none"


def values_of(case: Incident) -> dict[MainValue, str]:
    """The main values a case carries now."""
    return {
        MainValue.main_symptom: case.symptoms[0],
        MainValue.main_component: (case.components or (NONE,))[0],
        MainValue.main_root_cause: case.root_causes[0],
    }


def _read(labels: Labels) -> dict[MainValue, str]:
    return {
        MainValue.main_symptom: labels.main_symptom,
        MainValue.main_component: labels.main_component or NONE,
        MainValue.main_root_cause: labels.main_root_cause,
    }


def before(case: Incident, reading: Reading) -> dict[MainValue, str]:
    """The writer's values as they stood before anything was settled."""
    return values_of(case) | {decision.what: decision.writer for decision in reading.adjudicated}


def agreements(incidents: Iterable[Incident], readings: dict[str, Reading]) -> tuple[Agreement, ...]:
    """Over every case that has a second reading, before discussion: main symptom, component and root cause."""
    pairs: dict[MainValue, list[tuple[str, str]]] = {what: [] for what in MainValue}
    for case in incidents:
        if case.id in readings:
            writer, reader = before(case, readings[case.id]), _read(readings[case.id].reader_b)
            for what in MainValue:
                pairs[what].append((writer[what], reader[what]))
    return tuple(agreement(what.value.removeprefix("main_").replace("_", " "), pairs[what]) for what in MainValue)


@dataclass(frozen=True)
class Adjudication:
    """Disagreements about main values, how many are settled, and for whom."""

    disagreements: int
    settled: int
    for_writer: int
    for_reader: int


def adjudication(incidents: Iterable[Incident], readings: dict[str, Reading]) -> Adjudication:
    """Every disagreement and what was decided; a decision that the case does not carry does not count."""
    total = settled = writer_right = reader_right = 0
    for case in incidents:
        reading = readings.get(case.id)
        if reading is None:
            continue
        writer, reader, now = before(case, reading), _read(reading.reader_b), values_of(case)
        decided = {decision.what: decision for decision in reading.adjudicated}
        for what in MainValue:
            if writer[what] == reader[what]:
                continue
            total += 1
            decision = decided.get(what)
            if decision is not None and decision.decided == now[what]:
                settled += 1
                writer_right += decision.decided == decision.writer
                reader_right += decision.decided == decision.reader
    return Adjudication(total, settled, writer_right, reader_right)
