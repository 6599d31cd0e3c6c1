"""Answers for people at a terminal. Labels are in the language of the answer."""

import json
from collections.abc import Sequence

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from kb.answers import (
    CaseBrief,
    CheckAnswer,
    CheckBrief,
    EvidenceAnswer,
    ExampleCase,
    Hit,
    IncidentAnswer,
    ListAnswer,
    NextCheck,
    SearchAnswer,
    TopicAnswer,
    Verdict,
    VocabAnswer,
)
from kb.model import Kind, Lang

NOT_STATED = {Lang.en: "– not stated", Lang.ko: "– 적혀 있지 않음"}
VERDICTS = {
    Lang.en: {Verdict.strong: "Strong", Verdict.weak: "Weak", Verdict.none: "None"},
    Lang.ko: {Verdict.strong: "강함", Verdict.weak: "약함", Verdict.none: "없음"},
}
METERS = {Verdict.strong: "▂▅█", Verdict.weak: "▂  ", Verdict.none: "   "}
WORDS = {
    Lang.en: {
        "none": "Nothing like this is known here.",
        "near": "{n} near misses were cut.",
        "outside": "Fit the sentence but are left out by the filters: {n}.",
        "why": "why",
        "narrow": "narrow",
        "mean": "Did you mean: {text}",
        "count": "{n} cases",
        "next": "More: --cursor {cursor}",
        "best": "next best check",
        "belongs": "Belongs",
        "does_not_belong": "Does not",
        "words_only": "No embedding model could be loaded: searched by words alone.",
        "provisional": "Provisional: rests on a secondary source.",
        "fields": "Symptom Cause Trigger Detection Actions Follow-ups Lessons Timeline Checks Figures Sources Similar",
    },
    Lang.ko: {
        "none": "이와 비슷한 사례가 없습니다.",
        "near": "기준에 못 미친 {n}건은 뺐습니다.",
        "outside": "문장에는 맞지만 필터에 걸려 빠진 사례가 {n}건 있습니다.",
        "why": "맞은 이유",
        "narrow": "좁히기",
        "mean": "이 말을 찾으셨나요: {text}",
        "count": "{n}건",
        "next": "다음: --cursor {cursor}",
        "best": "다음에 할 검사",
        "belongs": "맞는 예",
        "does_not_belong": "아닌 예",
        "words_only": "임베딩 모델을 불러오지 못해 단어로만 찾았습니다.",
        "provisional": "잠정: 2차 자료에 기댄 사례입니다.",
        "fields": "증상 원인 촉발 감지 조치 후속_조치 교훈 시간순 검사 수치 출처 비슷한_사례",
    },
}


def search(out: Console, answer: SearchAnswer) -> None:
    said = WORDS[answer.lang]
    if not answer.meaning:
        out.print(said["words_only"], style="yellow")
    _verdict(out, answer.verdict, answer.lang, answer.count)
    if answer.verdict is Verdict.none and not answer.left_out_by_filters:
        out.print(said["none"])
    for hit in answer.cases:
        _hit(out, hit, said["why"])
    if answer.left_out_by_filters:
        out.print(said["outside"].format(n=answer.left_out_by_filters))
    if answer.near_misses_cut:
        out.print(said["near"].format(n=answer.near_misses_cut), style="dim")
    if answer.suggested_filters:
        offered = "  ".join(f"--{f.filter.replace('_', '-')} {f.slug} ({f.cases})" for f in answer.suggested_filters)
        out.print(f"{said['narrow']}: {offered}", style="dim")
    for text in answer.did_you_mean:
        out.print(said["mean"].format(text=escape(text)))
    _next_checks(out, answer.next_checks, said["best"])
    _next(out, answer.next_cursor, said["next"])


def _verdict(out: Console, verdict: Verdict, lang: Lang, count: int) -> None:
    counted = WORDS[lang]["count"].format(n=count)
    out.print(f"{METERS[verdict]} [bold]{VERDICTS[lang][verdict]}[/] · {counted}")


