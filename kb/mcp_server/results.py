"""One answer as a tool result: short Markdown, structured content, links to the whole of what it names."""

from mcp_types import CallToolResult, ContentBlock, ResourceLink, TextContent

from kb.answers import (
    AnswerModel,
    CheckAnswer,
    CheckListAnswer,
    EvidenceAnswer,
    IncidentAnswer,
    ListAnswer,
    SearchAnswer,
    TopicAnswer,
)
from kb.links import absolute_pages
from kb.mcp_server import resources
from kb.mcp_server.markdown import tell
from kb.mcp_server.outputs import Out

LINKED = 5


def result(answer: AnswerModel, output: type[Out], base_url: str, left_out: int = 0) -> CallToolResult:
    """left_out: rows that were asked for and that the budget has no room for."""
    content: list[ContentBlock] = [TextContent(type="text", text=tell(answer, base_url, left_out))]
    content += _links(answer)
    structured = absolute_pages(output.model_validate(answer).content(), base_url)
    if left_out:
        structured["left_out"] = left_out
    return CallToolResult(content=content, structured_content=structured)


def size(made: CallToolResult) -> int:
    """Characters of the whole result as JSON, both faces and the links: what a client may put before a model."""
    return len(made.model_dump_json(by_alias=True, exclude_none=True))


def _links(answer: AnswerModel) -> list[ResourceLink]:
    """Where to read on: the whole of each record that the answer names, the first few."""
    found: list[tuple[str, str]] = []
    match answer:
        case SearchAnswer() | ListAnswer() | EvidenceAnswer():
            found = [(resources.incident_uri(case.id), case.title) for case in answer.cases]
        case TopicAnswer():
            found = [(resources.topic_uri(answer.kind, answer.slug), answer.name)]
            found += [(resources.incident_uri(case.id), case.title) for case in answer.cases]
        case IncidentAnswer():
            found = [(resources.incident_uri(answer.id), answer.title)]
            found += [(resources.check_uri(link.id), link.title) for link in answer.checks]
        case CheckAnswer():
            found = [(resources.check_uri(answer.id), answer.title)]
            found += [
                (resources.incident_uri(case_id), answer.titles.get(case_id, case_id)) for case_id in answer.cases
            ]
        case CheckListAnswer():
            found = [(resources.check_uri(check.id), check.title) for check in answer.checks]
    return [
        ResourceLink(
            type="resource_link",
            uri=uri,
            name=uri.partition("://")[2],
            title=title,
            mime_type=resources.MARKDOWN,
        )
        for uri, title in found[:LINKED]
    ]
