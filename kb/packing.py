"""What a build is made of: rows for the tables, documents for the index of words, passages for the vectors. Pure."""

import json
from collections.abc import Iterator

from pydantic import BaseModel

from kb import tables
from kb.checks import promql
from kb.checks.card import CheckCard
from kb.checks.catalogue import Catalogue
from kb.corpus import CaseFile, Corpus
from kb.model import Incident, Kind, Text
from kb.tables import Row
from kb.text_index import TextDocument, terms
from kb.vocabulary import Value, labels
from kb.words import normalise

#: A long passage dilutes its meaning; narrative is cut into pieces of about this many characters.
PASSAGE = 400


def rows(key: str, files: Corpus, catalogue: Catalogue) -> Iterator[Row]:
    for case in files.cases:
        yield _case_row(key, case)
        for kind in Kind:
            for position, slug in enumerate(case.incident.terms(kind)):
                yield tables.CaseTermRow(build=key, case_id=case.incident.id, kind=kind, position=position, slug=slug)
    for kind in Kind:
        for position, value in enumerate(files.vocabulary.values[kind].values()):
            yield tables.TermRow(
                build=key, kind=kind, slug=value.slug, position=position, document=value.model_dump_json()
            )
    yield from _check_rows(key, catalogue, {case.incident.id for case in files.served})


def _check_rows(key: str, catalogue: Catalogue, served: set[str]) -> Iterator[Row]:
    links = [link for link in catalogue.links if link.case in served]
    states = {(link.check, link.replay): link for link in links}
    for check, folder in catalogue.folders.items():
        replays = [
            {
                "name": file.name,
                "replay": file.replay.model_dump(mode="json"),
                "proof": proof.model_dump(mode="json") if (proof := catalogue.proof(check, file)) else None,
                "link": states[check, file.name].state if (check, file.name) in states else None,
            }
            for file in folder.replays
        ]
        whole = {
            "card": folder.card.model_dump(mode="json"),
            "expr": _expr(folder.card),
            "replays": replays,
        }
        yield tables.CheckRow(
            build=key,
            id=check,
            status=catalogue.status(check),
            document=json.dumps(whole, ensure_ascii=False),
        )
    for link in links:
        yield tables.CheckCaseRow(
            build=key,
            check_id=link.check,
            replay=link.replay,
            case_id=link.case,
            link=link.state,
            how_en=link.how.en,
            how_ko=link.how.ko,
        )


def _expr(card: CheckCard) -> str | None:
    """The rule as it runs with the default knobs."""
    if card.rule is None:
        return None
    return promql.fill(card.rule.expr, {knob.name: knob.default for knob in card.knobs})


def _case_row(key: str, case: CaseFile) -> tables.CaseRow:
    incident = case.incident
    at, precision, basis = incident.date
    return tables.CaseRow(
        build=key,
        id=incident.id,
        slug=incident.slug,
        domain=incident.domain,
        org=incident.org,
        date=at,
        date_precision=precision,
        date_basis=basis,
        entered=incident.review.on,
        status=incident.review.status,
        public=case.public,
        served=case.served,
        document=incident.model_dump_json(),
    )


def both(text: Text | None) -> list[str]:
    """The passage in each language it has."""
    return [] if text is None else [part for part in (text.en, text.ko) if part]


def _narrative(incident: Incident) -> list[Text]:
    story = incident.narrative
    return [t for t in (story.symptom, story.cause, story.trigger, story.detection, story.lessons) if t]


def document(case: CaseFile, files: Corpus) -> TextDocument:
    incident = case.incident
    values = [files.vocabulary.get(kind, slug) for kind in Kind for slug in incident.terms(kind)]
    told = [incident.summary, *_narrative(incident), *incident.actions, *incident.follow_ups]
    told += [entry.text for entry in incident.timeline]
    fields = {
        "title": both(incident.title),
        "asked": [*incident.phrases.en, *incident.phrases.ko],
        "terms": [label for value in values if value for label in labels(value)],
        "codes": list(incident.evidence),
        "body": [part for text in told for part in both(text)],
    }
    return TextDocument(incident.id, {name: "\n".join(parts) for name, parts in fields.items()})


#: A name of the vocabulary is a translation by itself, so it counts as often as this.
NAMES = 3


def same_in_both(files: Corpus) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The words, in index form, of every text of the cases and the vocabulary that stands in both languages."""
    for case in files.served:
        yield from _pairs(case.incident)
    for kind in Kind:
        for value in files.vocabulary.values[kind].values():
            yield from _pairs(value)
            yield from NAMES * list(_pairs(value.name))


def _pairs(part: object) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    if isinstance(part, Text):
        if part.ko:
            yield _words(part.en), _words(part.ko)
    elif isinstance(part, BaseModel):
        for name in type(part).model_fields:
            yield from _pairs(getattr(part, name))
    elif isinstance(part, tuple):
        for item in part:
            yield from _pairs(item)


def _words(text: str) -> frozenset[str]:
    return frozenset(form for form, _, _ in terms(normalise(text)))


def case_passages(files: Corpus) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    for case in files.served:
        incident = case.incident
        texts = [*incident.phrases.en, *incident.phrases.ko, *both(incident.title)]
        for text in (incident.summary, *_narrative(incident)):
            texts.extend(piece for part in both(text) for piece in pieces(part))
        out.extend((incident.id, text) for text in dict.fromkeys(texts))
    return out


def pieces(text: str) -> list[str]:
    """Paragraphs, long ones cut at sentence ends near `PASSAGE` characters."""
    out: list[str] = []
    for paragraph in text.split("\n\n"):
        rest = " ".join(paragraph.split())
        while len(rest) > PASSAGE:
            cut = rest.rfind(". ", 0, PASSAGE) + 1 or rest.rfind(" ", 0, PASSAGE) or PASSAGE
            out.append(rest[:cut].strip())
            rest = rest[cut:].strip()
        out.append(rest)
    return [piece for piece in out if piece]


def term_passages(files: Corpus) -> list[tuple[str, str]]:
    return [
        (f"{kind}/{value.slug}", text)
        for kind in Kind
        for value in files.vocabulary.values[kind].values()
        for text in _said_of(value)
    ]


def _said_of(value: Value) -> list[str]:
    """Labels, and the part of the definition that is about the value itself: `If …` sentences name neighbours."""
    own = [text.split(" If ", 1)[0] for text in both(value.definition)]
    return list(dict.fromkeys([*labels(value)[:-1], *own]))
