"""The edge of each value, shown on cases: one that belongs, and one that comes near and does not."""

from collections import Counter
from collections.abc import Iterator

from kb.corpus import Corpus
from kb.model import PUBLIC_PREFIX, SERVED, Incident, Kind, ReviewStatus
from kb.validate.rules import Finding, at
from kb.vocabulary import Examples, Term, VocabularyFile

#: Approved cases from which on the line of a value has to be shown.
SHOWN_FROM = 2


def findings(corpus: Corpus) -> Iterator[Finding]:
    """Cases of a site's own do not count: the examples are those of the library."""
    cases = {case.incident.id: case.incident for case in corpus.cases}
    public = [incident for incident in cases.values() if incident.id.startswith(PUBLIC_PREFIX)]
    for file in corpus.vocabulary_files:
        if file.kind is Kind.orgs:
            continue
        served = _count(file.kind, (incident for incident in cases.values() if incident.review.status in SERVED))
        approved = _count(file.kind, (one for one in public if one.review.status is ReviewStatus.approved))
        for i, value in enumerate(file.values):
            if isinstance(value, Term):
                slugs = (value.slug, *value.old_slugs)
                yield from _shown(file, i, value, sum(approved[slug] for slug in slugs))
                if not corpus.unread:
                    yield from _no_case(file, i, value, sum(served[slug] for slug in slugs))
                if value.examples is not None:
                    yield from _held(file, i, value.slug, value.examples, cases, corpus)


def _count(kind: Kind, incidents: Iterator[Incident]) -> Counter[str]:
    return Counter(slug for incident in incidents for slug in set(incident.terms(kind)))


def _no_case(file: VocabularyFile, i: int, value: Term, served: int) -> Iterator[Finding]:
    if not served and value.no_case is None:
        message = f"No case carries `{value.slug}`."
        yield at(file, (i,), "vocabulary-no-case", message, "Say under `no_case` why it is there, or take it out.")
    elif served and value.no_case is not None:
        message = f"{served} cases carry `{value.slug}`."
        yield at(file, (i, "no_case"), "vocabulary-no-case", message, "Delete `no_case`.")


def _shown(file: VocabularyFile, i: int, value: Term, approved: int) -> Iterator[Finding]:
    if approved >= SHOWN_FROM and (value.examples is None or value.examples.does_not_belong is None):
        message = f"{approved} approved cases carry `{value.slug}`, and its edge is not shown."
        mend = "Write `examples`: a case that belongs, and one that comes near and does not."
        yield at(file, (i,), "vocabulary-examples", message, mend)


def _held(
    file: VocabularyFile, i: int, slug: str, examples: Examples, cases: dict[str, Incident], corpus: Corpus
) -> Iterator[Finding]:
    """What the two cases carry; a case that cannot be read is told as such and not here."""
    named = {"belongs": examples.belongs.case}
    if examples.does_not_belong is not None:
        named["does_not_belong"] = examples.does_not_belong.case
    for side, case_id in named.items():
        case = cases.get(case_id)
        if case_id in corpus.unread_names:
            continue
        if case is None or case.review.status not in SERVED:
            message = f"{case_id} is {case.review.status} and not served." if case else f"There is no case {case_id}."
            mend = "Choose a case that is served."
            yield at(file, (i, "examples", side, "case"), "vocabulary-example-case", message, mend)
            continue
        carried = case.terms(file.kind)
        if (slug in carried) is (side == "does_not_belong"):
            message = f"{case_id} {'carries' if slug in carried else 'does not carry'} `{slug}`."
            yield at(file, (i, "examples", side, "case"), "vocabulary-example", message, "Choose another case.")
        near = examples.does_not_belong
        if side == "does_not_belong" and near is not None and near.instead not in carried:
            message = f"{case_id} does not carry `{near.instead}`."
            mend = "Name the value of the same kind that it carries."
            yield at(file, (i, "examples", side, "instead"), "vocabulary-example", message, mend)
