"""The cases as an SQLite file for people who ask in SQL: flat tables, a row for each value, nothing to parse."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kb.checks.card import LinkState
from kb.checks.catalogue import Catalogue, CheckLink
from kb.corpus import CaseFile
from kb.exports.text import DIAGNOSIS
from kb.model import Incident, Kind, Text
from kb.vocabulary import Term, Value, Vocabulary

Cells = tuple[object, ...]
TABLES = {
    "cases": "id TEXT PRIMARY KEY, slug TEXT, domain TEXT, org TEXT, title_en TEXT, title_ko TEXT, summary_en TEXT, "
    "summary_ko TEXT, date TEXT, date_precision TEXT, date_basis TEXT, severity_en TEXT, time_to_detect TEXT, "
    "time_to_recover TEXT, symptom_en TEXT, symptom_ko TEXT, cause_en TEXT, cause_ko TEXT, trigger_en TEXT, "
    "trigger_ko TEXT, detection_en TEXT, detection_ko TEXT, lessons_en TEXT, lessons_ko TEXT, status TEXT, "
    "reviewed_on TEXT, document TEXT",
    "case_values": "case_id TEXT, kind TEXT, position INTEGER, slug TEXT, PRIMARY KEY (case_id, kind, position)",
    "vocabulary": "kind TEXT, slug TEXT, name_en TEXT, name_ko TEXT, definition_en TEXT, definition_ko TEXT, "
    "broader TEXT, PRIMARY KEY (kind, slug)",
    "sources": "case_id TEXT, id TEXT, url TEXT, title TEXT, publisher TEXT, published TEXT, kind TEXT, archived TEXT, "
    "PRIMARY KEY (case_id, id)",
    "claims": "case_id TEXT, id TEXT, value TEXT, text_en TEXT, text_ko TEXT, source TEXT, place TEXT, basis TEXT, "
    "PRIMARY KEY (case_id, id)",
    "checks": "id TEXT PRIMARY KEY, title_en TEXT, title_ko TEXT, kind TEXT, severity TEXT, status TEXT",
    "check_cases": "check_id TEXT, case_id TEXT, replay TEXT, link TEXT, PRIMARY KEY (check_id, case_id, replay)",
}
INDEXES = "CREATE INDEX case_values_slug ON case_values (slug); CREATE INDEX check_cases_case ON check_cases (case_id);"


@dataclass(frozen=True)
class Checks:
    """What the catalogue says of checks and cases, worked out once for all files."""

    rows: list[Cells]
    links: tuple[CheckLink, ...]

    @classmethod
    def of(cls, catalogue: Catalogue) -> "Checks":
        rows: list[Cells] = []
        for check, folder in catalogue.folders.items():
            card = folder.card
            rows.append((check, *_both(card.title), card.kind, card.severity, catalogue.status(check)))
        return cls(rows, catalogue.links)

    @property
    def of_case(self) -> dict[str, tuple[str, ...]]:
        """Case id → the checks whose replays find it."""
        found: dict[str, dict[str, None]] = {}
        for link in self.links:
            if link.state is not LinkState.unproven:
                found.setdefault(link.case, {})[link.check] = None
        return {case: tuple(sorted(checks)) for case, checks in found.items()}


def write(path: Path, cases: Sequence[CaseFile], vocabulary: Vocabulary, checks: Checks) -> None:
    rows: dict[str, list[Cells]] = {name: [] for name in TABLES}
    for case in cases:
        _case(rows, case.incident)
    for kind in Kind:
        rows["vocabulary"] += [_value(kind, value) for value in vocabulary.values[kind].values()]
    ids = {case.incident.id for case in cases}
    rows["checks"] = checks.rows
    rows["check_cases"] = [
        (link.check, link.case, link.replay, link.state) for link in checks.links if link.case in ids
    ]
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, columns in TABLES.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
            if rows[name]:
                marks = ", ".join("?" * len(rows[name][0]))
                connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows[name])  # noqa: S608 (own names)
        connection.executescript(INDEXES)


def _case(rows: dict[str, list[Cells]], case: Incident) -> None:
    story = case.narrative
    at, precision, basis = case.date
    told = (story.symptom, story.cause, story.trigger, story.detection, story.lessons)
    rows["cases"].append(
        (
            case.id,
            case.slug,
            case.domain,
            case.org,
            *_both(case.title),
            *_both(case.summary),
            at,
            precision,
            basis,
            case.severity.en if case.severity else None,
            case.time_to_detect and case.time_to_detect.value,
            case.time_to_recover and case.time_to_recover.value,
            *(part for text in told for part in _both(text)),
            case.review.status,
            case.review.on,
            case.model_dump_json(exclude_none=True),
        )
    )
    for kind in DIAGNOSIS:
        rows["case_values"] += [(case.id, kind.value, i, slug) for i, slug in enumerate(case.terms(kind))]
    rows["sources"] += [
        (case.id, s.id, s.url, s.title, s.publisher, s.published, s.kind, s.archived) for s in case.sources
    ]
    rows["claims"] += [(case.id, c.id, c.value, *_both(c.text), c.source, c.where, c.basis) for c in case.claims]


def _value(kind: Kind, value: Value) -> Cells:
    broader = ";".join(value.broader) if isinstance(value, Term) else ""
    return (kind.value, value.slug, *_both(value.name), *_both(value.definition), broader)


def _both(text: Text | None) -> tuple[str | None, str | None]:
    return (text.en, text.ko) if text else (None, None)
