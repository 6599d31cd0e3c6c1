"""A check and a vocabulary value as Markdown, as a case is: for a ticket, a chat or an agent."""

from collections.abc import Callable, Iterable, Sequence

from kb.answers import CaseBrief, CheckAnswer, CheckBrief, ReplayAnswer, TermRef, TopicAnswer
from kb.checks.card import Answer
from kb.links import absolute
from kb.web import dates
from kb.web.words import Words

Say = Callable[..., str]
MUSTS = {Answer.found: "fires", Answer.clear: "quiet", Answer.unknown: "blind", Answer.not_applicable: "not_applicable"}


def check_markdown(check: CheckAnswer, url: str) -> str:
    """The whole check. `url` is the page for people."""
    t = Words(check.lang).plain
    state = f"{check.kind} · {t(f'severity_{check.severity}')} · {t(f'status_{check.status}')} · <{url}>"
    needs = [*(f"`{metric.name}` ({metric.exporter})" for metric in check.metrics)]
    needs += [f"`{name}`" for name in (*check.objects, *check.logs)]
    rule = ["```promql", check.rule.strip(), "```"] if check.rule else [t("rule_function")]
    knobs = [f"`{knob.name}` = {knob.default}: {_line(knob.reason)} ({knob.source})" for knob in check.knobs]
    step = f"`{check.next_step}` {_line(check.next_step_detail or '')}".rstrip()
    lines = [f"# {check.id}: {_line(check.title)}", "", state, "", check.about.strip(), ""]
    lines += _section(t("catches"), _terms(check.terms), t)
    lines += _section(t("needs"), needs, t)
    hold = [t("hold", time=dates.elapsed(check.hold, check.lang)), ""] if check.hold else []
    lines += [f"## {t('rule')}", "", *rule, "", *hold]
    lines += _section(t("knobs"), knobs, t)
    lines += _section(t("proofs"), [_replay(replay, t) for replay in check.replays], t)
    lines += [f"## {t('next')}", "", step, ""]
    lines += _section(t("false_positives"), map(_line, check.false_positives), t)
    lines += _section(t("cases"), [f"{i}: {_line(check.titles.get(i, i))}" for i in check.cases], t)
    lines += _section(t("references"), [f"[{_line(each.title)}]({each.url})" for each in check.references], t)
    return "\n".join([*lines, t("data_version", version=check.data_version)]) + "\n"


def topic_markdown(topic: TopicAnswer, cases: Sequence[CaseBrief], url: str, base_url: str) -> str:
    """The value, what goes with it, and all of its cases. `url` is the page for people."""
    t = Words(topic.lang).plain
    names = f"{topic.kind}/{topic.slug} · {topic.name_en} · {topic.name_ko} · <{url}>"
    lines = [f"# {_line(topic.name)}", "", names, "", topic.definition or f"– {t('not_stated')}", ""]
    lines += [f"- {t('no_case')}: {_line(topic.no_case)}", ""] if topic.no_case else []
    lines += _examples(topic, base_url, t)
    lines += [f"- {t('aliases')}: {', '.join(topic.aliases)}", ""] if topic.aliases else []
    for key, refs in (("broader", topic.broader), ("narrower", topic.narrower)):
        lines += [f"- {t(key)}: {', '.join(_terms(refs))}", ""] if refs else []
    checks = [_check(check, base_url) for check in topic.checks]
    lines += [f"## {t('caught_by')}", "", *(_bullets(checks) or [t("no_checks")]), ""]
    lines += [f"{t('value_no_check')} {_line(topic.no_check)}", ""] if topic.no_check else []
    related = [f"{_line(value.name)} (`{value.kind}/{value.slug}`): {value.count}" for value in topic.related_terms]
    lines += _section(t("goes_with"), related, t)
    told = [f"[{case.id}: {_line(case.title)}]({absolute(base_url, case.page)}), {case.org_name}" for case in cases]
    lines += [f"## {t('n_cases', n=len(cases))}", "", *_bullets(told), ""]
    return "\n".join([*lines, t("data_version", version=topic.data_version)]) + "\n"


def _examples(topic: TopicAnswer, base_url: str, t: Say) -> list[str]:
    """The two cases at the edge of the value, each with why it falls to its side."""
    lines: list[str] = []
    if topic.examples is None:
        return lines
    for side, case in (("belongs", topic.examples.belongs), ("does_not_belong", topic.examples.does_not_belong)):
        if case is not None:
            told = f"[{case.id}: {_line(case.title)}]({absolute(base_url, case.page)}). {_line(case.why)}"
            instead = f" → {_line(case.instead.name)} (`{case.instead.slug}`)" if case.instead else ""
            lines += [f"- {t(side)}: {told}{instead}", ""]
    return lines


def _section(heading: str, items: Iterable[str], t: Say) -> list[str]:
    return [f"## {heading}", "", *(_bullets(items) or [f"– {t('not_stated')}"]), ""]


def _replay(replay: ReplayAnswer, t: Say) -> str:
    """What must come of it, and whether it does."""
    came = t("not_run") if replay.answer is None else t(MUSTS[replay.answer])
    wrong = "" if replay.passes or replay.answer is None else f" ({t('fails')})"
    case = f"{replay.case}, " if replay.case else ""
    return f"`{replay.name}` ({case}{t(replay.origin)}): {t('must')} {t(MUSTS[replay.must])}; {came}{wrong}"


def _check(check: CheckBrief, base_url: str) -> str:
    return f"[`{check.id}`]({absolute(base_url, check.page)}): {_line(check.title)}"


def _terms(refs: Iterable[TermRef]) -> list[str]:
    return [f"{_line(ref.name)} (`{ref.slug}`)" for ref in refs]


def _bullets(items: Iterable[str]) -> list[str]:
    return [f"- {item}" for item in items]


def _line(text: str) -> str:
    return " ".join(text.split())
