"""The next best check, with the causes that it tells from the others by name."""

from dataclasses import dataclass

from kb import links
from kb.answers import NextCheck
from kb.model import Kind, Lang
from kb.vocabulary import Vocabulary


@dataclass(frozen=True)
class NextView:
    """causes: name and address of each root cause whose cases the check finds."""

    check: NextCheck
    causes: tuple[tuple[str, str], ...]


def next_views(checks: tuple[NextCheck, ...], vocabulary: Vocabulary, lang: Lang) -> tuple[NextView, ...]:
    kind = Kind.root_causes
    return tuple(
        NextView(
            check, tuple((vocabulary.name(kind, slug, lang), links.topic(lang, kind, slug)) for slug in check.separates)
        )
        for check in checks
    )
