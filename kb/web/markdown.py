"""A case as Markdown, for a ticket, a chat or an agent: every field, in the order of the page."""

from collections.abc import Iterable

from kb.answers import IncidentAnswer
from kb.model import Kind
from kb.web import dates
from kb.web.prose import excerpt
from kb.web.words import Words


def case_markdown(case: IncidentAnswer, url: str) -> str:
    """The whole case; what the report does not state is said to be not stated. `url` is the page for people."""
    t = Words(case.lang).plain
    blank = f"– {t('not_stated')}"
    when = case.date or blank
    head = [f"# {case.id}: {_line(case.title)}", "", f"{case.organisation.name} · {case.domain} · {when} · <{url}>", ""]
    if case.review.status == "provisional":
        head += [f"> {t('provisional_long')} {case.review.note or t('provisional_line')}", ""]
    facts = [
        ("severity", case.severity),
        ("scope", case.impact.scope),
        ("users", case.impact.users),
        ("regions", case.impact.regions),
        ("time_to_detect", dates.duration(case.time_to_detect.value, case.lang) if case.time_to_detect else None),
        ("time_to_recover", dates.duration(case.time_to_recover.value, case.lang) if case.time_to_recover else None),
    ]
    facts += [(kind.filter_name, _names(case, kind)) for kind in Kind if kind is not Kind.orgs]
    lines = [*head, case.summary, "", *(f"- {t(key)}: {value or blank}" for key, value in facts), ""]
    story = case.narrative
    for key in ("symptom", "cause", "trigger", "detection"):
        lines += [f"## {t(key)}", "", getattr(story, key) or blank, ""]
    for key, items in (("actions", case.actions), ("follow_ups", case.follow_ups)):
        lines += [f"## {t(key)}", "", *(_bullets(items) or [blank]), ""]
    lines += [f"## {t('lessons')}", "", story.lessons or blank, ""]
    return "\n".join([*lines, *_timeline(case), *_evidence(case), *_sources(case)]).rstrip() + "\n"


def ticket(case: IncidentAnswer, url: str) -> str:
    """A few lines for a ticket or a chat: what it was, why, and where to read on."""
    t = Words(case.lang).plain
    cause = excerpt(case.narrative.cause, case.lang) if case.narrative.cause else f"– {t('not_stated')}"
    heading = f"[{case.id}: {_line(case.title)}]({url})"
    return f"{heading}\n\n> {excerpt(case.summary, case.lang)}\n\n{t('cause')}: {cause}\n"


def _timeline(case: IncidentAnswer) -> list[str]:
    t = Words(case.lang).plain
    entries = [f"{dates.moment(e.at)}: {_line(e.text)}" if e.at else _line(e.text) for e in case.timeline]
    numbered = [f"{i}. {entry}" for i, entry in enumerate(entries, start=1)]
    return [f"## {t('timeline')}", "", *(numbered or [f"– {t('not_stated')}"]), ""]


def _evidence(case: IncidentAnswer) -> list[str]:
    t = Words(case.lang).plain
    checks = [f"`{check.id}` ({t(f'status_{check.status}')}): {_line(check.how)}" for check in case.checks]
    strings = [f"`{text}`" for text in case.evidence]
    unlinked = case.no_check or t("unlinked")
    return [
        *(f"## {t('caught')}", "", *(_bullets(checks) or [unlinked]), ""),
        *(f"## {t('strings')}", "", *(_bullets(strings) or [f"– {t('not_stated')}"]), ""),
    ]


def _sources(case: IncidentAnswer) -> list[str]:
    t = Words(case.lang).plain
    claims = [
        f"{number}. {claim.value}: {_line(claim.text)} ({claim.source}, {claim.where}; {t(claim.basis)})"
        for number, claim in enumerate(case.claims, start=1)
    ]
    sources = [
        f"{source.id}: [{_line(source.title)}]({source.url}), {source.publisher}, {t(f'source_{source.kind}')}, "
        f"{t(f'read_{source.read}')}" + (f", [{t('archived')}]({source.archived})" if source.archived else "")
        for source in case.sources
    ]
    similar = [f"{other.id}: {_line(other.title)} ({other.reason})" for other in case.similar_cases]
    return [
        *(f"## {t('figures')}", "", *(claims or [f"– {t('not_stated')}"]), ""),
        *(f"## {t('sources')}", "", *_bullets(sources), ""),
        *(f"## {t('similar')}", "", *(_bullets(similar) or [t("no_similar")]), ""),
        f"{t('data_version', version=case.data_version)}",
    ]


def _names(case: IncidentAnswer, kind: Kind) -> str:
    return ", ".join(f"{term.name} (`{term.slug}`)" for term in case.terms if term.kind is kind)


def _bullets(items: Iterable[str]) -> list[str]:
    return [f"- {item}" for item in items]


def _line(text: str) -> str:
    return " ".join(text.split())
