"""The short Markdown beside each structured answer: what a model needs to go on, quoted text as quotation."""

from collections.abc import Iterable

from kb.answers import (
    AnswerModel,
    CaseBrief,
    CheckAnswer,
    CheckBrief,
    CheckListAnswer,
    EvidenceAnswer,
    IncidentAnswer,
    ListAnswer,
    NextCheck,
    SearchAnswer,
    TopicAnswer,
    Verdict,
    VocabAnswer,
)
from kb.answers.lists import Hit
from kb.links import absolute

#: Causes that the line about a next check names.
MAX_SEPARATED = 5
VERDICTS = {
    Verdict.strong: "strong: the first cases resemble it closely",
    Verdict.weak: "weak: some likeness, judge by the reasons",
    Verdict.none: "none: the library holds nothing like it",
}


def tell(answer: AnswerModel, base_url: str, left_out: int = 0) -> str:
    """Markdown for any answer that a tool gives; left_out: rows that the budget has no room for."""
    lines = list(_lines(answer, base_url))
    if left_out and isinstance(answer, CheckAnswer):
        lines.append(f"Left out to keep within the budget: {left_out} replays; check://{answer.id} holds them all.")
    elif left_out:
        rest = "the cursor goes on with them" if getattr(answer, "next_cursor", None) else "ask for less at once"
        lines.append(f"Left out to keep within the budget: {left_out} of the rows asked for; {rest}.")
    return "\n".join(lines)


def _lines(answer: AnswerModel, base_url: str) -> Iterable[str]:
    found: Iterable[str] = ()
    match answer:
        case SearchAnswer():
            found = _search(answer)
        case IncidentAnswer():
            found = _incident(answer, base_url)
        case ListAnswer():
            found = _list(answer)
        case TopicAnswer():
            found = _topic(answer, base_url)
        case VocabAnswer():
            found = _vocab(answer)
        case CheckListAnswer():
            found = _checks(answer)
        case CheckAnswer():
            found = _check(answer, base_url)
        case EvidenceAnswer():
            found = _evidence(answer)
    return found


def _search(answer: SearchAnswer) -> Iterable[str]:
    outside = answer.left_out_by_filters
    if outside and not answer.cases:
        yield f"Verdict none within these filters. Cases that fit the sentence but are left out by them: {outside}."
        yield "Before saying that nothing is known, ask again with fewer filters."
        return
    yield f"Verdict {VERDICTS[answer.verdict]}. {answer.count} cases; {answer.near_misses_cut} near misses."
    if outside:
        yield f"Cases that fit the sentence but are left out by the filters: {outside}."
    if not answer.cases:
        yield "Say so to the user. To look once more: other words for what is seen, or fewer filters."
    yield from (_hit(hit) for hit in answer.cases)
    if answer.suggested_filters:
        found = ", ".join(f"{item.filter}={item.slug} ({item.cases})" for item in answer.suggested_filters)
        yield f"Filters found in the words: {found}"
    if answer.did_you_mean:
        yield f"Did you mean: {', '.join(answer.did_you_mean)}"
    yield from map(_next_check, answer.next_checks)
    yield from _more(answer.next_cursor)


def _list(answer: ListAnswer) -> Iterable[str]:
    last = answer.first + len(answer.cases) - 1
    shown = f", {answer.first}–{last} here" if answer.cases else ""
    undated = f"; {answer.undated_excluded} undated left out" if answer.undated_excluded else ""
    yield f"{answer.count} cases{shown}{undated}."
    if not answer.count:
        yield "These values and dates never occur together: leave out one of them, or use search_incidents."
    yield from (_brief(case) for case in answer.cases)
    yield from _more(answer.next_cursor)


def _topic(answer: TopicAnswer, base_url: str) -> Iterable[str]:
    yield f"# {answer.name} ({answer.kind}/{answer.slug})"
    yield answer.definition or ""
    if answer.no_case:
        yield f"No case carries it: {answer.no_case}"
    if answer.examples:
        for side, case in (("Belongs", answer.examples.belongs), ("Does not", answer.examples.does_not_belong)):
            if case:
                instead = f" (instead: {case.instead.slug})" if case.instead else ""
                yield f"{side}: {case.id} {case.title}: {case.why}{instead}"
    if answer.verdict is not None:
        yield f"Verdict {VERDICTS[answer.verdict]}; {answer.near_misses_cut} near misses cut."
    yield f"{answer.count} cases. {absolute(base_url, answer.page)}"
    yield from (_brief(case) for case in answer.cases)
    if answer.related_terms:
        top = ", ".join(f"{item.slug} ({item.count})" for item in answer.related_terms[:10])
        yield f"Occurs with: {top}"
    yield from (_check_line(check) for check in answer.checks)
    if answer.no_check:
        yield f"No check is made for it: {answer.no_check}"
    yield from map(_next_check, answer.next_checks)
    yield from _more(answer.next_cursor)


