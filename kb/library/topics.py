"""get_topic: one vocabulary value or organisation with everything that hangs on it."""

from collections import defaultdict

from kb import links
from kb.answers import CheckBrief, ExampleCase, ExamplesAnswer, RelatedValue, TopicAnswer
from kb.library import briefs, cursors, selection
from kb.library.lists import position
from kb.library.next_check import next_checks
from kb.library.ranking import Ranking, rank
from kb.library.sharing import DIAGNOSIS
from kb.library.store import Store
from kb.library.telling import Teller, aliases
from kb.model import Kind, Lang
from kb.questions import GetTopic, Sort
from kb.vocabulary import Belonging, NearMiss, Org, Term, Value

RELATED = 12


def get_topic(store: Store, question: GetTopic, data_version: str) -> TopicAnswer:
    kind, lang, teller = question.kind, question.lang, Teller(question.lang)
    value = store.vocabulary.require(kind, question.slug, field="slug")
    version = data_version if question.symptoms else ""
    mark = cursors.fingerprint("topic", {"kind": kind, "slug": value.slug, "symptoms": question.symptoms})
    cursor = cursors.read(question.cursor, mark, version)
    ranking, ranked, start = _cases_of(store, question, value.slug, cursor)
    page = ranked[start : start + question.limit]
    more = bool(page) and start + question.limit < len(ranked)
    return TopicAnswer.model_validate(
        _said(store, kind, value, teller)
        | {
            "symptoms": question.symptoms,
            "verdict": ranking.verdict if ranking else None,
            "count": len(ranked),
            "cases": tuple(briefs.brief(store, i, lang) for i in page),
            "near_misses_cut": ranking.near_misses if ranking else 0,
            "next_cursor": cursors.write(cursors.Cursor(page[-1]), mark, version) if more else None,
            "related_terms": _related(store, kind, value.slug, ranked, lang),
            "checks": _checks(store, value.slug, ranked, lang),
            "no_check": briefs.no_check(store, kind, value.slug, lang),
            "next_checks": next_checks(store, _weights(ranking, ranked), lang),
            "page": links.topic(lang, kind, value.slug),
            "lang": lang,
            "lang_fallback": teller.fallback,
            "data_version": data_version,
        }
    )


def _cases_of(
    store: Store, question: GetTopic, slug: str, cursor: cursors.Cursor | None
) -> tuple[Ranking | None, list[str], int]:
    """The cases of a value in order, how a sentence ranked them, and where the page begins."""
    ids = store.by_term.get((question.kind, slug), frozenset())
    if not question.symptoms:
        ranked = selection.ordered(store, ids, Sort.newest)
        return None, ranked, position(store, ranked, cursor, Sort.newest, question.limit)
    ranking = rank(store, question.symptoms, ids)
    ranked = [match.id for match in ranking.shown]
    return ranking, ranked, ranked.index(cursor.key) + 1 if cursor and cursor.key in ranked else 0


def _checks(store: Store, slug: str, ids: list[str], lang: Lang) -> tuple[CheckBrief, ...]:
    """Those that are made for the value, or that find one of these cases."""
    here = set(ids)
    found = (check for check in store.checks.values() if slug in check.card.catches or not here.isdisjoint(check.cases))
    return tuple(briefs.check_brief(check, lang) for check in found)


def _weights(ranking: Ranking | None, ids: list[str]) -> dict[str, float]:
    """How much each case counts: by its score where a sentence was asked, else all alike."""
    return {match.id: match.score for match in ranking.shown} if ranking else dict.fromkeys(ids, 1.0)


def _said(store: Store, kind: Kind, value: Value, teller: Teller) -> dict[str, object]:
    """What the vocabulary says of a value."""
    broader = value.broader if isinstance(value, Term) else ()
    narrower = store.vocabulary.narrower(kind, value.slug)
    return {
        "kind": kind,
        "slug": value.slug,
        "name": value.name.say(teller.lang)[0],
        "name_en": value.name.en,
        "name_ko": value.name.ko or value.name.en,
        "definition": teller.maybe(value.definition, "definition"),
        "examples": _examples(store, kind, value, teller),
        "no_case": teller.maybe(value.no_case, "no_case") if isinstance(value, Term) else None,
        "aliases": aliases(value, teller.lang),
        "broader": tuple(briefs.term_ref(store, kind, slug, teller.lang) for slug in broader),
        "narrower": tuple(briefs.term_ref(store, kind, slug, teller.lang) for slug in narrower),
        "home": value.home if isinstance(value, Org) else None,
        "country": value.country if isinstance(value, Org) else None,
    }


def _examples(store: Store, kind: Kind, value: Value, teller: Teller) -> ExamplesAnswer | None:
    """Those of the two whose case is served here: a folder of one's own may hold other cases."""
    if not isinstance(value, Term) or value.examples is None:
        return None
    said = {
        side: _example(store, kind, side, example, teller)
        for side, example in (
            ("belongs", value.examples.belongs),
            ("does_not_belong", value.examples.does_not_belong),
        )
        if example is not None and example.case in store.cases
    }
    return ExamplesAnswer(belongs=said.get("belongs"), does_not_belong=said.get("does_not_belong")) if said else None


def _example(store: Store, kind: Kind, side: str, example: Belonging | NearMiss, teller: Teller) -> ExampleCase:
    instead = example.instead if isinstance(example, NearMiss) else None
    return ExampleCase(
        id=example.case,
        title=store.cases[example.case].incident.title.say(teller.lang)[0],
        why=teller.say(example.why, f"examples.{side}.why"),
        instead=briefs.term_ref(store, kind, instead, teller.lang) if instead else None,
        page=links.incident(teller.lang, example.case),
    )


def _related(store: Store, kind: Kind, slug: str, ids: list[str], lang: Lang) -> tuple[RelatedValue, ...]:
    """The other values of the diagnosis and the organisations, counted over these cases, by kind then count."""
    met: dict[tuple[Kind, str], list[str]] = defaultdict(list)
    for case_id in sorted(ids):
        for other in (*DIAGNOSIS, Kind.orgs):
            for found in store.cases[case_id].incident.terms(other):
                if (other, found) != (kind, slug):
                    met[other, found].append(case_id)
    out: list[RelatedValue] = []
    for other in (*DIAGNOSIS, Kind.orgs):
        ranked = sorted((key for key in met if key[0] is other), key=lambda key: (-len(met[key]), key[1]))
        out.extend(
            RelatedValue(
                kind=other,
                slug=found,
                name=store.vocabulary.name(other, found, lang),
                count=len(met[other, found]),
                cases=tuple(met[other, found]),
                page=links.topic(lang, other, found),
            )
            for _, found in ranked[:RELATED]
        )
    return tuple(out)
