"""An Alertmanager webhook → the cases that looked like it, and what to check next. Nothing of it is stored."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kb import links
from kb.answers import AnswerModel, CheckBrief, EvidenceAnswer, Hit, SearchAnswer, Verdict
from kb.checks.card import CheckStatus, alert_name
from kb.errors import InvalidValue
from kb.library import Library
from kb.model import Lang
from kb.questions import MAX_SYMPTOMS, ListChecks, MatchEvidence, Question, SearchIncidents, ask

#: The body of the request and the public address among the raw arguments; no query argument can have these names.
BODY, BASE = "(body)", "(base)"
#: A larger group does not fit the largest body, unless its alerts say next to nothing.
MAX_GROUP = 2000
MAX_ALERTS = 50
MAX_CHECKS = 5
MAX_TEXT = 100_000
#: Labels whose value says what is wrong; others only say where.
TELLING = ("reason", "phase", "condition", "error", "xid", "status")
ORDER = (Verdict.none, Verdict.weak, Verdict.strong)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class MatchAlerts(Question):
    limit: Annotated[int, Field(ge=1, le=10)] = Field(default=3, description="Cases at most.")


class Alert(BaseModel):
    """What is read of one alert; whatever else Alertmanager sends is ignored."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": True})

    status: str = "firing"
    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)


class Webhook(BaseModel):
    """The webhook of Alertmanager (version 4), as far as it is used."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": True})

    status: str = Field(default="firing", description="`firing` or `resolved`, of the whole group.")
    alerts: Annotated[tuple[Alert, ...], Field(min_length=1, max_length=MAX_GROUP)]


class AlertCheck(AnswerModel):
    id: str
    title: str
    status: CheckStatus
    command: str
    page: str


class AlertsAnswer(AnswerModel):
    status: str
    alerts: int
    alerts_used: int
    """Of a large group the first fifty are read, and of one that fires only those that do."""
    text: str
    """The sentence that was searched for."""
    verdict: Verdict
    count: int
    cases: tuple[Hit, ...]
    checks: tuple[AlertCheck, ...]
    """Read-only checks to run next; first the one whose own rule fired."""
    message: str
    """The same in a few lines of Markdown, for a chat."""
    lang: Lang
    data_version: str


def match_alerts(library: Library, question: MatchAlerts, body: object, base_url: str) -> AlertsAnswer:
    """Raises InvalidValue: the body is not such a webhook."""
    webhook = _webhook(body)
    used = _read(webhook)
    sentence = _sentence(used)
    common = {"lang": question.lang, "limit": str(question.limit)}
    found = library.search_incidents(ask(SearchIncidents, {**common, "symptoms": sentence})) if sentence else None
    evidence = library.match_evidence(ask(MatchEvidence, {**common, "text": _everything(used)}))
    hits = _joined(found, evidence, question.limit)
    verdict = max((found.verdict if found else Verdict.none, evidence.verdict), key=ORDER.index)
    checks = _checks(library, used, hits, evidence, question.lang)
    return AlertsAnswer(
        status=webhook.status,
        alerts=len(webhook.alerts),
        alerts_used=len(used),
        text=sentence,
        verdict=verdict,
        count=len(hits),
        cases=hits,
        checks=checks,
        message=_message(verdict, hits, checks, base_url, question.lang),
        lang=question.lang,
        data_version=library.data_version,
    )


def _webhook(body: object) -> Webhook:
    try:
        return Webhook.model_validate(body)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"]) or "alerts"
        raise InvalidValue(
            f"The body is not a webhook of Alertmanager: `{place}` is missing or of another form.",
            field=place,
            next_step="Send Alertmanager's own body (version 4): an object with `alerts`, each with `labels`.",
        ) from error


def _read(webhook: Webhook) -> tuple[Alert, ...]:
    """The alerts that are searched for: of a group that fires, not those of it that are over."""
    firing = tuple(alert for alert in webhook.alerts if alert.status == "firing")
    return (firing if webhook.status == "firing" and firing else webhook.alerts)[:MAX_ALERTS]


def _sentence(alerts: tuple[Alert, ...]) -> str:
    """What the alerts say in words: their names taken apart, their annotations, and the labels that tell a reason."""
    parts: dict[str, None] = {}
    for alert in alerts:
        name = alert.labels.get("alertname", "")
        parts[_CAMEL.sub(" ", name)] = None
        for key in ("summary", "message", "description"):
            parts[" ".join(alert.annotations.get(key, "").split())] = None
        for key in TELLING:
            parts[alert.labels.get(key, "")] = None
    return ". ".join(part.rstrip(".") for part in parts if part.strip())[:MAX_SYMPTOMS].strip()


def _everything(alerts: tuple[Alert, ...]) -> str:
    """All labels and annotations, for exact codes."""
    lines = [f"{name}: {value}" for alert in alerts for name, value in {**alert.labels, **alert.annotations}.items()]
    return "\n".join(dict.fromkeys(lines))[:MAX_TEXT].strip() or "(nothing)"


def _joined(found: SearchAnswer | None, evidence: EvidenceAnswer, limit: int) -> tuple[Hit, ...]:
    """Both lists as one, each case once with its better score."""
    best: dict[str, Hit] = {}
    for hit in (*(found.cases if found else ()), *evidence.cases):
        if hit.id not in best or hit.score > best[hit.id].score:
            best[hit.id] = hit
    return tuple(sorted(best.values(), key=lambda hit: (-hit.score, hit.id))[:limit])


def _checks(
    library: Library, alerts: tuple[Alert, ...], hits: tuple[Hit, ...], evidence: EvidenceAnswer, lang: Lang
) -> tuple[AlertCheck, ...]:
    known = {check.id: check for check in library.every_check(ask(ListChecks, {"lang": lang}))}
    by_alert = {alert_name(check_id): check_id for check_id in known}
    fired = [by_alert.get(alert.labels.get("alertname", "")) for alert in alerts]
    wanted = [*filter(None, fired), *(link.id for hit in hits for link in hit.checks), *(c.id for c in evidence.checks)]
    return tuple(_check(known[i]) for i in list(dict.fromkeys(wanted))[:MAX_CHECKS] if i in known)


def _check(check: CheckBrief) -> AlertCheck:
    return AlertCheck(
        id=check.id,
        title=check.title,
        status=check.status,
        command=f"kb check --check {check.id}",
        page=check.page,
    )


def _message(verdict: Verdict, hits: tuple[Hit, ...], checks: tuple[AlertCheck, ...], base_url: str, lang: Lang) -> str:
    words = _WORDS[lang]
    lines = [words[verdict]] if hits else [words[Verdict.none]]
    lines += [f"- [{hit.id}: {hit.title}]({links.absolute(base_url, hit.page)})" for hit in hits]
    if checks:
        lines += [words["next"], *(f"- {check.title}: `{check.command}`" for check in checks)]
    return "\n".join(lines)


_WORDS: dict[Lang, dict[Any, str]] = {
    Lang.en: {
        Verdict.strong: "This has happened before:",
        Verdict.weak: "Perhaps alike:",
        Verdict.none: "The Incident Library holds nothing like it.",
        "next": "Check next (read-only):",
    },
    Lang.ko: {
        Verdict.strong: "비슷한 장애가 있었습니다:",
        Verdict.weak: "비슷할 수 있는 사례:",
        Verdict.none: "비슷한 사례가 라이브러리에 없습니다.",
        "next": "다음으로 확인할 것(읽기 전용):",
    },
}
