"""Every rule of the validator: its name, how grave it is, and what it demands."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from kb.case_file import dotted
from kb.yaml_text import Document, Place


class Level(StrEnum):
    error = "error"
    """Nothing is built."""
    warning = "warning"


@dataclass(frozen=True)
class Rule:
    level: Level
    demands: str


def _error(demands: str) -> Rule:
    return Rule(Level.error, demands)


def _warning(demands: str) -> Rule:
    return Rule(Level.warning, demands)


RULES: Mapping[str, Rule] = {
    # files and ids
    "schema": _error("Every file can be read and has the fields of its schema, and no others."),
    "file-name": _error("A case lies in a file named after its id."),
    "id-unique": _error("No two cases have the same id."),
    "slug-unique": _error("No two cases have the same slug."),
    "id-listed": _error("A public case stands in data/ids.tsv with the same slug; an id is never reused."),
    "ids-file": _error("data/ids.tsv has a header and sorted rows of id and slug, each of them once."),
    "id-prefix": _error("Public ids begin with IL-; those of a folder of one's own begin otherwise."),
    "format": _warning("A case is laid out as the formatter writes it."),
    "trailing-space": _warning("No line ends with blanks."),
    "control-character": _error("Text holds no control, zero-width or direction characters."),
    # vocabulary
    "vocabulary-slug-unique": _error("A slug, former ones included, names one value over all kinds."),
    "vocabulary-alias": _error("A name or alias leads to one value of a kind, in either language."),
    "vocabulary-broader": _error("A broader value exists in the same kind and is not narrower in turn."),
    "vocabulary-languages": _error("Name, definition and short name stand in both languages."),
    "vocabulary-no-case": _error("A value that no case carries says why it is there, and no other value does."),
    "vocabulary-examples": _error(
        "A value of two approved cases or more shows one that belongs and one that does not."
    ),
    "vocabulary-example": _error(
        "The case that belongs carries the value; the one that does not carries another value of the kind instead."
    ),
    "vocabulary-example-case": _error("The case that an example names exists and is served."),
    "term-known": _error("Every slug that a case uses is a value of that kind."),
    "term-former": _warning("A case uses the present slug of a value, not a former one."),
    "term-twice": _error("A case names a value once."),
    # languages and texts
    "both-languages": _error("Every text of an approved case stands in English and Korean."),
    "phrases-count": _error("An approved case has at least six phrases in each language."),
    "korean": _error("Korean text is Korean."),
    "english": _error("English text holds no Hangul."),
    "html": _error("Texts hold no HTML tags outside backticks."),
    "backticks": _error("Backticks come in pairs."),
    "title-length": _error("A title has at most 110 English or 70 Korean characters."),
    "summary-length": _error("A summary has 30 to 180 English words."),
    "summary-size": _warning("A summary has 50 to 130 English words."),
    "narrative-length": _error("A part of the narrative has at most 2,500 characters."),
    "phrase-length": _error("A phrase has at most 160 characters."),
    "evidence-length": _error("A string of evidence has at most 300 characters."),
    "phrase-twice": _error("No phrase stands twice in a case."),
    "phrase-echo": _warning("A phrase shares at most two content words with the title, and with the cause."),
    "phrase-names-cause": _warning("No phrase names the cause; who asks does not know it yet."),
    # sources and claims
    "source-unique": _error("Ids of sources are unique within a case."),
    "source-primary": _error("An approved case has a source that is not secondary."),
    "source-address": _error("Addresses are http(s), with a public host and without credentials."),
    "claim-unique": _error("Ids of claims are unique within a case."),
    "claim-source": _error("A claim names a source of its case."),
    "derived-working": _error("A derived claim or duration shows its working."),
    "figure-unclaimed": _error("Every figure of the texts stands in the value or working of a claim."),
    # dates
    "date-real": _error("Dates and times exist in the calendar."),
    "date-precision": _error("The precision fits the form of the date."),
    "date-order": _error("Occurred, ended and published follow one another."),
    "timeline-order": _error("The timeline does not go backwards."),
    "date-future": _error("Nothing lies after the day of the review."),
    # relations and review
    "relation-known": _error("A relation leads to another case of the library."),
    "relation-twice": _error("A relation stands once."),
    "relation-mirrored": _error("Same event, failure mode or paper is told by both cases."),
    "same-event": _error("Cases of one organisation, day and symptom are related."),
    "review-note": _error("A provisional, superseded or withdrawn case says why."),
    "review-successor": _error("A superseded case, and no served one, names the case to use instead."),
    # checks
    "unlinked": _error("An approved case has a replay that must be found, or says why there is none."),
    "no-check-contradicted": _error("A case with a linked replay does not say that nothing could catch it."),
    "value-unlinked": _error(
        "A symptom, component or root cause of three or more cases is named by a proven check, or says why by none."
    ),
    "value-no-check-contradicted": _error("A value that a proven check names does not say that none looks for it."),
    "replay-case": _error("The case that a replay names exists and is served."),
    "replay-source": _error("What a replay of a case takes as published comes from a source of that case."),
    "check-catches": _error("A check catches known values of the vocabulary."),
    "check-exporter": _error("What gives a metric has one name, spelt as in kb/checks/exporters.py."),
    "check-schema": _error("Checks and replays can be read and fulfil the rules of the catalogue."),
    "check-same-as": _error("A check names others that see the same only if they exist and read another source."),
    "check-replays": _warning("A check has replays that must be found, clear and unknown."),
    "proof-failing": _error("No replay fails."),
    "proof-stale": _error("No proof is of an earlier form of its check or replay, or of one that is gone."),
    "proof-missing": _warning("Every replay has been run."),
}


@dataclass(frozen=True, order=True)
class Finding:
    """One place where a file breaks a rule. Ordered by path and line.

    field: dotted, as `claims[2].source`; `(file)` for the whole.
    mend: what to do about it.
    """

    path: Path
    line: int
    field: str
    rule: str
    message: str
    mend: str

    @property
    def level(self) -> Level:
        return RULES[self.rule].level

    def as_dict(self) -> dict[str, str | int]:
        """As JSON shows it."""
        return {
            "rule": self.rule,
            "level": self.level.value,
            "path": self.path.as_posix(),
            "line": self.line,
            "field": self.field,
            "message": self.message,
            "mend": self.mend,
        }

    def __str__(self) -> str:
        path = self.path.relative_to(Path.cwd()) if self.path.is_relative_to(Path.cwd()) else self.path
        where = f"{path}:{self.line}: {self.field}"
        return f"{where}: {self.level} [{self.rule}] {self.message} {self.mend}".rstrip()


class Located(Protocol):
    """A file and the lines of its parts: a case, a vocabulary file."""

    @property
    def path(self) -> Path: ...

    @property
    def document(self) -> Document: ...


def at(file: Located, place: Place, rule: str, message: str, mend: str) -> Finding:
    """A finding in a file, with the line on which `place` begins."""
    return Finding(file.path, file.document.line(place), dotted(place), rule, message, mend)
