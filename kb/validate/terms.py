"""The vocabulary, and the values that cases use of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.corpus import CaseFile, Corpus
from kb.errors import UnknownValue
from kb.model import Kind
from kb.validate import prose
from kb.validate.rules import Finding, at
from kb.validate.walk import texts
from kb.vocabulary import Term, Value, Vocabulary, VocabularyFile
from kb.yaml_text import Place

#: Names of organisations and products may be the same in both languages; other texts are sentences.
_NAMES = frozenset({"name", "short"})


@dataclass
class _Seen:
    slugs: dict[str, str] = field(default_factory=dict)
    """Slug → the kind it was first met in."""
    labels: dict[tuple[Kind, str], str] = field(default_factory=dict)
    """Kind and folded label → slug."""


def findings(corpus: Corpus) -> Iterator[Finding]:
    seen = _Seen()
    for file in corpus.vocabulary_files:
        for i, value in enumerate(file.values):
            yield from _slugs(file, i, value, seen)
            yield from _labels(file, i, value, seen)
            yield from _texts(file, i, value)
            if isinstance(value, Term):
                yield from _broader(file, i, value, corpus.vocabulary)
    for case in corpus.cases:
        yield from _used(case, corpus)


def _slugs(file: VocabularyFile, i: int, value: Value, seen: _Seen) -> Iterator[Finding]:
    held: list[tuple[Place, str]] = [((i, "slug"), value.slug)]
    held += [((i, "old_slugs", n), slug) for n, slug in enumerate(value.old_slugs)]
    for place, slug in held:
        first = seen.slugs.setdefault(slug, f"{file.kind}/{value.slug}")
        if first != f"{file.kind}/{value.slug}" or (place[-1] == "slug" and _twice(file, i, slug)):
            yield at(
                file, place, "vocabulary-slug-unique", f"`{slug}` already means {first}.",
                "Choose another slug for one of them.",
            )  # fmt: skip


def _twice(file: VocabularyFile, i: int, slug: str) -> bool:
    return any(value.slug == slug for value in file.values[:i])


def _labels(file: VocabularyFile, i: int, value: Value, seen: _Seen) -> Iterator[Finding]:
    held: list[tuple[Place, str]] = [((i, "name", "en"), value.name.en)]
    if value.name.ko:
        held.append(((i, "name", "ko"), value.name.ko))
    held += [((i, "aliases", "en", n), alias) for n, alias in enumerate(value.aliases.en)]
    held += [((i, "aliases", "ko", n), alias) for n, alias in enumerate(value.aliases.ko)]
    for place, label in held:
        first = seen.labels.setdefault((file.kind, " ".join(label.casefold().split())), value.slug)
        if first != value.slug:
            yield at(
                file, place, "vocabulary-alias",
                f"`{label}` leads to `{first}` and to `{value.slug}`.",
                "Keep it with the one that people mean.",
            )  # fmt: skip


def _texts(file: VocabularyFile, i: int, value: Value) -> Iterator[Finding]:
    for place, text in texts(value, (i,)):
        if text.ko is None:
            yield at(file, place, "vocabulary-languages", "There is no Korean.", "Write `ko`.")
    for finding in prose.judge(file, value, (i,)):
        name_only = finding.rule == "korean" and finding.field.split(".")[1] in _NAMES
        if not name_only:
            yield finding


def _broader(file: VocabularyFile, i: int, value: Term, vocabulary: Vocabulary) -> Iterator[Finding]:
    for n, slug in enumerate(value.broader):
        place = (i, "broader", n)
        if slug not in vocabulary.values[file.kind]:
            message, mend = f"`{slug}` is not one of the {file.kind}.", "Use a value of the same kind."
            yield at(file, place, "vocabulary-broader", message, mend)
        elif value.slug in _above(file.kind, slug, vocabulary):
            message, mend = f"`{slug}` is narrower than `{value.slug}` in turn.", "Break the circle."
            yield at(file, place, "vocabulary-broader", message, mend)


def _above(kind: Kind, slug: str, vocabulary: Vocabulary) -> set[str]:
    """`slug` and everything broader than it."""
    reached: set[str] = set()
    waiting = [slug]
    while waiting:
        here = waiting.pop()
        value = vocabulary.values[kind].get(here)
        if here not in reached and isinstance(value, Term):
            reached.add(here)
            waiting.extend(value.broader)
    return reached


def _used(case: CaseFile, corpus: Corpus) -> Iterator[Finding]:
    """What cannot be known, because a file of the vocabulary is unreadable, is not told."""
    for kind in (kind for kind in Kind if kind.value not in corpus.unread_names):
        slugs = case.incident.terms(kind)
        for n, slug in enumerate(slugs):
            place: Place = ("org",) if kind is Kind.orgs else (kind.value, n)
            if slug in slugs[:n]:
                yield at(case, place, "term-twice", f"`{slug}` stands twice.", "Keep one of them.")
            try:
                value = corpus.vocabulary.require(kind, slug, field=kind.value)
            except UnknownValue as error:
                near = f" Nearest: {', '.join(error.nearest)}." if error.nearest else ""
                yield at(case, place, "term-known", f"{error.what}{near}", error.next_step)
                continue
            if value.slug != slug:
                yield at(case, place, "term-former", f"`{slug}` is now `{value.slug}`.", f"Write `{value.slug}`.")
