"""One query model a question, and the one place where arguments are judged.

Every face hands its raw arguments to `ask`; what it refuses is refused on every face in the same words.
`None` and `""` mean absent. Text is normalised to NFC, so decomposed Hangul finds what composed Hangul does.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from kb.argument_names import judge_names
from kb.checks.card import CheckStatus, SourceName
from kb.errors import InvalidValue
from kb.model import ID_PATTERN, Domain, Kind, Lang
from kb.refusals import refusal

MAX_SYMPTOMS = 2000
FILTER_NAMES = ("root_cause", "component", "symptom", "factor", "org", "domain")


def _readable(text: str) -> str:
    """NFC, without control characters other than line breaks and tabs; never empty."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs") else " " for c in text)
    if not text.strip():
        raise ValueError("holds no readable character")
    return text.strip()


Sentence = Annotated[str, Field(min_length=1, max_length=MAX_SYMPTOMS), AfterValidator(_readable)]
SlugText = Annotated[str, Field(max_length=120)]
IdText = Annotated[str, Field(pattern=ID_PATTERN, max_length=24)]
Cursor = Annotated[str, Field(max_length=400)]
MomentText = Annotated[str, Field(pattern=r"^[1-9]\d{3}(-\d{2}(-\d{2})?)?$")]

SINCE_PATTERN = r"^[1-9]\d{3}(-\d{2}(-\d{2}(\.[0-9a-f]{7})?)?)?$"


#: Kinds that say what went wrong; an organisation says only where.
DIAGNOSIS_KINDS = tuple(kind for kind in Kind if kind is not Kind.orgs)


def _of_the_diagnosis(value: object) -> object:
    if value not in DIAGNOSIS_KINDS:
        # As the validator itself says of a value outside an enumeration, but with these values alone.
        raise PydanticCustomError("enum", "another value", {"expected": ", ".join(DIAGNOSIS_KINDS)})
    return value


DiagnosisKind = Annotated[Kind, BeforeValidator(_of_the_diagnosis)]


class Sort(StrEnum):
    newest = "newest"
    oldest = "oldest"
    id = "id"


class Detail(StrEnum):
    concise = "concise"
    full = "full"


