"""vocab: vocabulary values found by what they mean.

    words      = F1 of the words of the question and of the name or alias that shares most of them
    meaning    = cosine of the question and the nearest name, alias or definition, stretched to 0–1
    similarity = 1 − (1 − words) · (1 − 0.9 · meaning)

A misspelt word is read as what was meant, and `did_you_mean` says so.
"""

from dataclasses import dataclass

from kb import links
from kb.answers import Span, Verdict, VocabAnswer, VocabMatch, Why, WhyKind
from kb.library import cursors
from kb.library.asked import Asked
from kb.library.store import Label, Store
from kb.library.telling import aliases, nearness
from kb.model import Kind, Lang
from kb.questions import Vocab
from kb.text_index import spans
from kb.vocabulary import Value
from kb.words import normalise

#: Similarity from which a value is shown, from which it is counted, and from which the list is called strong.
CUT, NEAR_MISS, STRONG = 0.4, 0.3, 0.72
#: Cosines of short texts below this are chance; those above are stretched to 0–1.
CHANCE, CERTAIN = 0.38, 0.9
#: Stretched cosine from which a value is called close, and fairly close, in meaning; less is no reason beside words.
CLOSE, FAIRLY_CLOSE = 0.6, 0.3


@dataclass(frozen=True)
class Near:
    """How near a value is.

    label: the name or alias that shares most words with the question, where any does; said: those of the question, in
    index form; meaning: 0–1.
    """

    similarity: float
    label: Label | None
    said: frozenset[str]
    meaning: float

    @property
    def span(self) -> Span | None:
        """The label and where the words of the question stand in it."""
        if self.label is None:
            return None
        text = normalise(self.label.text)
        return Span(text=text, spans=spans(text, self.said))


def vocab(store: Store, question: Vocab, data_version: str) -> VocabAnswer:
    kinds = (question.kind,) if question.kind else tuple(Kind)
    mark = cursors.fingerprint("vocab", {"query": question.query, "kind": question.kind})
    cursor = cursors.read(question.cursor, mark)
    values = [(kind, value) for kind in kinds for value in store.vocabulary.values[kind].values()]
    asked = Asked(question.query) if question.query else None
    meant = asked.meant(store.text) if asked else None
    found = near(store, meant, values, question.lang) if meant else {}
    if asked:
        values = [(kind, value) for kind, value in values if found[kind, value.slug].similarity >= CUT]
        values.sort(key=lambda pair: (-found[pair[0], pair[1].slug].similarity, pair[1].slug))
    names = [f"{kind}/{value.slug}" for kind, value in values]
    start = names.index(cursor.key) + 1 if cursor and cursor.key in names else 0
    page = values[start : start + question.limit]
    more = start + question.limit < len(values)
    return VocabAnswer(
        verdict=_verdict(found) if asked else None,
        count=len(values),
        matches=tuple(_match(store, kind, value, found.get((kind, value.slug)), question.lang) for kind, value in page),
        near_misses_cut=sum(1 for each in found.values() if NEAR_MISS <= each.similarity < CUT),
        did_you_mean=(meant.plain,) if meant and meant is not asked else (),
        next_cursor=cursors.write(cursors.Cursor(names[start + len(page) - 1]), mark) if more and page else None,
        lang=question.lang,
        data_version=data_version,
    )


def _verdict(found: dict[tuple[Kind, str], Near]) -> Verdict:
    best = max((each.similarity for each in found.values()), default=0.0)
    return Verdict.strong if best >= STRONG else Verdict.weak if best >= CUT else Verdict.none


def near(store: Store, asked: Asked, values: list[tuple[Kind, Value]], lang: Lang) -> dict[tuple[Kind, str], Near]:
    """How near every value is, by words shared with one of its labels and by meaning.

    asked: with what was meant by misspelt words. lang: of two labels that share as much, the one in it is named.
    """
    weighing = set(asked.weighing)
    # Of words that say nothing, and of signs, the model means anything.
    vector = store.embed(asked.plain) if weighing else None
    cosines = store.term_vectors.nearest(vector) if vector is not None else {}
    # A letter or a particle that stands alone names nothing.
    said = frozenset(weighing or {form for form in asked.forms if len(form) > 1})
    labels: dict[tuple[Kind, str], tuple[tuple[float, bool], Label]] = {}
    for label in dict.fromkeys(label for form in sorted(said) for label in store.labels_of_word.get(form, ())):
        shared = _overlap(said, label.words), label.text.isascii() == (lang is Lang.en)
        if (label.kind, label.slug) not in labels or shared > labels[label.kind, label.slug][0]:
            labels[label.kind, label.slug] = shared, label
    out = {}
    for kind, value in values:
        cosine = cosines.get(f"{kind}/{value.slug}", 0.0)
        meaning = min(1.0, max(0.0, (cosine - CHANCE) / (CERTAIN - CHANCE)))
        (words, _), best = labels.get((kind, value.slug), ((0.0, False), None))
        out[kind, value.slug] = Near(round(1 - (1 - words) * (1 - 0.9 * meaning), 2), best, said, meaning)
    return out


def _overlap(asked: frozenset[str], said: frozenset[str]) -> float:
    """F1 of the words of question and label."""
    return 2 * len(asked & said) / (len(asked) + len(said))


def _match(store: Store, kind: Kind, value: Value, found: Near | None, lang: Lang) -> VocabMatch:
    return VocabMatch(
        kind=kind,
        slug=value.slug,
        name=value.name.say(lang)[0],
        name_en=value.name.en,
        name_ko=value.name.ko or value.name.en,
        definition=value.definition.say(lang)[0] if value.definition else None,
        aliases=aliases(value, lang),
        similarity=found.similarity if found else None,
        why=_why(found, lang) if found else (),
        highlights={"label": found.span} if found and found.span else {},
        cases=len(store.by_term.get((kind, value.slug), ())),
        page=links.topic(lang, kind, value.slug),
    )


def _why(found: Near, lang: Lang) -> tuple[Why, ...]:
    """The name or alias that shares words, and nearness in meaning."""
    words = (Why(kind=WhyKind.words, text=found.label.text),) if found.label else ()
    if words and found.meaning < FAIRLY_CLOSE:
        return words
    return (*words, Why(kind=WhyKind.meaning, text=nearness(lang, found.meaning, FAIRLY_CLOSE, CLOSE)))
