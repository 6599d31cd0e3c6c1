"""Compact answers for a model's context: what programs rely on, one level of nesting, nothing absent.

Each is read off the full answer by attribute (`SearchOut.model_validate(answer)`) and published as the tool's
output schema. Fields with nothing in them are left out of the result, so the schema needs no null.
"""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from kb.answers import CaseDetails
from kb.parameters import JsonSchema, flat

MAX_FACET_VALUES = 8
MAX_RELATED = 20


def _each(attribute: str) -> BeforeValidator:
    """Keep one attribute of each item: a list of checks becomes a list of ids."""
    return BeforeValidator(lambda items: tuple(getattr(item, attribute) for item in items))


def _facets(facets: Iterable[Any]) -> dict[str, dict[str, int]]:
    return {f.kind.value: {v.slug: v.count for v in f.values[:MAX_FACET_VALUES]} for f in facets}


def _details(details: CaseDetails | None) -> dict[str, str] | None:
    """One text a field, lists as lines."""
    if details is None:
        return None
    fields = details.model_dump(mode="json", exclude={"lang_fallback"}, exclude_none=True)
    return {name: value if isinstance(value, str) else "\n".join(value) for name, value in fields.items()}


Texts = tuple[str, ...]
Ids = Annotated[Texts, _each("id")]
Slugs = Annotated[Texts, _each("slug")]
Names = Annotated[Texts, _each("name")]
Whys = Annotated[Texts, _each("text")]
Details = Annotated[dict[str, str] | None, BeforeValidator(_details)]
Facets = Annotated[dict[str, dict[str, int]], BeforeValidator(_facets)]


class Out(BaseModel):
    model_config = ConfigDict(from_attributes=True, frozen=True)

    def content(self) -> JsonSchema:
        """The structured content: plain JSON without what is absent."""
        return self.model_dump(mode="json", exclude_none=True)


class Row(Out):
    id: str
    slug: str
    title: str
    org: str
    date: str | None = None
    date_precision: str | None = None
    domain: str
    root_causes: Texts
    components: Texts
    symptoms: Texts
    factors: Texts
    page: str


class Hit(Row):
    score: float
    why: Whys
    checks: Ids


class FullHit(Hit):
    details: Details = None
    """Only with `detail=full`: symptom, cause, detection, actions, follow_ups, lessons."""


class FilterRow(Out):
    filter: str
    slug: str
    cases: int


class NextCheckRow(Out):
    check: str
    separates: Texts
    gain: float


class ListedOut(Out):
    left_out: int | None = None
    """Rows that the limit allows and the budget does not; of a check, replays."""


class SearchOut(ListedOut):
    verdict: str
    count: int
    cases: tuple[FullHit, ...]
    near_misses_cut: int
    left_out_by_filters: int
    next_cursor: str | None = None
    suggested_filters: tuple[FilterRow, ...]
    did_you_mean: Texts
    next_checks: tuple[NextCheckRow, ...]
    data_version: str


class ListOut(ListedOut):
    count: int
    cases: tuple[Row, ...]
    facets: Facets
    undated_excluded: int
    next_cursor: str | None = None
    data_version: str


class RelatedRow(Out):
    kind: str
    slug: str
    count: int
    cases: Texts


class ExampleRow(Out):
    id: str
    why: str
    instead: Annotated[str | None, BeforeValidator(lambda ref: ref and ref.slug)] = None
    """The value that a case carries which does not belong."""


class ExamplesRow(Out):
    belongs: ExampleRow | None = None
    does_not_belong: ExampleRow | None = None


class TopicOut(ListedOut):
    kind: str
    slug: str
    name: str
    definition: str | None = None
    examples: ExamplesRow | None = None
    no_case: str | None = None
    aliases: Texts
    broader: Slugs
    narrower: Slugs
    symptoms: str | None = None
    verdict: str | None = None
    count: int
    cases: tuple[Row, ...]
    near_misses_cut: int
    next_cursor: str | None = None
    related_terms: Annotated[tuple[RelatedRow, ...], BeforeValidator(lambda items: items[:MAX_RELATED])]
    checks: Ids
    no_check: str | None = None
    next_checks: tuple[NextCheckRow, ...]
    page: str
    data_version: str


class MatchRow(Out):
    kind: str
    slug: str
    name_en: str
    name_ko: str
    definition: str | None = None
    aliases: Texts
    similarity: float | None = None
    why: Whys
    cases: int
    page: str


class VocabOut(ListedOut):
    verdict: str | None = None
    count: int
    matches: tuple[MatchRow, ...]
    near_misses_cut: int
    did_you_mean: Texts
    next_cursor: str | None = None
    data_version: str


class CheckRow(Out):
    id: str
    title: str
    kind: str
    severity: str
    status: str
    catches: Texts
    cases: Texts
    page: str


class CheckListOut(ListedOut):
    count: int
    checks: tuple[CheckRow, ...]
    next_cursor: str | None = None
    data_version: str


class KeyRow(Out):
    kind: str
    value: str
    text: str
    cases: Texts


class EvidenceOut(ListedOut):
    verdict: str
    keys: tuple[KeyRow, ...]
    count: int
    cases: tuple[Hit, ...]
    checks: Ids
    characters_used: int
    characters_given: int
    data_version: str


def schema(model: type[Out]) -> JsonSchema:
    """The published output schema: no titles, references, descriptions or defaults."""
    bare: JsonSchema = _bare(flat(model))
    return bare


def _bare(node: Any) -> Any:
    if isinstance(node, list):
        return [_bare(item) for item in node]
    if not isinstance(node, dict):
        return node
    out: JsonSchema = {}
    for key, value in node.items():
        if key == "properties":
            out[key] = {name: _bare(item) for name, item in value.items()}
        elif key not in ("default", "description"):
            out[key] = _bare(value)
    return out
