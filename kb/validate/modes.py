"""Failure modes: each that occurs often is looked for by a proven check, or its value says why by none."""

from collections import Counter
from collections.abc import Iterator

from kb.checks.card import CheckStatus
from kb.checks.catalogue import Catalogue
from kb.corpus import Corpus
from kb.model import PUBLIC_PREFIX, Kind
from kb.validate.rules import Finding, at
from kb.vocabulary import Term, VocabularyFile

#: What can fail, and how: factors are circumstances, organisations are whose.
MODES = (Kind.symptoms, Kind.components, Kind.root_causes)
#: Cases from which on a value is no oddity.
OFTEN = 3


def findings(corpus: Corpus, catalogue: Catalogue) -> Iterator[Finding]:
    """Cases of a site's own do not count: their checks may lie elsewhere."""
    named = {
        slug
        for check, card in catalogue.cards.items()
        if catalogue.status(check) is not CheckStatus.draft
        for slug in card.catches
    }
    public = [case.incident for case in corpus.served if case.incident.id.startswith(PUBLIC_PREFIX)]
    for file in corpus.vocabulary_files:
        if file.kind in MODES:
            carried = Counter(slug for incident in public for slug in set(incident.terms(file.kind)))
            yield from _file(file, carried, named)


def _file(file: VocabularyFile, carried: Counter[str], named: set[str]) -> Iterator[Finding]:
    for i, value in enumerate(file.values):
        if not isinstance(value, Term):
            continue
        if value.no_check is not None and value.slug in named:
            message = f"A proven check catches `{value.slug}`."
            yield at(file, (i, "no_check"), "value-no-check-contradicted", message, "Delete `no_check`.")
        elif value.no_check is None and value.slug not in named and carried[value.slug] >= OFTEN:
            message = f"{carried[value.slug]} cases carry `{value.slug}`, and no proven check names it."
            mend = "Name it under `catches` of a check that looks for it, or say under `no_check` why none does."
            yield at(file, (i,), "value-unlinked", message, mend)