def _hit(out: Console, hit: Hit, why: str) -> None:
    out.print(f"\n[bold]{hit.id}[/]  {hit.score:.2f}  {escape(hit.title)}")
    out.print(f"         {escape(hit.org_name)} · {hit.date or '–'} · {hit.domain}", style="dim")
    out.print(f"         {why}: " + escape("; ".join(reason.text for reason in hit.why)), style="dim")
    for check in hit.checks:
        out.print(f"         kb check --check {check.id}  ({check.status}, {check.link})", style="dim")


def _next_checks(out: Console, found: tuple[NextCheck, ...], said: str) -> None:
    for item in found:
        out.print(f"{said}: kb check --check {item.check}  {escape(item.title)} ({', '.join(item.separates)})")


def _next(out: Console, cursor: str | None, said: str) -> None:
    if cursor:
        out.print(said.format(cursor=cursor), style="dim", soft_wrap=True)


def listing(out: Console, answer: ListAnswer) -> None:
    said = WORDS[answer.lang]
    last = answer.first + len(answer.cases) - 1 if answer.cases else 0
    out.print(f"{answer.first}–{last} / {said['count'].format(n=answer.count)}")
    _cases(out, answer.cases)
    _next(out, answer.next_cursor, said["next"])


def _cases(out: Console, cases: tuple[CaseBrief, ...]) -> None:
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    for style in ("bold", "dim", "", ""):
        table.add_column(style=style, no_wrap=style != "", overflow="fold")
    for case in cases:
        table.add_row(case.id, case.date or "–", escape(case.org_name), escape(case.title))
    out.print(table)


def incident(out: Console, answer: IncidentAnswer) -> None:
    lang, story = answer.lang, answer.narrative
    names = [name.replace("_", " ") for name in WORDS[lang]["fields"].split()]
    out.print(f"[bold]{answer.id}[/] · {escape(answer.organisation.name)} · {answer.domain} · {answer.date or '–'}")
    out.print(f"[bold]{escape(answer.title)}[/]")
    if answer.review.status == "provisional":
        out.print(WORDS[lang]["provisional"], style="yellow")
    out.print(f"\n{escape(answer.summary)}\n")
    for kind in (Kind.symptoms, Kind.components, Kind.root_causes, Kind.factors):
        values = [f"{term.name} ({term.slug})" for term in answer.terms if term.kind == kind]
        out.print(f"  {kind}: {', '.join(values) or NOT_STATED[lang]}", style="dim")
    listed = {
        names[4]: answer.actions,
        names[5]: answer.follow_ups,
        names[7]: tuple(f"{entry.at or '·'}  {entry.text}" for entry in answer.timeline),
        names[8]: tuple(f"{c.id} ({c.status}, {c.link}): {c.how}" for c in answer.checks),
        names[9]: tuple(f"{c.value}: {c.text} [{c.source}, {c.where}; {c.basis}]" for c in answer.claims),
        names[10]: tuple(f"{s.id} {s.title} <{s.url}> ({s.publisher}, {s.read})" for s in answer.sources),
        names[11]: tuple(f"{s.id} {s.title} ({s.reason})" for s in answer.similar_cases),
    }
    told = {
        names[0]: story.symptom,
        names[1]: story.cause,
        names[2]: story.trigger,
        names[3]: story.detection,
    }
    for name, text in told.items():
        _part(out, name, (text,) if text else (), lang)
    for name, items in list(listed.items())[:2]:
        _part(out, name, items, lang)
    _part(out, names[6], (story.lessons,) if story.lessons else (), lang)
    for name, items in list(listed.items())[2:]:
        _part(out, name, items, lang)
    if answer.no_check:
        out.print(escape(answer.no_check))


def _part(out: Console, name: str, items: tuple[str, ...], lang: Lang) -> None:
    out.print(f"\n[bold]{name}[/]")
    if not items:
        out.print(NOT_STATED[lang], style="dim")
    for item in items:
        out.print(("- " if len(items) > 1 else "") + escape(item))


