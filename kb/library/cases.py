"""get_incident: the whole case in one language, within the size asked for."""

from kb import links
from kb.answers import (
    ClaimAnswer,
    DatedAnswer,
    DatesAnswer,
    DurationAnswer,
    ImpactAnswer,
    IncidentAnswer,
    NarrativeAnswer,
    OrgAnswer,
    RelationAnswer,
    ReviewAnswer,
    SimilarCase,
    SourceAnswer,
    TermRef,
    TimelineAnswer,
)
from kb.errors import NotFound, UnknownValue
from kb.library import briefs, trimming
from kb.library.sharing import DIAGNOSIS, values_of
from kb.library.store import Store
from kb.library.telling import Teller
from kb.model import Dated, Duration, Incident, Kind, Lang, RelationKind, ReviewStatus
from kb.nearest import nearest
from kb.questions import GetIncident
from kb.vocabulary import Org, Term

SIMILAR = 5
#: Similar cases are shown from this score on; below it, being alike is chance.
SIMILAR_FLOOR = 0.35


def get_incident(store: Store, question: GetIncident, data_version: str) -> IncidentAnswer:
    if question.id not in store.cases:
        raise absent(store, question.id)
    answer = _whole(store, question.id, question.lang, data_version)
    return trimming.trim(answer, question.sections, question.budget)


def absent(store: Store, case_id: str) -> NotFound:
    """What is said of a case that is not served."""
    held = store.unserved.get(case_id)
    if held is None:
        near = nearest(case_id, store.cases)
        return NotFound(
            f"There is no case {case_id}.",
            field="id",
            nearest=near,
            next_step="search_incidents finds cases by what is seen.",
        )
    status = held.review.status
    instead = [r.id for r in held.relations if r.kind is RelationKind.superseded_by]
    why = f" {held.review.note.en}" if held.review.note else ""
    if status in (ReviewStatus.withdrawn, ReviewStatus.superseded):
        use = f" Use {', '.join(instead)}." if instead else ""
        return NotFound(f"Case {case_id} is {status}.{why}{use}", field="id", nearest=instead)
    return NotFound(f"Case {case_id} is a draft and is not served yet.", field="id", next_step="Come back later.")


def _whole(store: Store, case_id: str, lang: Lang, data_version: str) -> IncidentAnswer:
    case, teller = store.cases[case_id].incident, Teller(lang)
    parts = _facts(store, case, teller) | _story(case, teller) | _proof(store, case, teller)
    return IncidentAnswer.model_validate(
        parts
        | {
            "checks": briefs.check_links(store, case_id, lang),
            "similar_cases": similar_cases(store, case, lang),
            "related_terms": related_terms(store, case, lang),
            "page": links.incident(lang, case_id),
            "lang": lang,
            "lang_fallback": teller.fallback,
            "cut": (),
            "data_version": data_version,
        }
    )


def _facts(store: Store, case: Incident, teller: Teller) -> dict[str, object]:
    """Who, when, how grave, and how it is classified."""
    at, precision, basis = case.date
    dates, impact = case.dates, case.impact
    return {
        "id": case.id,
        "slug": case.slug,
        "domain": case.domain,
        "org": case.org,
        "organisation": organisation(store, case.org, teller.lang),
        "title": teller.say(case.title, "title"),
        "summary": teller.say(case.summary, "summary"),
        "date": at,
        "date_precision": precision,
        "date_basis": basis,
        "dates": DatesAnswer(
            occurred=_dated(dates.occurred), ended=_dated(dates.ended), published=_dated(dates.published)
        ),
        "severity": teller.maybe(case.severity, "severity"),
        "impact": ImpactAnswer(
            scope=teller.maybe(impact.scope, "impact.scope"),
            users=teller.maybe(impact.users, "impact.users"),
            regions=teller.maybe(impact.regions, "impact.regions"),
        ),
        "time_to_detect": _duration(case.time_to_detect),
        "time_to_recover": _duration(case.time_to_recover),
        "symptoms": case.symptoms,
        "components": case.components,
        "root_causes": case.root_causes,
        "factors": case.factors,
        "terms": tuple(briefs.term_ref(store, k, slug, teller.lang) for k in DIAGNOSIS for slug in case.terms(k)),
    }


def _story(case: Incident, teller: Teller) -> dict[str, object]:
    """What happened, in order, and what was done about it."""
    story = case.narrative
    return {
        "narrative": NarrativeAnswer(
            symptom=teller.say(story.symptom, "narrative.symptom"),
            cause=teller.maybe(story.cause, "narrative.cause"),
            trigger=teller.maybe(story.trigger, "narrative.trigger"),
            detection=teller.maybe(story.detection, "narrative.detection"),
            lessons=teller.maybe(story.lessons, "narrative.lessons"),
        ),
        "timeline": tuple(
            TimelineAnswer(at=entry.at, text=teller.say(entry.text, f"timeline[{i}]"))
            for i, entry in enumerate(case.timeline)
        ),
        "actions": teller.each(case.actions, "actions"),
        "follow_ups": teller.each(case.follow_ups, "follow_ups"),
        "phrases": case.phrases.ko if teller.lang is Lang.ko and case.phrases.ko else case.phrases.en,
        "evidence": case.evidence,
    }


