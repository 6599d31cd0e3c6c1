"""A page of a list that keeps within the budget: fewer rows than the limit allows, and the cursor for the rest."""

from collections import Counter
from collections.abc import Callable

from mcp_types import CallToolResult

from kb.answers import (
    AnswerModel,
    CheckAnswer,
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
    """What a limit counts in this answer, of a check its replays; 0 where it is no list."""
    match answer:
        case SearchAnswer() | ListAnswer() | TopicAnswer() | EvidenceAnswer():
            return len(answer.cases)
        case CheckListAnswer():
            return len(answer.checks)
        case VocabAnswer():
            return len(answer.matches)
        case CheckAnswer():
            return len(answer.replays)
    return 0


def with_replays(answer: CheckAnswer, most: int) -> CheckAnswer:
    """The check with at most so many replays in their order, as many of each answer that one must give."""
    ranked = []
    of_answer = Counter[str]()
    for place, replay in enumerate(answer.replays):
        ranked.append((of_answer[replay.must], place))
        of_answer[replay.must] += 1
    kept = sorted(place for _, place in sorted(ranked)[:most])
    return answer.model_copy(update={"replays": tuple(answer.replays[place] for place in kept)})
