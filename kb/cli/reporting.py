"""The report of a run on the terminal: findings first, then what could not be seen and why, then the rest."""

from rich.console import Console
from rich.markup import escape

from kb.checks.report import Report, ReportedFinding, ReportedUnknown, why_skipped
from kb.model import Lang

SAID = {
    Lang.en: {
        "since": "since", "like": "like", "next": "next", "unknown": "unknown", "na": "not applicable",
        "looked": "looked at {n} things with {c} checks", "skipped": "not run",
        "clear": "clear", "found": "found", "remedy": "to see it",
        "accepted": "accepted", "lapsed": "ignore rule ran out on", "gone": "no longer found",
        "also": "also seen by",
    },
    Lang.ko: {
        "since": "시작", "like": "비슷한 사례", "next": "다음", "unknown": "알 수 없음", "na": "해당 없음",
        "looked": "검사 {c}개로 대상 {n}개를 살펴봄", "skipped": "돌리지 않음",
        "clear": "이상 없음", "found": "발견", "remedy": "보이게 하려면",
        "accepted": "받아들인 발견", "lapsed": "무시 규칙의 기한이 지남:", "gone": "이제 없음",
        "also": "같은 문제를 본 검사",
    },
}  # fmt: skip


def draw(out: Console, report: Report, lang: Lang) -> None:
    """Findings first, then what could not be seen and why, then how much was looked at."""
    said = SAID[lang]
    for finding in report.findings:
        _finding(out, finding, lang)
    for item in report.unknown:
        _unknown(out, item, lang)
    _accepted(out, report, lang)
    for name, reason in report.not_applicable:
        out.print(f"[dim]– {said['na']}  {name}: {escape(reason.say(lang)[0])}[/]")
    for name, count in report.looked_at.items():
        if str(report.answers[name]) == "clear":
            out.print(f"✓ {said['clear']}  {name} ({count})")
    out.print(said["looked"].format(n=report.looked_at_total, c=len(report.answers)))
    for kind, names in report.skipped.items():
        out.print(f"[dim]{said['skipped']} ({why_skipped(kind).say(lang)[0]}): {len(names)}[/]")


def _accepted(out: Console, report: Report, lang: Lang) -> None:
    said = SAID[lang]
    for known in report.accepted:
        text = escape(f"{known.item.message.say(lang)[0]} ({known.item.check}; {known.reason})")
        out.print(f"[dim]~ {said['accepted']}  {text}[/]")
    for rule in report.lapsed:
        out.print(
            f"[yellow]~ {said['lapsed']} {rule.until}[/]  {escape(rule.check)}: {escape(rule.reason)} ({rule.covered})"
        )
    for check, finding in report.gone:
        out.print(f"✓ {said['gone']}  {check} {finding}")


def _finding(out: Console, item: ReportedFinding, lang: Lang) -> None:
    said, evidence = SAID[lang], item.finding.evidence
    out.print(
        f"[bold red]! {said['found']}[/]  [bold]{escape(item.message.say(lang)[0])}[/]  ({item.check}, {item.severity})"
    )
    if evidence.line:
        out.print(f"    {escape(evidence.place)}: {escape(evidence.line)}", soft_wrap=True)
    elif evidence.value is not None:
        out.print(f"    {evidence.value:g} {evidence.unit} ({escape(evidence.threshold)})")
    if item.finding.since:
        out.print(f"    {said['since']}: {item.finding.since}")
    if item.also_seen_by:
        out.print(f"    {said['also']}: {', '.join(item.also_seen_by)}")
    if item.cases:
        out.print(f"    {said['like']}: {', '.join(item.cases)}")
    detail = item.next_step_detail.say(lang)[0] if item.next_step_detail else ""
    out.print(f"    {said['next']}: {item.next_step}. {escape(detail)}")


def _unknown(out: Console, item: ReportedUnknown, lang: Lang) -> None:
    said, remark = SAID[lang], item.unknown
    places = "; ".join(", ".join(place.values()) for place in remark.where)
    out.print(f"[bold yellow]? {said['unknown']}[/]  {item.check}: {escape(remark.reason.say(lang)[0])}")
    if places:
        out.print(f"    {escape(places)}" + (f" … ({remark.count})" if remark.count > len(remark.where) else ""))
    out.print(f"    {said['remedy']}: {escape(remark.remedy.say(lang)[0])}")
