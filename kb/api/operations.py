"""The table of REST operations: address, question, answer, and the one `Library` call of each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kb import links
from kb.answers import (
    AnswerModel,
    ChangesAnswer,
    CheckAnswer,
    CheckListAnswer,
    EvidenceAnswer,
    ExportManifest,
    HolesAnswer,
    IncidentAnswer,
    ListAnswer,
    SearchAnswer,
    StatusAnswer,
    TopicAnswer,
    VocabAnswer,
)
from kb.api import calls
from kb.api.alertmanager import AlertsAnswer, MatchAlerts, Webhook
from kb.api.arguments import Raw
from kb.api.batch import Batch, BatchAnswer
from kb.library import Library
from kb.links import API
from kb.model import Lang
from kb.parameters import JsonSchema, flat
from kb.questions import (
    Changes,
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
)


@dataclass(frozen=True)
class Operation:
    """One address of the API.

    call: raw arguments to the answer.
    page: the path of the page for people, from the answer.
    canonical: the one address of this record, from the answer; other spellings are sent there.
    body: schema of a body that is not the question itself; the question then judges the query, and `call` finds the
        body under `alertmanager.BODY`.
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
    body: JsonSchema | None = None


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
        calls.search,
        calls.library_page,
        description=SEARCH_NOTE,
    ),
    Operation(
        "search_incidents_by_post",
        f"{API}/search",
        "The same with the arguments as JSON, for pasted logs",
        SearchIncidents,
        SearchAnswer,
        calls.search,
        calls.library_page,
        method="POST",
        description=SEARCH_NOTE,
    ),
    Operation(
        "list_incidents",
        f"{API}/incidents",
        "List cases by filters and dates",
        ListIncidents,
        ListAnswer,
        calls.list,
        calls.library_page,
        description="`count` is the total over all pages. Filters must all hold.",
    ),
    Operation(
        "get_incidents_batch",
        f"{API}/incidents:batch",
        "Get up to 50 cases by id",
        Batch,
        BatchAnswer,
        calls.batch,
        calls.library_page,
        method="POST",
    ),
    Operation(
        "get_incident",
        f"{API}/incidents/{{id}}",
        "Get one case",
        GetIncident,
        IncidentAnswer,
        calls.get,
        calls.own_page,
        lambda answer: links.api_incident(answer.id),
    ),
    Operation(
        "get_topic",
        f"{API}/topics/{{kind}}/{{slug}}",
        "Get one vocabulary value and its cases",
        GetTopic,
        TopicAnswer,
        calls.topic,
        calls.own_page,
        lambda answer: links.api_topic(answer.kind, answer.slug),
    ),
    Operation(
        "vocab",
        f"{API}/vocab",
        "Find vocabulary values, or list them all",
        Vocab,
        VocabAnswer,
        calls.vocab,
        calls.library_page,
    ),
    Operation(
        "list_checks",
        f"{API}/checks",
        "List the live checks",
        ListChecks,
        CheckListAnswer,
        calls.checks,
        calls.checks_page,
    ),
    Operation(
        "get_check",
        f"{API}/checks/{{family}}/{{name}}",
        "Get one check with its replays",
        GetCheck,
        CheckAnswer,
        calls.check,
        calls.own_page,
        lambda answer: links.api_check(answer.id),
    ),
    Operation(
        "list_holes",
        f"{API}/holes",
        "Map what cases show and no check sees, and the reverse",
        Holes,
        HolesAnswer,
        calls.holes,
        calls.holes_page,
    ),
    Operation(
        "match_evidence",
        f"{API}/match/evidence",
        "Match pasted output against cases and checks by exact keys",
        MatchEvidence,
        EvidenceAnswer,
        calls.evidence,
        calls.library_page,
        method="POST",
        description="Nothing of the text is stored.",
    ),
    Operation(
        "match_alertmanager",
        f"{API}/match/alertmanager",
        "Match a webhook of Alertmanager against cases, with what to check next",
        MatchAlerts,
        AlertsAnswer,
        calls.alerts,
        calls.library_page,
        method="POST",
        description="Takes the webhook as Alertmanager sends it, whatever else is in it; `message` is the answer in "
        "Markdown. Nothing of it is stored.",
        body=flat(Webhook),
    ),
    Operation(
        "list_changes",
        f"{API}/changes",
        "List what a copy of the library has to take anew or to drop",
        Changes,
        ChangesAnswer,
        calls.changes,
        calls.library_page,
        description="Newest first. A record that is no longer served is a removal with its reason. The day of `since` "
        "is included; equal digests need no fetch.",
    ),
    Operation(
        "list_exports",
        f"{API}/export",
        "List the files that hold the whole library",
        None,
        ExportManifest,
        calls.exports,
        calls.library_page,
        description="NDJSON, CSV, SQLite and a zip of the YAML files, whole and by domain, made with each build. "
        "Fetch one with If-None-Match rather than paging through lists.",
    ),
    Operation(
        "get_status",
        f"{API}/status",
        "Data version, counts and record states",
        None,
        StatusAnswer,
        calls.status,
        lambda _: links.about(Lang.en),
    ),
)
