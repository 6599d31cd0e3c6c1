"""The controlled vocabulary: what its values hold; read it, walk it, resolve names, former slugs and aliases.

The classes are the shapes of `data/vocabulary/*.yaml`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import StringConstraints

from kb.errors import DataError, UnknownValue
from kb.model import CaseId, Kind, Lang, NonEmpty, Slug, Strict, Text, Url
from kb.nearest import nearest

if TYPE_CHECKING:
    from kb.yaml_text import Document

MAX_BYTES = 1024 * 1024


class Aliases(Strict):
    en: tuple[NonEmpty, ...] = ()
    ko: tuple[NonEmpty, ...] = ()


class Belonging(Strict):
    """A case that a value fits, and half a sentence on what makes it fit."""

    case: CaseId
    why: Text


class NearMiss(Strict):
    """A case that somebody might give the value to, the value of the same kind that it carries, and why not this."""

    case: CaseId
    instead: Slug
    why: Text


class Examples(Strict):
    """Where the line of a value runs, shown on two cases."""

    belongs: Belonging
    does_not_belong: NearMiss | None = None


class Term(Strict):
    """One vocabulary value; a SKOS concept with its preferred and alternative labels."""

    slug: Slug
    name: Text
    definition: Text
    aliases: Aliases = Aliases()
    short: Text | None = None
    """A shorter name for narrow columns."""
    broader: tuple[Slug, ...] = ()
    old_slugs: tuple[Slug, ...] = ()
    """Former slugs, still answered."""
    no_check: Text | None = None
    """Why no proven check looks for it, where several cases carry it and none does."""
    no_case: Text | None = None
    """Why it is there although no case carries it."""
    examples: Examples | None = None


class Org(Strict):
    slug: Slug
    name: Text
    definition: Text | None = None
    """One sentence on who they are, where the name does not say it."""
    aliases: Aliases = Aliases()
    home: Url | None = None
    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")] | None = None
    """ISO 3166-1 code of the seat; absent for international projects."""
    old_slugs: tuple[Slug, ...] = ()


Value = Term | Org


@dataclass(frozen=True)
class Vocabulary:
    """All values of all kinds. `values[kind]` keeps the order of the file."""

    values: Mapping[Kind, Mapping[str, Value]]

    def get(self, kind: Kind, slug: str) -> Value | None:
        """The value with this slug, or with this former slug."""
        values = self.values[kind]
        if slug in values:
            return values[slug]
        return next((value for value in values.values() if slug in value.old_slugs), None)

    def require(self, kind: Kind, slug: str, *, field: str) -> Value:
        """As `get`.

        Raises:
            UnknownValue: names the three nearest slugs and what to do next.
        """
        value = self.get(kind, slug)
        if value is not None:
            return value
        elsewhere = next((k for k in Kind if k is not kind and self.get(k, slug)), None)
        hint = f"It is one of the {elsewhere}." if elsewhere else "vocab finds values by what they mean."
        raise UnknownValue(
            f"`{slug[:60]}` is not one of the {kind}.",
            field=field,
            nearest=self._nearest(kind, slug),
            next_step=hint,
        )

    def _nearest(self, kind: Kind, slug: str) -> tuple[str, ...]:
        by_label = {label.lower(): v.slug for v in self.values[kind].values() for label in labels(v)}
        found = [by_label[label] for label in nearest(slug.replace("-", " "), by_label, limit=6, floor=0.4)]
        found = [*nearest(slug, self.values[kind], limit=3), *found]
        return tuple(dict.fromkeys(found))[:3] or tuple(list(self.values[kind])[:3])

    def name(self, kind: Kind, slug: str, lang: Lang) -> str:
        value = self.get(kind, slug)
        return value.name.say(lang)[0] if value else slug

    def narrower(self, kind: Kind, slug: str) -> tuple[str, ...]:
        return tuple(v.slug for v in self.values[kind].values() if isinstance(v, Term) and slug in v.broader)

    def kind_of(self, slug: str) -> Kind | None:
        """Slugs are unique over all kinds, so a bare slug has one kind."""
        return next((kind for kind in Kind if slug in self.values[kind]), None)


def labels(value: Value) -> tuple[str, ...]:
    """Every label by which a value is known: both names, all aliases, the slug."""
    names = [value.name.en, *([value.name.ko] if value.name.ko else [])]
    return tuple(dict.fromkeys([*names, *value.aliases.en, *value.aliases.ko, value.slug]))


def of(values: Mapping[Kind, Iterable[Value]]) -> Vocabulary:
    return Vocabulary({kind: {value.slug: value for value in values.get(kind, ())} for kind in Kind})


@dataclass(frozen=True)
class VocabularyFile:
    kind: Kind
    path: Path
    document: "Document"
    values: tuple[Value, ...]


def read_file(path: Path, kind: Kind) -> VocabularyFile:
    """One file: a list of values.

    Raises:
        UnreadableFile, SchemaFaults: with file, line and field.
    """
    from kb import case_file, yaml_text

    document = yaml_text.read(path, max_bytes=MAX_BYTES)
    if not isinstance(document.data, list):
        raise DataError(f"{path.name}:1: must be a list of values, each beginning with `- slug:`.")
    model: type[Org] | type[Term] = Org if kind is Kind.orgs else Term
    values: list[Value] = []
    for i, item in enumerate(document.data):
        part = yaml_text.Document(item, {p[1:]: n for p, n in document.lines.items() if p and p[0] == i})
        values.append(case_file.fit(part, model, path.name))
    return VocabularyFile(kind, path, document, tuple(values))


def read(roots: Iterable[Path]) -> Vocabulary:
    """The vocabulary of all roots; later ones add values and may not redefine any.

    Raises:
        DataError: unreadable or contradicting files.
    """
    out: dict[Kind, dict[str, Value]] = {kind: {} for kind in Kind}
    for root in roots:
        for kind in Kind:
            path = root / "vocabulary" / f"{kind}.yaml"
            if not path.is_file():
                continue
            for value in read_file(path, kind).values:
                if value.slug in out[kind]:
                    raise DataError(f"{path.name}: `{value.slug}` is defined twice.", next_step="Keep one.")
                out[kind][value.slug] = value
    return Vocabulary(out)
