"""A report on the user's machine as a tool result that keeps within the budget."""

import json

from mcp_types import CallToolResult, TextContent

from kb.mcp_server.results import size
from kb.parameters import JsonSchema

#: Characters of the text, which says in words what the lists hold.
MAX_TEXT = 8_000


def report_result(text: str, report: JsonSchema, budget: int, whole: str) -> CallToolResult:
    """Both faces of a report. Where they do not fit, the text ends at a line and the longest lists are halved.

    whole: where all of it is to be had.
    """
    shown = text if len(text) <= MAX_TEXT else text[:MAX_TEXT].rpartition("\n")[0]
    cut = ["the text"] if shown != text else []
    kept = dict(report)
    made = _made(shown, kept, cut, whole)
    while size(made) > budget and (name := _longest(kept)):
        kept[name] = kept[name][: len(kept[name]) // 2]
        cut = list(dict.fromkeys((*cut, name)))
        made = _made(shown, kept, cut, whole)
    return made


def _longest(report: JsonSchema) -> str:
    """The list that takes most room; empty where none holds anything."""
    lists = {name: value for name, value in report.items() if isinstance(value, list) and value}
    return max(lists, key=lambda name: len(json.dumps(lists[name])), default="")


def _made(text: str, report: JsonSchema, cut: list[str], whole: str) -> CallToolResult:
    if cut:
        text += f"\nLeft out to keep within the budget: parts of {', '.join(cut)}; {whole}."
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=report)