def _proof(store: Store, case: Incident, teller: Teller) -> dict[str, object]:
    """What the case rests on."""
    review = case.review
    return {
        "sources": tuple(SourceAnswer.model_validate(source.model_dump()) for source in case.sources),
        "claims": tuple(
            ClaimAnswer.model_validate(claim.model_dump() | {"text": teller.say(claim.text, f"claims.{claim.id}")})
            for claim in case.claims
        ),
        "no_check": teller.maybe(case.no_check, "no_check"),
        "relations": tuple(_relation(store, r.kind, r.id, teller.lang) for r in case.relations),
        "review": ReviewAnswer(status=review.status, on=review.on, note=teller.maybe(review.note, "review.note")),
    }


def organisation(store: Store, slug: str, lang: Lang) -> OrgAnswer:
    org = store.vocabulary.get(Kind.orgs, slug)
    if not isinstance(org, Org):
        raise UnknownValue(f"`{slug}` is not one of the orgs.", field="org")
    return OrgAnswer(
        slug=org.slug,
        name=org.name.say(lang)[0],
        definition=org.definition.say(lang)[0] if org.definition else None,
        home=org.home,
        country=org.country,
        page=links.topic(lang, Kind.orgs, org.slug),
    )


def _dated(dated: Dated | None) -> DatedAnswer | None:
    return DatedAnswer(at=dated.at, precision=dated.precision) if dated else None


def _duration(duration: Duration | None) -> DurationAnswer | None:
    return DurationAnswer.model_validate(duration.model_dump()) if duration else None


def _relation(store: Store, kind: RelationKind, case_id: str, lang: Lang) -> RelationAnswer:
    other = store.cases.get(case_id)
    return RelationAnswer(
        kind=kind,
        id=case_id,
        title=other.incident.title.say(lang)[0] if other else None,
        page=links.incident(lang, case_id) if other else None,
    )


def similar_cases(store: Store, case: Incident, lang: Lang) -> tuple[SimilarCase, ...]:
    """Alike in diagnosis and in telling: half shared values (the main ones count double), half cosine."""
    cosine = store.case_vectors.similar(case.id)
    mine, scored = values_of(case), []
    # Only cases that share a value can be shown.
    for number, alike in store.counts.sharing.alike(mine).items():
        other_id = store.ids[number]
        near = max(0.0, cosine.get(other_id, 0.0))
        score = 0.5 * alike + 0.5 * near if cosine else alike
        if score >= SIMILAR_FLOOR and other_id != case.id:
            scored.append((round(score, 2), other_id))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return tuple(_similar(store, other_id, score, list(mine), lang) for score, other_id in scored[:SIMILAR])


def _similar(store: Store, other_id: str, score: float, mine: list[tuple[Kind, str]], lang: Lang) -> SimilarCase:
    other = store.cases[other_id].incident
    shared = [(kind, slug) for kind, slug in mine if slug in other.terms(kind)]
    names = [store.vocabulary.name(kind, slug, lang) for kind, slug in shared[:3]]
    joined = ", ".join(names)
    return SimilarCase(
        id=other_id,
        title=other.title.say(lang)[0],
        org_name=store.vocabulary.name(Kind.orgs, other.org, lang),
        score=score,
        reason=f"같은 값: {joined}" if lang is Lang.ko else f"shares {joined}",
        page=links.incident(lang, other_id),
    )


def related_terms(store: Store, case: Incident, lang: Lang) -> tuple[TermRef, ...]:
    """Broader and narrower values, then those most often met beside the main ones, that the case lacks."""
    carried = [(kind, slug) for kind in DIAGNOSIS for slug in case.terms(kind)]
    found: dict[tuple[Kind, str], None] = {}
    for kind, slug in carried:
        value = store.vocabulary.get(kind, slug)
        if isinstance(value, Term):
            found |= dict.fromkeys((kind, other) for other in (*value.broader, *store.vocabulary.narrower(kind, slug)))
    carriers = store.by_term.get((Kind.root_causes, case.root_causes[0]), ())
    beside = store.counts.met([store.number[i] for i in carriers], DIAGNOSIS)
    ranked = sorted((key for key, n in beside.items() if n >= 2), key=lambda key: (-beside[key], key))
    found |= dict.fromkeys(ranked)
    return tuple(briefs.term_ref(store, kind, slug, lang) for kind, slug in found if (kind, slug) not in carried)[:8]
