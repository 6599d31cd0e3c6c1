"""Cases and checks as they stand in lists."""

from kb import links
from kb.answers import CaseBrief, CaseDetails, CheckBrief, CheckLink, TermRef
from kb.library.store import CheckOfCase, Store, StoredCheck
from kb.library.telling import Teller
from kb.model import Incident, Kind, Lang
from kb.questions import Detail
from kb.vocabulary import Term


def brief_fields(store: Store, incident: Incident, lang: Lang, detail: Detail) -> dict[str, object]:
    """The fields of `CaseBrief`, for it and for the models that extend it."""
    at, precision, basis = incident.date
    return {
        "id": incident.id,
        "slug": incident.slug,
        "title": incident.title.say(lang)[0],
        "org": incident.org,
        "org_name": store.vocabulary.name(Kind.orgs, incident.org, lang),
        "date": at,
        "date_precision": precision,
        "date_basis": basis,
        "domain": incident.domain,
        "symptoms": incident.symptoms,
        "components": incident.components,
        "root_causes": incident.root_causes,
        "factors": incident.factors,
        "status": incident.review.status,
        "page": links.incident(lang, incident.id),
        "details": details(incident, lang) if detail is Detail.full else None,
    }


def brief(store: Store, case_id: str, lang: Lang, detail: Detail = Detail.concise) -> CaseBrief:
    """The same object whenever it is asked for, so that what a face makes of it can be kept with it."""
    known = store.briefs.get((case_id, lang, detail))
    if known is None:
        known = CaseBrief.model_validate(brief_fields(store, store.cases[case_id].incident, lang, detail))
        known = store.briefs.setdefault((case_id, lang, detail), known)
    return known


def details(incident: Incident, lang: Lang) -> CaseDetails:
    teller, story = Teller(lang), incident.narrative
    return CaseDetails(
        symptom=teller.say(story.symptom, "narrative.symptom"),
        cause=teller.maybe(story.cause, "narrative.cause"),
        detection=teller.maybe(story.detection, "narrative.detection"),
        actions=teller.each(incident.actions, "actions"),
        follow_ups=teller.each(incident.follow_ups, "follow_ups"),
        lessons=teller.maybe(story.lessons, "narrative.lessons"),
        lang_fallback=teller.fallback,
    )


def check_link(link: CheckOfCase, lang: Lang) -> CheckLink:
    card, state = link.check.card, link.replay.link
    assert state is not None
    return CheckLink(
        id=card.id,
        title=card.title.say(lang)[0],
        kind=card.kind,
        severity=card.severity,
        status=link.check.status,
        link=state,
        how=link.how.say(lang)[0],
        replay=link.replay.name,
        page=links.check(lang, card.id),
    )


def check_links(store: Store, case_id: str, lang: Lang) -> tuple[CheckLink, ...]:
    return tuple(check_link(link, lang) for link in store.checks_of_case.get(case_id, ()))


def check_brief(check: StoredCheck, lang: Lang) -> CheckBrief:
    known = check.briefs.get(lang)
    if known is None:
        known = check.briefs[lang] = _check_brief(check, lang)
    return known


def _check_brief(check: StoredCheck, lang: Lang) -> CheckBrief:
    card = check.card
    return CheckBrief(
        id=card.id,
        title=card.title.say(lang)[0],
        kind=card.kind,
        severity=card.severity,
        status=check.status,
        catches=card.catches,
        cases=check.cases,
        page=links.check(lang, card.id),
    )


def term_ref(store: Store, kind: Kind, slug: str, lang: Lang) -> TermRef:
    return TermRef(
        kind=kind, slug=slug, name=store.vocabulary.name(kind, slug, lang), page=links.topic(lang, kind, slug)
    )


def no_check(store: Store, kind: Kind, slug: str, lang: Lang) -> str | None:
    """Why no proven check is made for a value, where the vocabulary says it."""
    value = store.vocabulary.get(kind, slug)
    said = value.no_check if isinstance(value, Term) else None
    return said.say(lang)[0] if said else None
