"""The question files, read strictly."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb import yaml_text

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Graded:
    id: str
    text: str
    kind: str
    grades: dict[str, int]
    """By case slug."""


@dataclass(frozen=True)
class Pair:
    id: str
    en: str
    ko: str


def _rows(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = yaml_text.read(HERE / f"{name}.yaml", max_bytes=1 << 20).data
    return rows


def graded(name: str) -> list[Graded]:
    return [
        Graded(row["id"], row["text"], row["kind"], {slug: int(grade) for slug, grade in row["grades"].items()})
        for row in _rows(name)
    ]


def nothing(name: str = "none") -> list[tuple[str, str]]:
    """(id, text) of what the library must refuse; `none_fresh` holds fields that `kb.elsewhere` does not name."""
    return [(row["id"], row["text"]) for row in _rows(name)]


@dataclass(frozen=True)
class Decided:
    """A question of which is only known whether the library holds an answer."""

    text: str
    answerable: bool
    seen: bool
    """Whether whoever set the thresholds knew it."""


def verdicts() -> list[Decided]:
    return [Decided(row["text"], row["answer"] == "yes", row["seen"] == "yes") for row in _rows("verdicts")]


def pairs() -> list[Pair]:
    return [Pair(row["id"], row["en"], row["ko"]) for row in _rows("pairs")]


def wrong() -> dict[str, set[str]]:
    """Question id → ids of the cases that were judged and are wrong for it."""
    lines = (HERE / "wrong.txt").read_text(encoding="utf-8").splitlines()
    return {question: set(ids) for question, *ids in (line.split() for line in lines)}


def vocabulary() -> list[tuple[str, str, set[str]]]:
    """(id, words, accepted slugs)."""
    return [(row["id"], row["text"], set(row["expect"])) for row in _rows("vocabulary")]
