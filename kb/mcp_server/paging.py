"""A page of a list that keeps within the budget: fewer rows than the limit allows, and the cursor for the rest."""

from collections.abc import Callable

from mcp_types import CallToolResult

from kb.answers import (
    AnswerModel,
    CheckListAnswer,
    EvidenceAnswer,
    ListAnswer,
    SearchAnswer,
    TopicAnswer,
    VocabAnswer,
)
from kb.mcp_server.results import size

#: From a limit to the answer with at most so many rows.
Ask = Callable[[int], AnswerModel]
#: From an answer, and how many of the rows that were asked for it leaves out, to the result.
Make = Callable[[AnswerModel, int], CallToolResult]


def bounded(answer: AnswerModel, budget: int, ask: Ask, make: Make) -> CallToolResult:
    """`answer` as it is where its result takes at most `budget` characters, else with fewer rows, but always one.

    What stands beside the rows does not shrink, so each step takes off too little rather than too much.
    """
    asked = shown = rows(answer)
    made = make(answer, 0)
    while shown > 1 and (now := size(made)) > budget:
        shown = max(1, min(shown - 1, shown * budget // now))
        made = make(ask(shown), asked - shown)
    return made


def rows(answer: AnswerModel) -> int:
    """What a limit counts in this answer; 0 where it is no list."""
    match answer:
        case SearchAnswer() | ListAnswer() | TopicAnswer() | EvidenceAnswer():
            return len(answer.cases)
        case CheckListAnswer():
            return len(answer.checks)
        case VocabAnswer():
            return len(answer.matches)
    return 0