def topic(out: Console, answer: TopicAnswer) -> None:
    said = WORDS[answer.lang]
    out.print(f"[bold]{escape(answer.name)}[/] · {answer.kind}/{answer.slug} · {said['count'].format(n=answer.count)}")
    out.print(escape(answer.definition or NOT_STATED[answer.lang]))
    if answer.no_case:
        out.print(escape(answer.no_case))
    if answer.examples:
        for side in ("belongs", "does_not_belong"):
            _example(out, said[side], getattr(answer.examples, side))
    out.print(escape(", ".join(answer.aliases)), style="dim")
    _cases(out, answer.cases)
    for value in answer.related_terms[:20]:
        out.print(f"  {value.count:3d}  {value.kind}/{value.slug}  {escape(value.name)}", style="dim")
    for check in answer.checks:
        out.print(f"  kb check --check {check.id}  ({check.status})", style="dim")
    if answer.no_check:
        out.print(escape(answer.no_check))
    _next_checks(out, answer.next_checks, said["best"])
    _next(out, answer.next_cursor, said["next"])


def _example(out: Console, side: str, case: ExampleCase | None) -> None:
    if case is not None:
        instead = f" ({case.instead.slug})" if case.instead else ""
        out.print(f"  {side}: {case.id} {escape(case.why)}{instead}")


def vocabulary(out: Console, answer: VocabAnswer) -> None:
    if answer.verdict is not None:
        out.print(f"{METERS[answer.verdict]} [bold]{VERDICTS[answer.lang][answer.verdict]}[/]")
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    for wrapped in (False, False, True, True, False):
        table.add_column(overflow="fold", no_wrap=not wrapped)
    for match in answer.matches:
        similarity = f"{match.similarity:.2f}" if match.similarity is not None else ""
        why = "".join(f"\n[dim]{escape(reason.text)}[/]" for reason in match.why)
        name = escape(match.name_en) + why
        table.add_row(similarity, f"{match.kind}/{match.slug}", name, escape(match.name_ko), str(match.cases))
    out.print(table if answer.matches else WORDS[answer.lang]["none"])
    if answer.near_misses_cut:
        out.print(WORDS[answer.lang]["near"].format(n=answer.near_misses_cut), style="dim")
    for text in answer.did_you_mean:
        out.print(WORDS[answer.lang]["mean"].format(text=escape(text)))
    _next(out, answer.next_cursor, WORDS[answer.lang]["next"])


def evidence(out: Console, answer: EvidenceAnswer) -> None:
    said = WORDS[answer.lang]
    _verdict(out, answer.verdict, answer.lang, answer.count)
    for key in answer.keys:
        out.print(f"  {key.kind}:{key.value}  {', '.join(key.cases) or '–'}", style="" if key.cases else "dim")
    if not answer.cases:
        out.print(said["none"])
    for hit in answer.cases:
        _hit(out, hit, said["why"])


def checks(out: Console, found: Sequence[CheckBrief]) -> None:
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    for _ in range(6):
        table.add_column(overflow="fold")
    for check in found:
        cases = ", ".join(check.cases) or "–"
        table.add_row(check.id, check.kind, check.severity, check.status, escape(check.title), cases)
    out.print(table)


def checks_json(found: Sequence[CheckBrief]) -> None:
    """A list, as programs rely on."""
    rows = [check.model_dump(mode="json") for check in found]
    typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))


def check(out: Console, answer: CheckAnswer) -> None:
    out.print(f"[bold]{answer.id}[/] · {answer.kind} · {answer.severity} · {answer.status}")
    out.print(f"[bold]{escape(answer.title)}[/]\n{escape(answer.about)}")
    if answer.rule:
        out.print(f"\n{escape(answer.rule)}")
    for metric in answer.metrics:
        out.print(f"  {metric.name} ({metric.exporter})  {escape(metric.switch_on or '')}", style="dim")
    for knob in answer.knobs:
        out.print(f"  {knob.name} = {knob.default}: {escape(knob.reason)}", style="dim")
    for replay in answer.replays:
        passed = "✓" if replay.passes else "✗"
        out.print(f"  {passed} {replay.name} · {replay.must} · {replay.origin} · {replay.case or ''}")
