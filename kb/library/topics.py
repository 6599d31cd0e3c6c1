"""get_topic and vocab: one value with everything that hangs on it, and values found by what they mean."""

from collections import defaultdict

from kb import links
from kb.answers import ExampleCase, ExamplesAnswer, RelatedValue, TopicAnswer, Verdict, VocabAnswer, VocabMatch
from kb.library import briefs, cursors, selection
from kb.library.lists import position
from kb.library.next_check import next_checks
from kb.library.ranking import Ranking, rank
from kb.library.sharing import DIAGNOSIS
from kb.library.store import Store
from kb.library.telling import Teller
from kb.model import Kind, Lang
from kb.questions import GetTopic, Sort, Vocab
from kb.text_index import terms
from kb.vocabulary import Belonging, NearMiss, Org, Term, Value
from kb.words import normalise

RELATED = 12
#: Vocabulary matches: similarity from which a value is shown, and from which the list is called strong.
VOCAB_CUT, VOCAB_STRONG = 0.4, 0.72
#: Cosines of short texts below this are chance; those above are stretched to 0–1.
CHANCE, CERTAIN = 0.38, 0.9


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
            "checks": tuple(
                briefs.check_brief(c, lang)
                for c in store.checks.values()
                if value.slug in c.card.catches or set(c.cases) & set(ranked)
            ),
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


def aliases(value: Value, lang: Lang) -> tuple[str, ...]:
    """Aliases in the language asked for first, then in the other."""
    first, then = (value.aliases.ko, value.aliases.en) if lang is Lang.ko else (value.aliases.en, value.aliases.ko)
    return tuple(dict.fromkeys((*first, *then)))


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


def vocab(store: Store, question: Vocab, data_version: str) -> VocabAnswer:
    kinds = (question.kind,) if question.kind else tuple(Kind)
    mark = cursors.fingerprint("vocab", {"query": question.query, "kind": question.kind})
    cursor = cursors.read(question.cursor, mark)
    values = [(kind, value) for kind in kinds for value in store.vocabulary.values[kind].values()]
    verdict: Verdict | None = None
    scores: dict[tuple[Kind, str], float] = {}
    if question.query:
        scores = similarities(store, question.query, values)
        best = max(scores.values(), default=0.0)
        verdict = Verdict.strong if best >= VOCAB_STRONG else Verdict.weak if best >= VOCAB_CUT else Verdict.none
        values = [(k, v) for k, v in values if scores[k, v.slug] >= VOCAB_CUT]
        values.sort(key=lambda pair: (-scores[pair[0], pair[1].slug], pair[1].slug))
    names = [f"{kind}/{value.slug}" for kind, value in values]
    start = names.index(cursor.key) + 1 if cursor and cursor.key in names else 0
    page = values[start : start + question.limit]
    more = start + question.limit < len(values)
    return VocabAnswer(
        verdict=verdict,
        count=len(values),
        matches=tuple(_match(store, k, v, scores.get((k, v.slug)), question.lang) for k, v in page),
        next_cursor=cursors.write(cursors.Cursor(names[start + len(page) - 1]), mark) if more and page else None,
        lang=question.lang,
        data_version=data_version,
    )


def similarities(store: Store, query: str, values: list[tuple[Kind, Value]]) -> dict[tuple[Kind, str], float]:
    """0–1 for every value: words shared with one of its labels, joined with nearness in meaning."""
    plain = normalise(query)
    weighing = {form for form, _, _ in terms(plain)}
    # Of words that say nothing, and of signs, the model means anything.
    vector = store.embed(plain) if weighing else None
    cosines = store.term_vectors.nearest(vector) if vector is not None else {}
    asked = weighing or {form for form, _, _ in terms(plain, keep_stop=True)}
    words: dict[tuple[Kind, str], float] = {}
    for label in {label for form in asked for label in store.labels_of_word.get(form, ())}:
        place = label.kind, label.slug
        words[place] = max(words.get(place, 0.0), _overlap(asked, label.words))
    out = {}
    for kind, value in values:
        cosine = cosines.get(f"{kind}/{value.slug}", 0.0)
        meaning = min(1.0, max(0.0, (cosine - CHANCE) / (CERTAIN - CHANCE)))
        out[kind, value.slug] = round(1 - (1 - words.get((kind, value.slug), 0.0)) * (1 - 0.9 * meaning), 2)
    return out


def _overlap(asked: set[str], said: frozenset[str]) -> float:
    """F1 of the words of question and label."""
    return 2 * len(asked & said) / (len(asked) + len(said))


def _match(store: Store, kind: Kind, value: Value, similarity: float | None, lang: Lang) -> VocabMatch:
    return VocabMatch(
        kind=kind,
        slug=value.slug,
        name=value.name.say(lang)[0],
        name_en=value.name.en,
        name_ko=value.name.ko or value.name.en,
        definition=value.definition.say(lang)[0] if value.definition else None,
        aliases=aliases(value, lang),
        similarity=similarity,
        cases=len(store.by_term.get((kind, value.slug), ())),
        page=links.topic(lang, kind, value.slug),
    )