def _vocab(answer: VocabAnswer) -> Iterable[str]:
    verdict = f"Verdict {answer.verdict}. " if answer.verdict else ""
    yield f"{verdict}{answer.count} values."
    if not answer.matches:
        yield "No value fits: use search_incidents with the words themselves and no filter."
    for item in answer.matches:
        near = f", {item.similarity:.2f}" if item.similarity is not None else ""
        why = f" Why: {'; '.join(reason.text for reason in item.why)}." if item.why else ""
        yield f"- {item.kind}/{item.slug}: {item.name_en} / {item.name_ko} ({item.cases} cases{near}).{why}"
    if answer.did_you_mean:
        yield f"Did you mean: {', '.join(answer.did_you_mean)}"
    yield from _more(answer.next_cursor)


def _checks(answer: CheckListAnswer) -> Iterable[str]:
    yield f"{answer.count} checks."
    if not answer.checks:
        yield "No check fits all filters: leave out one of them."
    yield from (_check_line(check) for check in answer.checks)
    yield from _more(answer.next_cursor)


def _check(answer: CheckAnswer, base_url: str) -> Iterable[str]:
    yield f"# {answer.title} ({answer.id})"
    yield f"{answer.kind}, {answer.severity}, {answer.status}. {absolute(base_url, answer.page)}"
    yield answer.about
    if answer.rule:
        yield f"```promql\n{answer.rule.strip()}\n```"
    needs = (*(metric.name for metric in answer.metrics), *answer.objects, *answer.logs)
    yield f"Needs: {', '.join(needs)}"
    yield from (f"- {knob.name} = {knob.default}: {knob.reason}" for knob in answer.knobs)
    yield from (f"- False positive: {text}" for text in answer.false_positives)
    for replay in answer.replays:
        state = "passes" if replay.passes else "does not pass"
        case = f", {replay.case}" if replay.case else ""
        yield f"- Replay {replay.name}: must be {replay.must}, {state}{case}"
    yield f"Next step: {answer.next_step}. {answer.next_step_detail or ''}".rstrip()
    yield f"Run it: kb check --check {answer.id}"


def _evidence(answer: EvidenceAnswer) -> Iterable[str]:
    read = f"{answer.characters_used} of {answer.characters_given} characters read"
    yield f"Verdict {VERDICTS[answer.verdict]}. {read}."
    yield from (f"- Key {key.kind}:{key.value} in {len(key.cases)} cases" for key in answer.keys)
    yield f"{answer.count} cases."
    if not answer.cases:
        yield "No case shares a key: use search_incidents with what is seen, in words."
    yield from (_hit(hit) for hit in answer.cases)
    yield from (_check_line(check) for check in answer.checks)


def _incident(answer: IncidentAnswer, base_url: str) -> Iterable[str]:
    yield f"# {answer.id}: {answer.title}"
    yield f"{answer.organisation.name}, {answer.date or 'undated'}, {answer.domain}, {answer.review.status}."
    yield absolute(base_url, answer.page)
    yield answer.summary
    parts = {
        "Symptom": answer.narrative.symptom,
        "Cause": answer.narrative.cause,
        "Trigger": answer.narrative.trigger,
        "Detection": answer.narrative.detection,
        "Lessons": answer.narrative.lessons,
    }
    yield from (f"## {name}\n{_quote(text)}" for name, text in parts.items() if text)
    if answer.actions:
        yield "## Actions"
        yield from (f"> - {text}" for text in answer.actions)
    yield from (f"- Check {link.id} ({link.status}, link {link.link}): {link.how}" for link in answer.checks)
    if answer.no_check:
        yield f"No check: {answer.no_check}"
    yield from (f"- Similar: {case.id} {case.title} ({case.reason})" for case in answer.similar_cases)
    yield from (f"- Source {source.id}: {source.title}, {source.publisher}, {source.url}" for source in answer.sources)
    if answer.cut:
        yield f"Left out to keep within the budget or the sections: {', '.join(answer.cut)}"


def _hit(hit: Hit) -> str:
    why = "; ".join(item.text for item in hit.why)
    checks = f" · checks: {', '.join(check.id for check in hit.checks)}" if hit.checks else ""
    return f"{_brief(hit)} · {hit.score:.2f}: {why}{checks}"


def _brief(case: CaseBrief) -> str:
    causes = ", ".join(case.root_causes)
    return f"- {case.id} {case.title} ({case.org_name}, {case.date or 'undated'}; {causes})"


def _next_check(item: NextCheck) -> str:
    more = len(item.separates) - MAX_SEPARATED
    rest = f" and {more} more" if more > 0 else ""
    return f"Next check: {item.check} separates {', '.join(item.separates[:MAX_SEPARATED])}{rest}"


def _check_line(check: CheckBrief) -> str:
    cases = f" · catches {', '.join(check.cases)}" if check.cases else ""
    return f"- Check {check.id}: {check.title} ({check.kind}, {check.severity}, {check.status}){cases}"


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def _more(cursor: str | None) -> Iterable[str]:
    if cursor:
        yield f"More: cursor={cursor}"
