"""`Library`: the one object that answers. The faces parse, call one method, and render."""

from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar, cast

from kb.answers import (
    CaseBrief,
    ChangesAnswer,
    CheckAnswer,
    CheckBrief,
    CheckListAnswer,
    EvidenceAnswer,
    ExportFile,
    ExportManifest,
    FeedAnswer,
    HolesAnswer,
    IncidentAnswer,
    ListAnswer,
    ReplayAnswer,
    SearchAnswer,
    StatusAnswer,
    TopicAnswer,
    VocabAnswer,
)
from kb.library import cases, checks, exchange, holes, lists, search, topics, values
from kb.library.store import Store
from kb.model import SERVED, Domain, Kind, Lang
from kb.questions import (
    Changes,
    Feed,
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
from kb.vocabulary import Vocabulary, labels

SCHEMA_VERSION = "1"
MAX_COMPLETIONS = 100
#: Answers of each operation that are kept: some 20 kB each, never stale, since a build does not change.
KEPT_ANSWERS = 256

Asked = TypeVar("Asked", bound=Question)
Part = TypeVar("Part")
Answer = TypeVar("Answer")


def _keeping(
    operation: Callable[[Store, Asked, str], Answer], store: Store, data_version: str
) -> Callable[[Asked], Answer]:
    """`operation` over one build, that answers a question asked again from memory."""

    @lru_cache(maxsize=KEPT_ANSWERS)
    def answer(question: Asked) -> Answer:
        return operation(store, question, data_version)

    return answer


class Library:
    """An immutable view of one build; safe for concurrent callers.

    Every method takes a question that `kb.questions.ask` has judged and returns the answer model of that
    question. Errors: `UnknownValue` for a slug that does not exist, `NotFound` for an absent record,
    `BadCursor` for a cursor that does not belong here.
    """

    def __init__(self, store: Store, data_version: str) -> None:
        self._store = store
        self.data_version = data_version
        self._parts: dict[object, object] = {}
        self._search = _keeping(search.search_incidents, store, data_version)
        self._get = _keeping(cases.get_incident, store, data_version)
        self._list = _keeping(lists.list_incidents, store, data_version)
        self._topic = _keeping(topics.get_topic, store, data_version)
        self._feed = _keeping(exchange.feed, store, data_version)
        self._vocab = _keeping(values.vocab, store, data_version)
        self._holes = _keeping(holes.holes, store, data_version)
        self._outline = _keeping(lists.outline, store, data_version)
        self._checks = _keeping(checks.every_check, store, data_version)

    @property
    def last_modified(self) -> str:
        """The newest review day, `2026-11-29`."""
        return self.data_version.split(".", 1)[0]

    @property
    def vocabulary(self) -> Vocabulary:
        return self._store.vocabulary

    def part(self, make: Callable[["Library"], Part]) -> Part:
        """What `make` makes of this build: made when it is first asked for, kept as long as the build is.

        For what a face works out of the cases alone, whatever is asked. Two that ask at once may make two.
        """
        made = self._parts.get(make)
        if made is None:
            made = self._parts.setdefault(make, make(self))
        return cast(Part, made)

    def warm(self, *, meaning: bool, models: Path | None = None, now: bool = True) -> None:
        """Do now what the first question would otherwise wait for, or each part of it when it is first wanted.

        models: where the embedding model is kept.
        """
        self._store.warm(meaning=meaning, models=models, now=now)

    def close(self) -> None:
        self._store.close()

    def search_incidents(self, question: SearchIncidents) -> SearchAnswer:
        """Cases by what is seen, best first, with a verdict for the whole list and a reason for each."""
        return self._search(question)

    def get_incident(self, question: GetIncident) -> IncidentAnswer:
        """The whole case in one language."""
        return self._get(question)

    def list_incidents(self, question: ListIncidents) -> ListAnswer:
        """The cases that carry all the filters, with counts of every kind over the whole selection."""
        return self._list(question)

    def outline(self, question: ListIncidents | SearchIncidents) -> tuple[CaseBrief, ...]:
        """Every case that a list or a search finds, briefly, in order and without pages; for drawing."""
        return self._outline(question)

    def get_topic(self, question: GetTopic) -> TopicAnswer:
        """One vocabulary value or organisation with its cases, what occurs with it, and what catches it."""
        return self._topic(question)

    def vocab(self, question: Vocab) -> VocabAnswer:
        """Vocabulary values nearest to some words, or all of them."""
        return self._vocab(question)

    def list_checks(self, question: ListChecks) -> CheckListAnswer:
        """The checks, with how far each is proven and which cases it catches."""
        return checks.list_checks(self._store, question, self.data_version)

    def every_check(self, question: ListChecks) -> tuple[CheckBrief, ...]:
        """The same without pages, for a page or a table that shows them all."""
        return self._checks(question)

    def get_check(self, question: GetCheck) -> CheckAnswer:
        """One check: rule, needs, knobs with reasons, replays with what came of them."""
        return checks.get_check(self._store, question, self.data_version)

    def replay(self, check: str, name: str, lang: Lang) -> ReplayAnswer:
        """One replay of a check. Raises NotFound: no such check, or it has no such replay."""
        return checks.one_replay(self._store, check, name, lang)

    def holes(self, question: Holes) -> HolesAnswer:
        """Each value between the cases that carry it and the checks that catch them, the largest hole first."""
        return self._holes(question)

    def match_evidence(self, question: MatchEvidence) -> EvidenceAnswer:
        """Cases that show the same exact codes and error strings as a pasted text."""
        return search.match_evidence(self._store, question, self.data_version)

    def changes(self, question: Changes) -> ChangesAnswer:
        """What a copy made at `since` has to take anew or to drop, newest first."""
        return exchange.changes(self._store, question, self.data_version)

    def feed(self, question: Feed) -> FeedAnswer:
        """The public cases that came in or changed last."""
        return self._feed(question)

    def exports(self) -> ExportManifest:
        """The files of this build that can be fetched whole."""
        return self._store.exports

    def export(self, name: str) -> tuple[ExportFile, Path]:
        """One of them and where it lies; its packed form, if it has one, has `.gz` behind the path."""
        return exchange.export(self._store, name)

    def status(self) -> StatusAnswer:
        return self._status.model_copy(update={"meaning": self._store.meaning})

    @cached_property
    def _status(self) -> StatusAnswer:
        store = self._store
        statuses = [check.status for check in store.checks.values()]
        return StatusAnswer(
            data_version=self.data_version,
            schema_version=SCHEMA_VERSION,
            cases=len(store.cases),
            by_domain={str(domain): len(store.orders.by_domain[domain]) for domain in Domain},
            records=len(store.cases) + len(store.unserved),
            by_status=dict(sorted(store.by_status.items())),
            not_served={status: n for status, n in sorted(store.by_status.items()) if status not in SERVED},
            terms={str(kind): len(store.vocabulary.values[kind]) for kind in Kind},
            checks={str(status): statuses.count(status) for status in sorted(set(statuses))},
            meaning=store.meaning,
        )

    def complete(self, what: str, prefix: str) -> tuple[str, ...]:
        """Ids (`what` = `id`), checks (`check`) or slugs (a kind) that begin with `prefix`, or whose label in
        either language does; at most 100."""
        low = prefix.lower()
        if what == "id":
            found = [i for i in self._store.cases if i.lower().startswith(low)]
        elif what == "check":
            found = [i for i in self._store.checks if i.startswith(low) or i.split("/", 1)[1].startswith(low)]
        elif what in list(Kind):
            values = self.vocabulary.values[Kind(what)].values()
            found = [v.slug for v in values if any(label.lower().startswith(low) for label in labels(v))]
        else:
            found = []
        return tuple(sorted(found)[:MAX_COMPLETIONS])
