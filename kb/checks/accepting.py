"""Living with findings: what a baseline or the site's own list accepts no longer counts, but is not forgotten.

A baseline is the JSON report of an earlier run. A finding is the same as long as its check and its place are.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kb.checks.card import Answer
from kb.checks.report import SCHEMA, Accepted, Lapsed, Report, ReportedFinding
from kb.checks.site import Ignore
from kb.errors import InvalidValue

MAX_BASELINE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Baseline:
    """What an earlier report found: finding id → check id."""

    name: str
    findings: Mapping[str, str]


def read_baseline(path: Path) -> Baseline:
    """
    Raises:
        InvalidValue: not a file that can be read, or not a report of this form.
    """
    remedy = "Make it anew: `kb check … --json > FILE`."
    try:
        if path.stat().st_size > MAX_BASELINE_BYTES:
            raise InvalidValue(f"`{path.name}` is too large to be a report.", field="baseline", next_step=remedy)
        data = json.loads(path.read_bytes())
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise InvalidValue(f"`{path}` cannot be read: {reason}.", field="baseline", next_step=remedy) from error
    except ValueError as error:
        raise InvalidValue(f"`{path.name}` is not JSON.", field="baseline", next_step=remedy) from error
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        said = f"is of the form `{schema}`, not `{SCHEMA}`" if schema else "is not a report of `kb check --json`"
        raise InvalidValue(f"`{path.name}` {said}.", field="baseline", next_step=remedy)
    try:
        return Baseline(path.name, _ids(data))
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidValue(f"`{path.name}` is a damaged report.", field="baseline", next_step=remedy) from error


def _ids(data: dict[str, Any]) -> dict[str, str]:
    known = [*data["findings"], *data.get("accepted", [])]
    return {str(item["id"]): str(item["check"]) for item in known}


def accept(report: Report, *, ignore: Sequence[Ignore] = (), baseline: Baseline | None = None, today: str) -> Report:
    """The report with the accepted findings set apart.

    today: `YYYY-MM-DD`; a rule whose last day is over accepts nothing and is named.
    """
    valid = [rule for rule in ignore if rule.until >= today]
    lapsed = [rule for rule in ignore if rule.until < today]
    kept, accepted = [], []
    for item in report.findings:
        by = _by(item, valid, baseline)
        if by is None:
            kept.append(item)
        else:
            accepted.append(by)
    return replace(
        report,
        findings=tuple(kept),
        accepted=(*report.accepted, *accepted),
        lapsed=tuple(Lapsed(rule.check, rule.reason, rule.until, _covered(rule, kept)) for rule in lapsed),
        gone=_gone(report, baseline) if baseline else report.gone,
    )


def _by(item: ReportedFinding, rules: Sequence[Ignore], baseline: Baseline | None) -> Accepted | None:
    for rule in rules:
        if rule.covers(item.check, item.finding):
            return Accepted(item, "ignore", f"{rule.reason} (until {rule.until})")
    if baseline is not None and item.id in baseline.findings:
        return Accepted(item, "baseline", baseline.name)
    return None


def _covered(rule: Ignore, findings: Collection[ReportedFinding]) -> int:
    return sum(rule.covers(item.check, item.finding) for item in findings)


def _gone(report: Report, baseline: Baseline) -> tuple[tuple[str, str], ...]:
    """Findings of the baseline that are no longer there; where the check could not judge, nobody knows."""
    now = {item.id for item in report.findings}
    judged = {check for check, answer in report.answers.items() if answer in (Answer.found, Answer.clear)}
    unsure = {item.check for item in report.unknown}
    return tuple(
        sorted(
            (check, finding)
            for finding, check in baseline.findings.items()
            if finding not in now and check in judged - unsure
        )
    )
