"""kb search, show, list, topic, vocab, evidence, checks: the questions of the library."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from pydantic import BaseModel

from kb.checks.card import CheckStatus, SourceName
from kb.cli import rendering
from kb.cli.opening import console, open_library
from kb.cli.options import one_of
from kb.errors import InvalidValue
from kb.library import Library
from kb.library.trimming import SECTIONS
from kb.model import Domain, Kind, Lang
from kb.questions import (
    Detail,
    GetCheck,
    GetIncident,
    GetTopic,
    ListChecks,
    ListIncidents,
    MatchEvidence,
    Question,
    SearchIncidents,
    Sort,
    Vocab,
    ask,
)
from kb.settings import Settings

Q = TypeVar("Q", bound=Question)
A = TypeVar("A", bound=BaseModel)
Given = str | None

RootCause = Annotated[Given, typer.Option(help="Only cases with this root cause (slug).")]
Component = Annotated[Given, typer.Option(help="Only cases with this component (slug).")]
Symptom = Annotated[Given, typer.Option(help="Only cases with this symptom (slug).")]
Factor = Annotated[Given, typer.Option(help="Only cases with this contributing factor (slug).")]
Org = Annotated[Given, typer.Option(help="Only cases of this organisation (slug).")]
DomainOption = Annotated[Given, typer.Option(help=f"Only this field: {one_of(Domain)}")]
LangOption = Annotated[Given, typer.Option(help=f"Language of the answer: {one_of(Lang)}")]
DetailOption = Annotated[Given, typer.Option(help=f"How much of each case: {one_of(Detail)}")]
Limit = Annotated[Given, typer.Option(help="How many at most.")]
CursorOption = Annotated[Given, typer.Option(help="next_cursor of the page before.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]


def register(app: typer.Typer) -> None:
    for name, command in (
        ("search", search),
        ("show", show),
        ("list", list_),
        ("topic", topic),
        ("vocab", vocab),
        ("evidence", evidence),
        ("checks", checks),
    ):
        app.command(name)(command)


def _answer(
    question: type[Q], arguments: Mapping[str, object], method: Callable[[Library, Q], A], as_json: bool
) -> A | None:
    """Judge the arguments before anything is opened; print JSON, or hand the answer back to be drawn."""
    asked = ask(question, arguments)
    answer = method(open_library(Settings()), asked)
    if as_json:
        typer.echo(answer.model_dump_json(indent=1))
        return None
    return answer


def search(
    symptoms: Annotated[list[str], typer.Argument(help="What you see, as a sentence; `-` reads standard input.")],
    root_cause: RootCause = None,
    component: Component = None,
    symptom: Symptom = None,
    factor: Factor = None,
    org: Org = None,
    domain: DomainOption = None,
    limit: Limit = None,
    cursor: CursorOption = None,
    detail: DetailOption = None,
    lang: LangOption = None,
    as_json: AsJson = False,
) -> None:
    """Find cases by what you see, in Korean or English. Says so when nothing like it is known."""
    text = sys.stdin.read() if symptoms == ["-"] else " ".join(symptoms)
    given = {
        "symptoms": text, "root_cause": root_cause, "component": component, "symptom": symptom, "factor": factor,
        "org": org, "domain": domain, "limit": limit, "cursor": cursor, "detail": detail, "lang": lang,
    }  # fmt: skip
    if (answer := _answer(SearchIncidents, given, Library.search_incidents, as_json)) is not None:
        rendering.search(console(), answer)


def show(
    id: Annotated[str, typer.Argument(help="Case id, IL-0477.")],
    sections: Annotated[Given, typer.Option(help=f"Comma-separated, any of {one_of(SECTIONS)}")] = None,
    budget: Annotated[Given, typer.Option(help="Size of the answer in characters.")] = None,
    lang: LangOption = None,
    as_json: AsJson = False,
) -> None:
    """Show one case with everything its sources say."""
    given = {"id": id.upper(), "sections": sections, "budget": budget, "lang": lang}
    if (answer := _answer(GetIncident, given, Library.get_incident, as_json)) is not None:
        rendering.incident(console(), answer)


def list_(
    root_cause: RootCause = None,
    component: Component = None,
    symptom: Symptom = None,
    factor: Factor = None,
    org: Org = None,
    domain: DomainOption = None,
    since: Annotated[Given, typer.Option(help="From this year, month or day on: 2024, 2024-05, 2024-05-31.")] = None,
    until: Annotated[Given, typer.Option(help="Up to and including this year, month or day.")] = None,
    sort: Annotated[Given, typer.Option(help=f"Order: {one_of(Sort)}")] = None,
    limit: Limit = None,
    cursor: CursorOption = None,
    detail: DetailOption = None,
    lang: LangOption = None,
    as_json: AsJson = False,
) -> None:
    """List the cases that carry all the filters given, newest first."""
    given = {
        "root_cause": root_cause, "component": component, "symptom": symptom, "factor": factor, "org": org,
        "domain": domain, "since": since, "until": until, "sort": sort, "limit": limit, "cursor": cursor,
        "detail": detail, "lang": lang,
    }  # fmt: skip
    if (answer := _answer(ListIncidents, given, Library.list_incidents, as_json)) is not None:
        rendering.listing(console(), answer)


def topic(
    kind: Annotated[str, typer.Argument(help=f"Kind of the value: {one_of(Kind)}")],
    slug: Annotated[str, typer.Argument(help="Slug of the value; `kb vocab` finds it.")],
    symptoms: Annotated[Given, typer.Option(help="Keep only the cases that this sentence finds.")] = None,
    limit: Limit = None,
    cursor: CursorOption = None,
    lang: LangOption = None,
    as_json: AsJson = False,
) -> None:
    """One vocabulary value: its meaning, its cases, what occurs with it, and the checks that catch it."""
    given = {"kind": kind, "slug": slug, "symptoms": symptoms, "limit": limit, "cursor": cursor, "lang": lang}
    if (answer := _answer(GetTopic, given, Library.get_topic, as_json)) is not None:
        rendering.topic(console(), answer)


def vocab(
    query: Annotated[list[str] | None, typer.Argument(help="A few words; without them every value is listed.")] = None,
    kind: Annotated[Given, typer.Option(help=f"Only values of this kind: {one_of(Kind)}")] = None,
    limit: Limit = None,
    cursor: CursorOption = None,
    lang: LangOption = None,
    as_json: AsJson = False,
) -> None:
    """Find vocabulary values by what they mean."""
    given = {"query": " ".join(query or ()), "kind": kind, "limit": limit, "cursor": cursor, "lang": lang}
    if (answer := _answer(Vocab, given, Library.vocab, as_json)) is not None:
        rendering.vocabulary(console(), answer)


def evidence(
    file: Annotated[str, typer.Argument(help="A file with pasted output, or `-` for standard input.")] = "-",
    limit: Limit = None,
    lang: LangOption = None,
    as_json: AsJson = False,
) -> None:
    """Find cases that show the same exact codes and error strings; nothing leaves this machine."""
    given = {"text": _read(file), "limit": limit, "lang": lang}
    if (answer := _answer(MatchEvidence, given, Library.match_evidence, as_json)) is not None:
        rendering.evidence(console(), answer)


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        return Path(file).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise InvalidValue(f"`{file}` cannot be read: {error.strerror}.", field="file") from error


def checks(
    id: Annotated[Given, typer.Argument(help="A check id such as gpu/xid_fatal_counted, to show it whole.")] = None,
    kind: Annotated[Given, typer.Option(help=f"Only checks that read this: {one_of(SourceName)}")] = None,
    status: Annotated[Given, typer.Option(help=f"Only checks with this proof: {one_of(CheckStatus)}")] = None,
    case: Annotated[Given, typer.Option(help="Only checks that catch this case.")] = None,
    component: Component = None,
    limit: Annotated[Given, typer.Option(help="Checks a page; all of them by default.")] = None,
    cursor: CursorOption = None,
    lang: LangOption = None,
    as_json: AsJson = False,
) -> None:
    """List the checks, or show one with its rule, knobs and replays."""
    if id:
        if (one := _answer(GetCheck, {"id": id, "lang": lang}, Library.get_check, as_json)) is not None:
            rendering.check(console(), one)
        return
    given = {"kind": kind, "status": status, "case": case, "component": component, "lang": lang}
    question = ask(ListChecks, {**given, "limit": limit, "cursor": cursor})
    library = open_library(Settings())
    answer = library.list_checks(question) if limit or cursor else None
    found = answer.checks if answer else library.every_check(question)
    if as_json:
        rendering.checks_json(found)
    else:
        rendering.checks(console(), found)
    if answer and answer.next_cursor:
        # A list of checks is what programs rely on; where it goes on stands beside it.
        typer.echo(f"next: --cursor {answer.next_cursor}", err=True)
