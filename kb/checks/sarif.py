"""The report in SARIF 2.1.0, for tools that collect findings (`kb check --sarif`).

Found is `fail`, unknown is `open`, clear is `pass`, not applicable is `notApplicable`. Places are logical locations:
a cluster has no files. An accepted finding carries its suppression.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import kb
from kb import links
from kb.checks.card import Answer, CheckCard, Severity, pascal
from kb.checks.report import Report, ReportedFinding, ReportedUnknown
from kb.model import Lang

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Severity.critical: "error", Severity.warning: "warning", Severity.info: "note"}
CLOCK = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")


def sarif(report: Report, cards: Mapping[str, CheckCard], lang: Lang, base_url: str = "") -> dict[str, Any]:
    """One run. `cards` are those of the checks that were run; `base_url` makes rules link to their pages."""
    run = sorted(report.answers)
    driver = {
        "name": "incident-library",
        "version": kb.__version__,
        "semanticVersion": kb.__version__,
        "rules": [_rule(cards[check], lang, base_url) for check in run],
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "language": lang.value,
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(report)],
                "results": list(_results(report, {check: number for number, check in enumerate(run)}, lang)),
                "properties": {
                    "dataVersion": report.data_version,
                    "sources": [{"kind": note.kind, "name": note.name} for note in report.sources],
                    "skipped": {kind: list(checks) for kind, checks in report.skipped.items()},
                },
            }
        ],
    }


def _invocation(report: Report) -> dict[str, Any]:
    invocation: dict[str, Any] = {"executionSuccessful": True, "exitCode": report.exit_status}
    if CLOCK.match(report.started):
        invocation["startTimeUtc"] = report.started
    return invocation


def _results(report: Report, rules: Mapping[str, int], lang: Lang) -> Iterator[dict[str, Any]]:
    for item in report.findings:
        yield _found(item, rules, lang)
    for known in report.accepted:
        suppression = {"kind": "external", "status": "accepted", "justification": known.reason}
        yield {**_found(known.item, rules, lang), "suppressions": [suppression]}
    for remark in report.unknown:
        yield _unknown(remark, rules, lang)
    for check, answer in sorted(report.answers.items()):
        if answer is Answer.clear:
            yield _result(check, rules, "pass", f"{report.looked_at[check]}")
    for check, reason in report.not_applicable:
        yield _result(check, rules, "notApplicable", reason.say(lang)[0])


def _rule(card: CheckCard, lang: Lang, base_url: str) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": card.id,
        "name": pascal(card.id),
        "shortDescription": {"text": card.title.say(lang)[0]},
        "fullDescription": {"text": card.about.say(lang)[0]},
        "defaultConfiguration": {"level": LEVELS[card.severity]},
        "properties": {"tags": list(card.catches)},
    }
    if base_url:
        rule["helpUri"] = links.absolute(base_url, links.check(lang, card.id))
    return rule


def _result(check: str, rules: Mapping[str, int], kind: str, text: str) -> dict[str, Any]:
    """A result that is no failure has the level `none`."""
    return {
        "ruleId": check,
        "ruleIndex": rules[check],
        "kind": kind,
        "level": "none",
        "message": {"text": text or check},
        "locations": _locations([{"check": check}]),
    }


def _found(item: ReportedFinding, rules: Mapping[str, int], lang: Lang) -> dict[str, Any]:
    evidence, detail = item.finding.evidence, item.next_step_detail
    return {
        **_result(item.check, rules, "fail", item.message.say(lang)[0]),
        "level": LEVELS[item.severity],
        "locations": _locations([item.finding.where]),
        "partialFingerprints": {"kbFindingId/v1": item.id},
        "properties": {
            "cases": list(item.cases),
            "alsoSeenBy": list(item.also_seen_by),
            "nextStep": item.next_step.value,
            "nextStepDetail": detail.say(lang)[0] if detail else "",
            "since": item.finding.since or "",
            "evidence": evidence.line or evidence.query,
            "threshold": evidence.threshold,
        },
    }


def _unknown(item: ReportedUnknown, rules: Mapping[str, int], lang: Lang) -> dict[str, Any]:
    remark = item.unknown
    text = f"{remark.reason.say(lang)[0]} {remark.remedy.say(lang)[0]}"
    return {
        **_result(item.check, rules, "open", text),
        "locations": _locations(remark.where or [{"check": item.check}]),
        "properties": {"reasonKind": remark.kind.value, "cases": list(item.cases), "count": remark.count},
    }


def _locations(places: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    return [
        {"logicalLocations": [{"fullyQualifiedName": ",".join(f"{name}={place[name]}" for name in sorted(place))}]}
        for place in places
    ]
