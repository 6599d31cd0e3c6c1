"""search_incidents and match_evidence: find cases by what is seen, say why, and say when there is nothing."""

from kb.answers import (
    EvidenceAnswer,
    EvidenceKey,
    Hit,
    SearchAnswer,
    Span,
    SuggestedFilter,
    Verdict,
    Why,
    WhyKind,
)
from kb.library import briefs, cursors, selection
from kb.library.asked import Asked
from kb.library.next_check import next_checks
from kb.library.ranking import Match, Ranking, rank
from kb.library.store import Store
from kb.library.telling import nearness
from kb.model import Lang
from kb.questions import Detail, MatchEvidence, SearchIncidents
from kb.text_index import spans
from kb.weighing import Reasons

PASSAGE = 240
MAX_SUGGESTED = 6


def search_incidents(store: Store, question: SearchIncidents, data_version: str) -> SearchAnswer:
    given = question.given() | {"symptoms": question.symptoms}
    mark = cursors.fingerprint("search", given)
    cursor = cursors.read(question.cursor, mark, data_version)
    ranking = rank(store, question.symptoms, selection.filtered(store, question))
    shown = ranking.shown
    start = int(cursor.key) if cursor else 0
    page = shown[start : start + question.limit]
    more, back = start + question.limit < len(shown), max(0, start - question.limit)
    return SearchAnswer(
        verdict=ranking.verdict,
        count=len(shown),
        first=start + 1 if page else 0,
        cases=tuple(_hit(store, match, ranking, ranking.asked, question.lang, question.detail) for match in page),
        next_cursor=cursors.write(cursors.Cursor(str(start + question.limit)), mark, data_version) if more else None,
        previous_cursor=cursors.write(cursors.Cursor(str(back)), mark, data_version) if start and page else None,
        near_misses_cut=ranking.near_misses,
        left_out_by_filters=ranking.outside,
        suggested_filters=suggested_filters(store, ranking, question.lang, given),
        did_you_mean=ranking.did_you_mean,
        next_checks=next_checks(store, {match.id: match.score for match in shown}, question.lang),
        facets=selection.facets(store, [match.id for match in shown], question.lang),
        meaning=store.meaning,
        lang=question.lang,
        data_version=data_version,
    )


def match_evidence(store: Store, question: MatchEvidence, data_version: str) -> EvidenceAnswer:
    """Exact keys of the whole text first; words and meaning only order the cases that share a key."""
    ranking = rank(store, question.text, store.cases, evidence_only=True)
    page = ranking.matches[: question.limit]
    ids = [match.id for match in ranking.matches]
    asked = Asked(question.text[:2000])
    checks = {link.check.card.id: link.check for i in ids for link in store.checks_of_case.get(i, ())}
    # A shared key is something, however little the rest of the text resembles the case.
    verdict = Verdict.weak if ids and ranking.verdict is Verdict.none else ranking.verdict
    return EvidenceAnswer(
        verdict=verdict,
        keys=tuple(
            EvidenceKey(
                kind=key.kind,
                value=key.value,
                text=key.text[:200],
                cases=tuple(sorted(store.evidence_index.get(key.name, ()))),
            )
            for key in ranking.found_keys[:50]
        ),
        count=len(ids),
        cases=tuple(_hit(store, match, ranking, asked, question.lang, Detail.concise) for match in page),
        checks=tuple(briefs.check_brief(check, question.lang) for check in checks.values()),
        characters_used=len(question.text),
        characters_given=len(question.text),
        lang=question.lang,
        data_version=data_version,
    )


def _hit(store: Store, match: Match, ranking: Ranking, asked: Asked, lang: Lang, detail: Detail) -> Hit:
    incident = store.cases[match.id].incident
    said = ranking.weighed.reasons(int(store.text_number[store.number[match.id]]))
    shown = (*said.said, *(other for _, other in said.instead))
    passages = {
        "title": incident.title.say(lang)[0],
        "narrative.symptom": incident.narrative.symptom.say(lang)[0],
    }
    return Hit.model_validate(
        briefs.brief_fields(store, incident, lang, detail)
        | {
            "score": round(match.score, 2),
            "why": _why(store, match, ranking, said, asked, lang),
            "highlights": {
                name: span for name, passage in passages.items() if (span := _passage(passage, shown)).spans
            },
            "checks": briefs.check_links(store, match.id, lang),
        }
    )


