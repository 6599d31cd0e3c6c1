"""A whole case as Markdown, for the resource that stands behind the short tool answer."""

from collections.abc import Iterator

from kb.answers import IncidentAnswer
from kb.mcp_server.markdown import tell


def whole_case(answer: IncidentAnswer, base_url: str) -> str:
    """The short form, then everything else that the case states."""
    return tell(answer, base_url) + "\n" + "\n".join(_rest(answer)) + "\n"


def _rest(answer: IncidentAnswer) -> Iterator[str]:
    yield "## Terms"
    yield from (f"- {term.kind}/{term.slug}: {term.name}" for term in answer.terms)
    facts = {
        "Severity": answer.severity,
        "Scope": answer.impact.scope,
        "Users": answer.impact.users,
        "Regions": answer.impact.regions,
        "Time to detect": answer.time_to_detect and answer.time_to_detect.value,
        "Time to recover": answer.time_to_recover and answer.time_to_recover.value,
    }
    stated = {name: value for name, value in facts.items() if value}
    if stated:
        yield "## Impact"
        yield from (f"- {name}: {value}" for name, value in stated.items())
    if answer.timeline:
        yield "## Timeline"
        yield from (f"> - {item.at or '(no time)'} {item.text}" for item in answer.timeline)
    if answer.follow_ups:
        yield "## Follow-ups"
        yield from (f"> - {text}" for text in answer.follow_ups)
    if answer.evidence:
        yield "## Evidence"
        yield from (f"- `{text}`" for text in answer.evidence)
    if answer.claims:
        yield "## Figures"
        yield from (f"- {c.value}: {c.text} ({c.source}, {c.where}; {c.basis})" for c in answer.claims)
    yield from (f"- Archived copy of {s.id}: {s.archived}" for s in answer.sources if s.archived)
    yield from (f"- {relation.kind}: {relation.id} {relation.title or ''}" for relation in answer.relations)
    note = f" {answer.review.note}" if answer.review.note else ""
    yield f"Data version {answer.data_version}; reviewed {answer.review.on}.{note}"
