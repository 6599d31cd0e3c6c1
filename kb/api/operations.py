"""The table of REST operations: address, question, answer, and the one `Library` call of each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kb import links
from kb.answers import (
    AnswerModel,
    CheckAnswer,
    CheckListAnswer,
    EvidenceAnswer,
    HolesAnswer,
    IncidentAnswer,
    ListAnswer,
    SearchAnswer,
    StatusAnswer,
    TopicAnswer,
    VocabAnswer,
)
from kb.api.arguments import Raw
from kb.api.batch import Batch, BatchAnswer, get_batch
from kb.errors import NotFound, UnknownValue
from kb.library import Library
from kb.links import API
from kb.model import Lang
from kb.questions import (
    GetCheck,
    GetIncident,
    GetTopic,
    Holes,
    ListChecks,
    ListIncidents,
    MatchEvidence,
    Question,
    SearchIncidents,
    Vocab,
    ask,
)


@dataclass(frozen=True)
class Operation:
    """One address of the API.

    call: raw arguments to the answer.
    page: the path of the page for people, from the answer.
    canonical: the one address of this record, from the answer; other spellings are sent there.
    """

    name: str
    path: str
    summary: str
    question: type[Question] | None
    answer: type[AnswerModel]
    call: Callable[[Library, Raw], AnswerModel]
    page: Callable[[Any], str]
    canonical: Callable[[Any], str] | None = None
    method: str = "GET"
    description: str = ""


def _search(library: Library, raw: Raw) -> AnswerModel:
    return library.search_incidents(ask(SearchIncidents, raw))


def _get(library: Library, raw: Raw) -> AnswerModel:
    return library.get_incident(ask(GetIncident, {**raw, "id": raw["id"].upper()}))


def _batch(library: Library, raw: Raw) -> AnswerModel:
    return get_batch(library, ask(Batch, raw))


def _list(library: Library, raw: Raw) -> AnswerModel:
    return library.list_incidents(ask(ListIncidents, raw))


def _topic(library: Library, raw: Raw) -> AnswerModel:
    lower = {name: raw[name].lower() for name in ("kind", "slug")}
    try:
        return library.get_topic(ask(GetTopic, {**raw, **lower}))
    except UnknownValue as error:
        if error.field not in lower:
            raise
        raise NotFound(
            error.what,
            field=error.field,
            allowed=error.allowed,
            nearest=error.nearest,
            next_step=error.next_step,
        ) from error


def _vocab(library: Library, raw: Raw) -> AnswerModel:
    return library.vocab(ask(Vocab, raw))


def _checks(library: Library, raw: Raw) -> AnswerModel:
    return library.list_checks(ask(ListChecks, raw))


def _check(library: Library, raw: Raw) -> AnswerModel:
    rest = {name: value for name, value in raw.items() if name not in ("family", "name")}
    return library.get_check(ask(GetCheck, {**rest, "id": f"{raw['family']}/{raw['name']}".lower()}))


def _holes(library: Library, raw: Raw) -> AnswerModel:
    return library.holes(ask(Holes, raw))


def _evidence(library: Library, raw: Raw) -> AnswerModel:
    return library.match_evidence(ask(MatchEvidence, raw))


def _status(library: Library, raw: Raw) -> AnswerModel:  # noqa: ARG001  every call has this shape
    return library.status()


def _library_page(answer: Any) -> str:
    return links.library(getattr(answer, "lang", Lang.en))


def _own_page(answer: Any) -> str:
    page: str = answer.page
    return page


def _holes_page(answer: HolesAnswer) -> str:
    return links.holes(answer.lang)


def _checks_page(_answer: Any) -> str:
    return links.checks(Lang.en)


SEARCH_NOTE = (
    "`verdict` judges the whole list: `none` means that the library holds nothing like it. Scores are "
    "absolute. Filters must all hold. `query` is accepted as another name for `symptoms`."
)

OPERATIONS = (
    Operation(
        "search_incidents",
        f"{API}/search",
        "Find cases by what is seen",
        SearchIncidents,
        SearchAnswer,
        _search,
        _library_page,
        description=SEARCH_NOTE,
    ),
    Operation(
        "search_incidents_by_post",
        f"{API}/search",
        "The same with the arguments as JSON, for pasted logs",
        SearchIncidents,
        SearchAnswer,
        _search,
        _library_page,
        method="POST",
        description=SEARCH_NOTE,
    ),
    Operation(
        "list_incidents",
        f"{API}/incidents",
        "List cases by filters and dates",
        ListIncidents,
        ListAnswer,
        _list,
        _library_page,
        description="`count` is the total over all pages. Filters must all hold.",
    ),
    Operation(
        "get_incidents_batch",
        f"{API}/incidents:batch",
        "Get up to 50 cases by id",
        Batch,
        BatchAnswer,
        _batch,
        _library_page,
        method="POST",
    ),
    Operation(
        "get_incident",
        f"{API}/incidents/{{id}}",
        "Get one case",
        GetIncident,
        IncidentAnswer,
        _get,
        _own_page,
        lambda answer: links.api_incident(answer.id),
    ),
    Operation(
        "get_topic",
        f"{API}/topics/{{kind}}/{{slug}}",
        "Get one vocabulary value and its cases",
        GetTopic,
        TopicAnswer,
        _topic,
        _own_page,
        lambda answer: links.api_topic(answer.kind, answer.slug),
    ),
    Operation(
        "vocab",
        f"{API}/vocab",
        "Find vocabulary values, or list them all",
        Vocab,
        VocabAnswer,
        _vocab,
        _library_page,
    ),
    Operation(
        "list_checks",
        f"{API}/checks",
        "List the live checks",
        ListChecks,
        CheckListAnswer,
        _checks,
        _checks_page,
    ),
    Operation(
        "get_check",
        f"{API}/checks/{{family}}/{{name}}",
        "Get one check with its replays",
        GetCheck,
        CheckAnswer,
        _check,
        _own_page,
        lambda answer: links.api_check(answer.id),
    ),
    Operation(
        "list_holes",
        f"{API}/holes",
        "Map what cases show and no check sees, and the reverse",
        Holes,
        HolesAnswer,
        _holes,
        _holes_page,
    ),
    Operation(
        "match_evidence",
        f"{API}/match/evidence",
        "Match pasted output against cases and checks by exact keys",
        MatchEvidence,
        EvidenceAnswer,
        _evidence,
        _library_page,
        method="POST",
        description="Nothing of the text is stored.",
    ),
    Operation(
        "get_status",
        f"{API}/status",
        "Data version, counts and record states",
        None,
        StatusAnswer,
        _status,
        lambda _: links.about(Lang.en),
    ),
)
