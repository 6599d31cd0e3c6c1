"""list_checks and get_check: what could catch a case, and how far that is proven."""

from kb import links
from kb.answers import (
    CheckAnswer,
    CheckBrief,
    CheckListAnswer,
    KnobAnswer,
    MetricAnswer,
    ReferenceAnswer,
    ReplayAnswer,
)
from kb.checks.card import CheckCard
from kb.errors import NotFound, UnknownValue
from kb.library import briefs, cases, cursors, replays
from kb.library.cursors import Cursor
from kb.library.store import Store, StoredCheck
from kb.library.telling import Teller
from kb.model import Kind, Lang
from kb.nearest import nearest
from kb.questions import GetCheck, ListChecks


def list_checks(store: Store, question: ListChecks, data_version: str) -> CheckListAnswer:
    checks = _wanted_of(store, question)
    about = {name: getattr(question, name) for name in ("kind", "status", "case", "component")}
    mark = cursors.fingerprint("checks", about)
    cursor = cursors.read(question.cursor, mark)
    start = sum(1 for check in checks if cursor is not None and check.card.id <= cursor.key)
    page = checks[start : start + question.limit]
    more = start + question.limit < len(checks)
    return CheckListAnswer(
        count=len(checks),
        checks=tuple(briefs.check_brief(check, question.lang) for check in page),
        next_cursor=cursors.write(Cursor(page[-1].card.id), mark) if page and more else None,
        data_version=data_version,
    )


def every_check(store: Store, question: ListChecks, _data_version: str) -> tuple[CheckBrief, ...]:
    """All that the filters leave, without pages."""
    return tuple(briefs.check_brief(check, question.lang) for check in _wanted_of(store, question))


def _wanted_of(store: Store, question: ListChecks) -> list[StoredCheck]:
    if question.case is not None and question.case not in store.cases:
        said = cases.absent(store, question.case)
        raise UnknownValue(said.what, field="case", nearest=said.nearest, next_step=said.next_step)
    return [
        check
        for check in store.checks.values()
        if question.kind in (None, check.card.kind)
        and question.status in (None, check.status)
        and (question.case is None or question.case in check.cases)
        and (question.component is None or _covers(store, check, question.component))
    ]


def _covers(store: Store, check: StoredCheck, component: str) -> bool:
    """It names the component itself, or catches a case that carries it."""
    slug = store.vocabulary.require(Kind.components, component, field="component").slug
    carried = store.by_term.get((Kind.components, slug), frozenset())
    return slug in check.card.catches or bool(carried & set(check.cases))


def get_check(store: Store, question: GetCheck, data_version: str) -> CheckAnswer:
    check = _wanted(store, question.id)
    card, teller = check.card, Teller(question.lang)
    kinds = [(store.vocabulary.kind_of(slug), slug) for slug in card.catches]
    return CheckAnswer(
        id=card.id,
        title=teller.say(card.title, "title"),
        about=teller.say(card.about, "about"),
        kind=card.kind,
        severity=card.severity,
        status=check.status,
        catches=card.catches,
        terms=tuple(briefs.term_ref(store, kind, slug, question.lang) for kind, slug in kinds if kind),
        cases=check.cases,
        titles={i: store.cases[i].incident.title.say(question.lang)[0] for i in check.cases if i in store.cases},
        metrics=_metrics(card, teller),
        objects=card.needs.objects,
        logs=card.needs.logs,
        rule=check.expr,
        hold=card.rule.hold if card.rule else None,
        knobs=_knobs(card, teller),
        false_positives=teller.each(card.false_positives, "false_positives"),
        next_step=card.next_step,
        next_step_detail=teller.maybe(card.next_step_detail, "next_step_detail"),
        references=tuple(ReferenceAnswer(title=ref.title, url=ref.url) for ref in card.references),
        replays=tuple(replays.replay(check, replay, question.lang) for replay in check.replays),
        page=links.check(question.lang, card.id),
        lang=question.lang,
        lang_fallback=teller.fallback,
        data_version=data_version,
    )


def one_replay(store: Store, check_id: str, name: str, lang: Lang) -> ReplayAnswer:
    """Raises NotFound: no such check, or it has no such replay."""
    check = _wanted(store, check_id)
    for stored in check.replays:
        if stored.name == name:
            return replays.replay(check, stored, lang)
    names = [stored.name for stored in check.replays]
    raise NotFound(f"`{check_id}` has no replay `{name}`.", field="name", allowed=names, nearest=nearest(name, names))


def _wanted(store: Store, check_id: str) -> StoredCheck:
    check = store.checks.get(check_id)
    if check is None:
        raise NotFound(
            f"There is no check `{check_id}`.",
            field="id",
            nearest=nearest(check_id, store.checks, floor=0.3),
            next_step="list_checks lists them.",
        )
    return check


def _metrics(card: CheckCard, teller: Teller) -> tuple[MetricAnswer, ...]:
    return tuple(
        MetricAnswer(
            name=metric.name,
            also=metric.also,
            exporter=metric.exporter,
            default_on=metric.default_on,
            switch_on=teller.maybe(metric.switch_on, f"metrics.{metric.name}"),
        )
        for metric in card.needs.metrics
    )


def _knobs(card: CheckCard, teller: Teller) -> tuple[KnobAnswer, ...]:
    return tuple(
        KnobAnswer(
            name=knob.name,
            default=knob.default,
            reason=teller.say(knob.reason, f"knobs.{knob.name}"),
            source=knob.source,
        )
        for knob in card.knobs
    )