#: Words that keep company so seldom are no translation that a person would give.
SURE = 0.5
#: Cosine from which a case is called close, and fairly close, in meaning.
CLOSE, FAIRLY_CLOSE = 0.55, 0.4


def _why(store: Store, match: Match, ranking: Ranking, said: Reasons, asked: Asked, lang: Lang) -> tuple[Why, ...]:
    """What raised the score, strongest kind first. Only words that stand in the case itself are called its words."""
    reasons = [Why(kind=WhyKind.words, text=match.exact)] if match.exact else []
    shared = (key for key in ranking.found_keys if match.id in store.evidence_index.get(key.name, ()))
    reasons += [Why(kind=WhyKind.evidence, text=key.text[:120]) for key in shared]
    instead = _instead(store, said, asked)
    words = [*(word for word in asked.whole_words(said.said) if word not in instead), *instead.values()]
    if words:
        reasons.append(Why(kind=WhyKind.words, text=", ".join(words[:8])))
    for kind, slug in (value for value in ranking.named if match.id in store.by_term.get(value, ())):
        reasons.append(Why(kind=WhyKind.vocabulary, text=store.vocabulary.name(kind, slug, lang)))
    if match.alike:
        like = f"{match.alike} 사례와 닮음" if lang is Lang.ko else f"resembles {match.alike}"
        reasons.append(Why(kind=WhyKind.similar, text=like))
    if match.meaning >= FAIRLY_CLOSE or not reasons:
        near = nearness(lang, match.meaning, FAIRLY_CLOSE, CLOSE)
        reasons.append(Why(kind=WhyKind.meaning, text=near))
    return tuple(reasons)


def _instead(store: Store, said: Reasons, asked: Asked) -> dict[str, str]:
    """A word of the question → `파드 (pod)`, with the word of the case that stands in its place, the surest.

    What stands for a pair of syllables says nothing of the word that these lie in.
    """
    whole = {one.form for one in asked.cuts if one.whole}
    # Letters that the question spells out (`오오엠`) stand in the case as letters.
    spelled = [(one.form, one.form) for one in asked.cuts if one.form in said.said and asked.spells_out(one)]
    out: dict[str, str] = {}
    for form, other in sorted([*spelled, *said.instead], key=lambda pair: -store.text.surely(*pair)):
        written = store.text.surface(other)
        if written and form in whole and store.text.surely(form, other) >= SURE:
            for word in asked.whole_words([form])[:1]:
                out.setdefault(word, f"{word} ({written})")
    return out


def _passage(text: str, matched: tuple[str, ...]) -> Span:
    """About `PASSAGE` characters round the first match, cut at spaces, with the matches as ranges."""
    found = spans(text, matched)
    if not found or len(text) <= PASSAGE:
        return Span(text=text, spans=found)
    start = max(0, found[0][0] - PASSAGE // 4)
    start = text.find(" ", start) + 1 if start else 0
    end = min(len(text), start + PASSAGE)
    end = text.rfind(" ", start, end) if end < len(text) and " " in text[start:end] else end
    inside = tuple((a - start, b - start) for a, b in found if start <= a and b <= end)
    return Span(text=text[start:end], spans=inside)


def suggested_filters(store: Store, ranking: Ranking, lang: Lang, given: dict[str, str]) -> tuple[SuggestedFilter, ...]:
    """Values found in the words, not yet applied; one that would leave nothing is not offered."""
    out, shown = [], {match.id for match in ranking.shown}
    for kind, slug in ranking.named:
        count = len(store.by_term.get((kind, slug), frozenset()) & shown)
        if count and kind.filter_name not in given:
            name = store.vocabulary.name(kind, slug, lang)
            out.append(SuggestedFilter(kind=kind, slug=slug, name=name, filter=kind.filter_name, cases=count))
    return tuple(out[:MAX_SUGGESTED])