class Question(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    example: ClassVar[str] = ""
    """How to ask, for whoever left out an argument that is needed."""
    mistaken: ClassVar[dict[str, str]] = {}
    """Another argument → what to say to whoever gave it in place of one that is needed."""

    lang: Lang = Lang.en
    """Language of the answer; text without a Korean form falls back to English and says so."""


class Filters(Question):
    """The six filters; all that are given must hold."""

    root_cause: SlugText | None = None
    component: SlugText | None = None
    symptom: SlugText | None = None
    factor: SlugText | None = None
    org: SlugText | None = None
    domain: Domain | None = None

    def given(self) -> dict[str, str]:
        """Filter name → value, only those given, in the fixed order."""
        pairs = ((name, getattr(self, name)) for name in FILTER_NAMES)
        return {name: str(value) for name, value in pairs if value is not None}


class SearchIncidents(Filters):
    example = "Describe what you see, for example `pods stuck in Pending`."
    mistaken = {"symptom": "`symptom` is a filter and takes a slug; what you see goes into `symptoms`."}

    symptoms: Sentence
    limit: int = Field(default=5, ge=1, le=20)
    cursor: Cursor | None = None
    detail: Detail = Detail.concise


class GetIncident(Question):
    example = "Give a case id such as IL-0477; search_incidents finds them."

    id: IdText
    sections: Annotated[str, Field(max_length=400)] | None = None
    """Comma-separated names of top-level fields."""
    budget: int | None = Field(default=None, ge=3000, le=100_000)
    """Size of the answer in characters of JSON; the emptiest form of a case takes about 2,300."""


class ListIncidents(Filters):
    since: MomentText | None = None
    until: MomentText | None = None
    sort: Sort = Sort.newest
    limit: int = Field(default=20, ge=1, le=100)
    cursor: Cursor | None = None
    detail: Detail = Detail.concise

    @model_validator(mode="after")
    def _in_order(self) -> "ListIncidents":
        for name in ("since", "until"):
            _real_date(name, getattr(self, name))
        if self.since and self.until and self.since[: len(self.until)] > self.until[: len(self.since)]:
            raise ValueError(f"`since` ({self.since}) is later than `until` ({self.until})")
        return self


def _real_date(name: str, text: str | None) -> None:
    """Raises ValueError for a month or day that no calendar has."""
    if text is None:
        return
    try:
        date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError as error:
        raise ValueError(f"`{name}`: `{text}` is not a date") from error


class GetTopic(Question):
    example = "Give a kind and a slug; vocab finds them."

    kind: Kind
    slug: SlugText
    symptoms: Sentence | None = None
    limit: int = Field(default=20, ge=1, le=100)
    cursor: Cursor | None = None


class Vocab(Question):
    query: Sentence | None = None
    kind: Kind | None = None
    limit: int = Field(default=8, ge=1, le=25)
    cursor: Cursor | None = None


class ListChecks(Question):
    kind: SourceName | None = None
    status: CheckStatus | None = None
    case: IdText | None = None
    component: SlugText | None = None
    limit: int = Field(default=100, ge=1, le=200)
    cursor: Cursor | None = None


class Changes(Question):
    since: Annotated[str, Field(pattern=SINCE_PATTERN)] | None = None
    """A day, month or year, or the data version of the copy; its day is included."""
    limit: int = Field(default=100, ge=1, le=1000)
    cursor: Cursor | None = None

    @model_validator(mode="after")
    def _real(self) -> "Changes":
        _real_date("since", self.since[:10] if self.since else None)
        return self


class Feed(Filters):
    limit: int = Field(default=50, ge=1, le=100)


class ScopedFeed(Question):
    """A feed whose filter stands in its address."""

    limit: int = Field(default=50, ge=1, le=100)


class GetCheck(Question):
    example = "Give a check id such as gpu/xid_fatal_counted; list_checks lists them."

    id: Annotated[str, Field(max_length=120)]


class Show(StrEnum):
    """Which rows of the map of holes."""

    all = "all"
    case_without_check = "case-without-check"
    check_without_case = "check-without-case"
    both_proven = "both-proven"


class Holes(Question):
    show: Show = Show.all
    kind: DiagnosisKind | None = None


class MatchEvidence(Question):
    example = "Paste the output that shows the failure."

    text: Annotated[str, Field(min_length=1, max_length=200_000), AfterValidator(_readable)]
    """Any pasted output: a kernel log, an NCCL error, `kubectl describe`."""
    limit: int = Field(default=5, ge=1, le=20)


#: Arguments that are somebody's own words; a number is none.
FREE_TEXT = ("symptoms", "query", "text")
#: Other names under which an argument is accepted, by question.
ALIASES: dict[type[Question], dict[str, str]] = {SearchIncidents: {"query": "symptoms", "q": "symptoms"}}

Asked = TypeVar("Asked", bound=Question)


def _as_text(value: Any) -> Any:
    """Programs send numbers as numbers, addresses as text; both mean the same: a limit of 5, the year 2024."""
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if isinstance(value, int) else value


def judge_names_of(
    question: type[Question], arguments: Mapping[str, Any], offered: Sequence[str] | None = None
) -> None:
    """Judge the names of raw arguments alone.

    offered: the arguments of the question that a face or an address takes, where it does not take all.

    Raises:
        UnknownArgument: a name that is not offered, with the nearest that is, and what is missing beside it.
        InvalidValue: an argument is missing.
    """
    names = tuple(question.model_fields) if offered is None else tuple(offered)
    aliases = ALIASES.get(question, {})
    present = {aliases.get(name, name) for name, value in arguments.items() if not _absent(value)}
    needed = [name for name in names if question.model_fields[name].is_required()]
    said = [text for name, text in question.mistaken.items() if name in present]
    judge_names(
        arguments,
        names,
        missing=[name for name in needed if name not in present],
        also=[other for other, name in aliases.items() if name in names],
        hint=" ".join((*said, question.example)).strip(),
    )


def _absent(value: Any) -> bool:
    return value is None or value == ""


def ask(question: type[Asked], arguments: Mapping[str, Any]) -> Asked:
    """Judge raw arguments: their names first, then their values.

    Raises:
        UnknownArgument, InvalidValue: as `judge_names_of`.
        UnknownValue: a value outside an enumeration.
        InvalidValue: too long, too large, of the wrong form.
    """
    judge_names_of(question, arguments)
    aliases = ALIASES.get(question, {})
    given: dict[str, Any] = {}
    for raw_name, value in arguments.items():
        name = aliases.get(raw_name, raw_name)
        if _absent(value):
            continue
        if name in given and given[name] != value:
            raise InvalidValue(f"`{name}` is given twice with different values.", field=name)
        if isinstance(value, bool):
            raise InvalidValue(f"`{name}` must be text or a whole number, not `{value}`.", field=name)
        given[name] = value if name in FREE_TEXT else _as_text(value)
    try:
        return question.model_validate(given)
    except ValidationError as error:
        raise refusal(error) from error
