"""search_incidents and match_evidence: find cases by what is seen, say why, and say when there is nothing."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from math import log2

from kb.answers import (
    EvidenceAnswer,
    EvidenceKey,
    Hit,
    NextCheck,
    SearchAnswer,
    Span,
    SuggestedFilter,
    Why,
    WhyKind,
)
from kb.library import briefs, cursors, selection
from kb.library.ranking import Match, Ranking, rank
from kb.library.store import Store
from kb.model import Lang
from kb.questions import Detail, MatchEvidence, SearchIncidents
from kb.text_index import spans, terms
from kb.words import TokenKind, normalise, tokens

PASSAGE = 240
MAX_SUGGESTED = 6
NEXT_CHECKS = 3


def search_incidents(store: Store, question: SearchIncidents, data_version: str) -> SearchAnswer:
    given = question.given() | {"symptoms": question.symptoms}
    mark = cursors.fingerprint("search", given)
    cursor = cursors.read(question.cursor, mark, data_version)
    ranking = rank(store, question.symptoms, selection.filtered(store, question))
    shown = ranking.shown
    start = int(cursor.key) if cursor else 0
    page = shown[start : start + question.limit]
    more, back = start + question.limit < len(shown), max(0, start - question.limit)
    asked = Asked(question.symptoms)
    return SearchAnswer(
        verdict=ranking.verdict,
        count=len(shown),
        first=start + 1 if page else 0,
        cases=tuple(_hit(store, match, asked, question.lang, question.detail) for match in page),
        next_cursor=cursors.write(cursors.Cursor(str(start + question.limit)), mark, data_version) if more else None,
        previous_cursor=cursors.write(cursors.Cursor(str(back)), mark, data_version) if start and page else None,
        near_misses_cut=ranking.near_misses,
        suggested_filters=suggested_filters(store, ranking, question.lang, given),
        did_you_mean=_did_you_mean(store, asked, ranking),
        next_checks=next_checks(store, shown),
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
    return EvidenceAnswer(
        verdict=ranking.verdict,
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
        cases=tuple(_hit(store, match, asked, question.lang, Detail.concise) for match in page),
        checks=tuple(briefs.check_brief(check, question.lang) for check in checks.values()),
        characters_used=len(question.text),
        characters_given=len(question.text),
        lang=question.lang,
        data_version=data_version,
    )


class Asked:
    """The words of a question, cut once for all that is said about its hits."""

    def __init__(self, text: str) -> None:
        self.plain = normalise(text)
        self.terms = terms(self.plain)
        self._words = [token for token in tokens(self.plain) if token.kind is not TokenKind.pair]

    def whole_words(self, forms: Iterable[str]) -> list[str]:
        """The words that hold these terms: a match by a pair of syllables is shown as the word it lies in."""
        wanted = set(forms)
        starts = sorted(start for form, start, _ in self.terms if form in wanted)
        held = [t for t in self._words if bisect_left(starts, t.start) < bisect_left(starts, t.end)]
        out = dict.fromkeys(self.plain[token.start : token.end] for token in held)
        return [word for word in out if not any(word != other and word in other for other in out)]


def _hit(store: Store, match: Match, asked: Asked, lang: Lang, detail: Detail) -> Hit:
    incident = store.cases[match.id].incident
    passages = {
        "title": incident.title.say(lang)[0],
        "narrative.symptom": incident.narrative.symptom.say(lang)[0],
    }
    return Hit.model_validate(
        briefs.brief_fields(store, incident, lang, detail)
        | {
            "score": round(match.score, 2),
            "why": _why(store, match, asked, lang),
            "highlights": {
                name: span for name, passage in passages.items() if (span := _passage(passage, match.matched)).spans
            },
            "checks": briefs.check_links(store, match.id, lang),
        }
    )


def _why(store: Store, match: Match, asked: Asked, lang: Lang) -> tuple[Why, ...]:
    """What raised the score, strongest kind first; removing what it names lowers the score."""
    reasons = [Why(kind=WhyKind.evidence, text=key.text[:120]) for key in match.shared]
    whole = asked.whole_words(match.matched)
    if whole:
        reasons.append(Why(kind=WhyKind.words, text=", ".join(whole[:8])))
    for kind, slug in match.named:
        reasons.append(Why(kind=WhyKind.vocabulary, text=store.vocabulary.name(kind, slug, lang)))
    if match.meaning > 0:
        nearness = "close" if match.meaning >= 0.5 else "fairly close"
        said = {"close": "뜻이 가깝다", "fairly close": "뜻이 어느 정도 가깝다"}[nearness]
        reasons.append(Why(kind=WhyKind.meaning, text=said if lang is Lang.ko else f"{nearness} in meaning"))
    return tuple(reasons)


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


def _did_you_mean(store: Store, asked: Asked, ranking: Ranking) -> tuple[str, ...]:
    plain, missing = asked.plain, set(ranking.missing)
    changed = plain
    for form, start, end in reversed(asked.terms):
        better = store.text.suggest(plain[start:end]) if form in missing else None
        if better:
            changed = changed[:start] + better + changed[end:]
    return (changed,) if changed != plain else ()


def next_checks(store: Store, shown: list[Match]) -> tuple[NextCheck, ...]:
    """Which linked check separates the candidate causes best: information gain in bits over these cases.

    Each case weighs its score; its main root cause is the hypothesis; a check splits the cases into those whose
    replay it finds and the rest.
    """
    weight = {match.id: match.score for match in shown}
    cause = {i: store.cases[i].incident.root_causes[0] for i in weight}
    before, total = _entropy(list(weight), weight, cause), sum(weight.values())
    out = []
    for check in {link.check.card.id: link.check for i in weight for link in store.checks_of_case.get(i, ())}.values():
        known = set(check.cases)
        caught = [i for i in weight if i in known]
        rest = [i for i in weight if i not in known]
        after = sum(sum(weight[i] for i in part) / total * _entropy(part, weight, cause) for part in (caught, rest))
        separates = tuple(dict.fromkeys(cause[i] for i in caught))
        if before - after > 0.005:
            out.append(NextCheck(check=check.card.id, separates=separates, gain=round(before - after, 2)))
    return tuple(sorted(out, key=lambda c: (-c.gain, c.check))[:NEXT_CHECKS])


def _entropy(ids: list[str], weight: dict[str, float], cause: dict[str, str]) -> float:
    mass: Counter[str] = Counter()
    for i in ids:
        mass[cause[i]] += weight[i]  # type: ignore[assignment]
    total = sum(mass.values())
    return -sum(m / total * log2(m / total) for m in mass.values() if m) if total else 0.0
