"""The report as Markdown, for a ticket or a chat (`kb check --markdown`)."""

import re
from collections.abc import Iterator

from kb import links
from kb.checks.card import Answer
from kb.checks.report import Report, ReportedFinding, ReportedUnknown, why_skipped
from kb.model import Lang

SAID = {
    Lang.en: {
        "title": "What the incident library's checks found", "found": "Found", "unknown": "Could not be judged",
        "clear": "Clear", "accepted": "Accepted", "na": "Not applicable", "like": "Like", "next": "Next",
        "since": "since", "remedy": "To see it", "skipped": "Not run",
        "looked": "{n} things looked at with {c} checks; data {v}; {t}", "nothing": "Nothing.",
        "gone": "No longer found since the baseline", "lapsed": "Ignore rules that have run out", "places": "places",
        "also": "Also seen by",
    },
    Lang.ko: {
        "title": "장애 사례 라이브러리 검사 결과", "found": "발견", "unknown": "판단하지 못함",
        "clear": "이상 없음", "accepted": "받아들인 발견", "na": "해당 없음", "like": "비슷한 사례",
        "next": "다음 조치",
        "since": "시작", "remedy": "보이게 하려면", "skipped": "돌리지 않음",
        "looked": "검사 {c}개로 대상 {n}개를 살펴봄, 데이터 {v}, {t}", "nothing": "없습니다.",
        "gone": "기준 보고서에는 있었고 지금은 없는 발견", "lapsed": "기한이 지난 무시 규칙", "places": "곳",
        "also": "같은 문제를 본 검사",
    },
}  # fmt: skip
#: What would end a line, a table cell or a code span, or begin markup.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def markdown(report: Report, lang: Lang, base_url: str = "") -> str:
    """The whole report; case ids link to their pages where the public address is known."""
    return "\n".join(_lines(report, lang, base_url)) + "\n"


def _lines(report: Report, lang: Lang, base_url: str) -> Iterator[str]:
    said = SAID[lang]
    yield f"# {said['title']}"
    yield ""
    checks = len(report.answers)
    yield said["looked"].format(n=report.looked_at_total, c=checks, v=report.data_version, t=report.started or "–")
    yield from _section(f"{said['found']} ({len(report.findings)})")
    for item in report.findings:
        yield from _finding(item, lang, base_url)
    if not report.findings:
        yield said["nothing"]
    if report.unknown:
        yield from _section(f"{said['unknown']} ({len(report.unknown)})")
        for remark in report.unknown:
            yield from _unknown(remark, lang)
    if report.accepted:
        yield from _section(f"{said['accepted']} ({len(report.accepted)})")
        for known in report.accepted:
            yield f"- {plain(known.item.message.say(lang)[0])} `{known.item.check}`: {plain(known.reason)}"
    yield from _rest(report, lang)


def _rest(report: Report, lang: Lang) -> Iterator[str]:
    said = SAID[lang]
    for title, lines in (
        ("lapsed", [f"- `{r.check}`: {plain(r.reason)} ({r.until}, {r.covered})" for r in report.lapsed]),
        ("gone", [f"- `{check}` {finding}" for check, finding in report.gone]),
        ("clear", [
            f"- `{check}` ({report.looked_at[check]})"
            for check, answer in sorted(report.answers.items()) if answer is Answer.clear
        ]),
        ("na", [f"- `{check}`: {plain(reason.say(lang)[0])}" for check, reason in report.not_applicable]),
        ("skipped", [f"- {why_skipped(kind).say(lang)[0]}: {len(names)}" for kind, names in report.skipped.items()]),
    ):  # fmt: skip
        if lines:
            yield from _section(f"{said[title]} ({len(lines)})")
            yield from lines


def _section(title: str) -> tuple[str, ...]:
    return ("", f"## {title}", "")


def _finding(item: ReportedFinding, lang: Lang, base_url: str) -> Iterator[str]:
    said, evidence = SAID[lang], item.finding.evidence
    since = f", {said['since']} {item.finding.since}" if item.finding.since else ""
    yield f"- **{plain(item.message.say(lang)[0])}** (`{item.check}`, {item.severity.value}{since})"
    if evidence.line:
        yield f"  - {code(f'{evidence.place}: {evidence.line}')}"
    elif evidence.value is not None:
        yield f"  - {evidence.value:g} {evidence.unit} ({evidence.threshold})".replace(" ()", "")
    if item.also_seen_by:
        yield f"  - {said['also']}: {', '.join(f'`{check}`' for check in item.also_seen_by)}"
    if item.cases:
        yield f"  - {said['like']}: {', '.join(_case(case, lang, base_url) for case in item.cases)}"
    detail = item.next_step_detail.say(lang)[0] if item.next_step_detail else ""
    yield f"  - {said['next']}: {item.next_step.value}. {plain(detail)}".rstrip()


def _unknown(item: ReportedUnknown, lang: Lang) -> Iterator[str]:
    said, remark = SAID[lang], item.unknown
    more = f" ({remark.count} {said['places']})" if remark.count else ""
    yield f"- `{item.check}`: {plain(remark.reason.say(lang)[0])}{more}"
    yield f"  - {said['remedy']}: {plain(remark.remedy.say(lang)[0])}"


def _case(case: str, lang: Lang, base_url: str) -> str:
    return f"[{case}]({links.absolute(base_url, links.incident(lang, case))})" if base_url else case


def plain(text: str) -> str:
    """Text of a cluster or a log, so that it stays text."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """A code span that the text itself cannot end."""
    flat = " ".join(text.split())
    longest = max((len(run) for run in re.findall(r"`+", flat)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {flat} {fence}" if longest else f"`{flat}`"
