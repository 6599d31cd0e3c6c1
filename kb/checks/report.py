"""The report of a run, and its plain form for JSON (`kb check --json`)."""

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from kb.checks.card import Answer, CheckCard, NextStep, Severity
from kb.checks.contract import Finding, Unknown
from kb.model import Lang, Text

SCHEMA = "kb-check-report/1"
PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")

#: Labels that say when in a job something was seen, not where.
WINDOWS = ("steps", "operation")

#: In `skipped`, in place of a kind of source: checks of logs whose kind of log is not among those given.
OTHER_LOG = "other log"

CLEAR, FOUND, UNKNOWN = 0, 1, 3
"""Exit statuses; 2 is wrong usage and belongs to the command line."""


@dataclass(frozen=True)
class ReportedFinding:
    id: str
    """The same in every run as long as check and place are the same."""
    check: str
    title: Text
    severity: Severity
    finding: Finding
    message: Text
    cases: tuple[str, ...]
    next_step: NextStep
    next_step_detail: Text | None
    also_seen_by: tuple[str, ...] = ()
    """Checks of another source that found the same at the same place."""


@dataclass(frozen=True)
class ReportedUnknown:
    check: str
    unknown: Unknown
    cases: tuple[str, ...]


@dataclass(frozen=True)
class Accepted:
    """A finding that does not count: `by` is `baseline` (then `reason` names the file) or `ignore`."""

    item: ReportedFinding
    by: str
    reason: str


@dataclass(frozen=True)
class Lapsed:
    """An ignore rule whose last day is over; `covered` findings count again for it."""

    check: str
    reason: str
    until: str
    covered: int


@dataclass(frozen=True)
class SourceNote:
    kind: str
    name: str


