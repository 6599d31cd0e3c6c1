"""From the raw arguments of each operation to its answer, and from the answer to its page for people."""

from typing import Any

from kb import links
from kb.answers import AnswerModel, HolesAnswer
from kb.api.alertmanager import BASE, BODY, MatchAlerts, match_alerts
from kb.api.arguments import Raw
from kb.api.batch import Batch, get_batch
from kb.errors import NotFound, UnknownValue
from kb.library import Library
from kb.model import Lang
from kb.questions import (
    Changes,
    GetCheck,
    GetIncident,
    GetTopic,
    Holes,
    ListChecks,
    ListIncidents,
    MatchEvidence,
    SearchIncidents,
    Vocab,
    ask,
)


def search(library: Library, raw: Raw) -> AnswerModel:
    return library.search_incidents(ask(SearchIncidents, raw))


def get(library: Library, raw: Raw) -> AnswerModel:
    return library.get_incident(ask(GetIncident, {**raw, "id": raw["id"].upper()}))


def batch(library: Library, raw: Raw) -> AnswerModel:
    return get_batch(library, ask(Batch, raw))


def list(library: Library, raw: Raw) -> AnswerModel:
    return library.list_incidents(ask(ListIncidents, raw))


def topic(library: Library, raw: Raw) -> AnswerModel:
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


def vocab(library: Library, raw: Raw) -> AnswerModel:
    return library.vocab(ask(Vocab, raw))


def checks(library: Library, raw: Raw) -> AnswerModel:
    return library.list_checks(ask(ListChecks, raw))


def check(library: Library, raw: Raw) -> AnswerModel:
    rest = {name: value for name, value in raw.items() if name not in ("family", "name")}
    return library.get_check(ask(GetCheck, {**rest, "id": f"{raw['family']}/{raw['name']}".lower()}))


def holes(library: Library, raw: Raw) -> AnswerModel:
    return library.holes(ask(Holes, raw))


def evidence(library: Library, raw: Raw) -> AnswerModel:
    return library.match_evidence(ask(MatchEvidence, raw))


def alerts(library: Library, raw: Raw) -> AnswerModel:
    rest = {name: value for name, value in raw.items() if name not in (BODY, BASE)}
    return match_alerts(library, ask(MatchAlerts, rest), raw[BODY], str(raw[BASE]))


def changes(library: Library, raw: Raw) -> AnswerModel:
    return library.changes(ask(Changes, raw))


def exports(library: Library, raw: Raw) -> AnswerModel:  # noqa: ARG001  every call has this shape
    return library.exports()


def status(library: Library, raw: Raw) -> AnswerModel:  # noqa: ARG001  every call has this shape
    return library.status()


def library_page(answer: Any) -> str:
    return links.library(getattr(answer, "lang", Lang.en))


def own_page(answer: Any) -> str:
    page: str = answer.page
    return page


def holes_page(answer: HolesAnswer) -> str:
    return links.holes(answer.lang)


def checks_page(_answer: Any) -> str:
    return links.checks(Lang.en)