@dataclass(frozen=True)
class Report:
    """What one run found. Lists are in the order of check id, then place."""

    data_version: str
    started: str
    """ISO 8601, by the clock of the source, or as the caller gave it."""
    sources: tuple[SourceNote, ...]
    answers: Mapping[str, Answer]
    """Of every check that was run."""
    looked_at: Mapping[str, int]
    findings: tuple[ReportedFinding, ...]
    unknown: tuple[ReportedUnknown, ...]
    not_applicable: tuple[tuple[str, Text], ...]
    skipped: Mapping[str, tuple[str, ...]]
    """Kind of source that was not given (or `OTHER_LOG`), with the checks that need it."""
    accepted: tuple[Accepted, ...] = ()
    lapsed: tuple[Lapsed, ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    """(check, finding id) of what a baseline holds and this run, which could judge it, does not find."""
    fail_on: Severity = Severity.info
    """The least severity of a finding that makes the exit status 1."""

    @property
    def looked_at_total(self) -> int:
        return sum(self.looked_at.values())

    @property
    def exit_status(self) -> int:
        """0 all clear, 1 something found, 3 nothing found but something unknown, or nothing judged at all.

        Accepted findings and those below `fail_on` do not count as found.
        """
        if any(item.severity.rank >= self.fail_on.rank for item in self.findings):
            return FOUND
        judged = [answer for answer in self.answers.values() if answer is not Answer.unknown]
        return UNKNOWN if self.unknown or not judged else CLEAR

    def as_dict(self, lang: Lang = Lang.en) -> dict[str, object]:
        """Plain data for JSON: `schema`, `data_version`, `started`, `sources`, `looked_at` and the lists."""
        return {
            "schema": SCHEMA,
            "data_version": self.data_version,
            "started": self.started,
            "sources": [{"kind": note.kind, "name": note.name} for note in self.sources],
            "exit_status": self.exit_status,
            "looked_at": {"total": self.looked_at_total, "checks": dict(self.looked_at)},
            "findings": [_finding(item, lang) for item in self.findings],
            "unknown": [_unknown(item, lang) for item in self.unknown],
            "not_applicable": [
                {"check": check, "reason": reason.say(lang)[0]} for check, reason in self.not_applicable
            ],
            "skipped": [
                {
                    "reason": why_skipped(kind).say(lang)[0],
                    "kind": kind,
                    "count": len(checks),
                    "checks": list(checks),
                }
                for kind, checks in self.skipped.items()
            ],
            "fail_on": self.fail_on.value,
            "accepted": [
                {**_finding(known.item, lang), "by": known.by, "reason": known.reason} for known in self.accepted
            ],
            "lapsed": [
                {"check": rule.check, "reason": rule.reason, "until": rule.until, "covered": rule.covered}
                for rule in self.lapsed
            ],
            "gone": [{"check": check, "id": finding} for check, finding in self.gone],
        }


def why_skipped(kind: str) -> Text:
    """Why the checks under this key of `skipped` were not run."""
    if kind == OTHER_LOG:
        return Text(en="none of the given logs is of their kind", ko="준 로그 가운데 이 검사들이 읽는 종류가 없음")
    return Text(en=f"no {kind} source given", ko=f"{kind} 소스를 지정하지 않음")


def report_finding(card: CheckCard, finding: Finding, cases: tuple[str, ...]) -> ReportedFinding:
    return ReportedFinding(
        id=finding_id(card.id, finding.where),
        check=card.id,
        title=card.title,
        severity=card.severity,
        finding=finding,
        message=fill_in(card.message, finding),
        cases=cases,
        next_step=card.next_step,
        next_step_detail=card.next_step_detail,
    )


def finding_id(check: str, where: Mapping[str, str]) -> str:
    """Check and place in twelve hexadecimal digits; for baselines and SARIF fingerprints.

    A window of steps is not part of the place: it moves as the job goes on, and the fault is the same.
    """
    text = "\n".join([check, *(f"{name}={where[name]}" for name in sorted(where) if name not in WINDOWS)])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def fill_in(message: Text, finding: Finding) -> Text:
    """Labels, `{value}` and `{place}` (host or file) put into the message; `?` for a label that is absent."""
    where = finding.where
    evidence = finding.evidence
    value = "" if evidence.value is None else f"{evidence.value:g}{evidence.unit and ' ' + evidence.unit}"
    place = where.get("host") or where.get("hostname") or where.get("file") or "?"
    words = {"value": value, "place": place, **where}

    def put(text: str) -> str:
        return PLACEHOLDER.sub(lambda match: words.get(match[1]) or "?", text)

    return Text(en=put(message.en), ko=put(message.ko) if message.ko else None)


def _finding(item: ReportedFinding, lang: Lang) -> dict[str, object]:
    evidence = item.finding.evidence
    value = evidence.value if evidence.value is not None and math.isfinite(evidence.value) else None
    detail = item.next_step_detail
    return {
        "id": item.id,
        "check": item.check,
        "title": item.title.say(lang)[0],
        "answer": Answer.found.value,
        "severity": item.severity.value,
        "where": dict(item.finding.where),
        "since": item.finding.since,
        "evidence": {
            "value": value,
            "unit": evidence.unit,
            "threshold": evidence.threshold,
            "query": evidence.query,
            "file": evidence.file,
            "line_number": evidence.line_number,
            "line": evidence.line,
            "count": evidence.count,
            "object": evidence.object,
        },
        "message": item.message.say(lang)[0],
        "cases": list(item.cases),
        "also_seen_by": list(item.also_seen_by),
        "next_step": item.next_step.value,
        "next_step_detail": detail.say(lang)[0] if detail else "",
    }


def _unknown(item: ReportedUnknown, lang: Lang) -> dict[str, object]:
    remark = item.unknown
    return {
        "check": item.check,
        "reason": remark.reason.say(lang)[0],
        "reason_kind": remark.kind.value,
        "remedy": remark.remedy.say(lang)[0],
        "where": [dict(place) for place in remark.where],
        "count": remark.count,
        "cases": list(item.cases),
    }
