"""Asking the person before something on their machine is looked at, in whichever way the client's protocol has.

Up to 2025-11-25 the server asks in the middle of the call; from 2026-07-28 on it answers that it needs a yes, and the
client calls again with it. A yes counts for the one question that was asked: other arguments, another question.
"""

import hashlib
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import is_version_at_least

IN_THE_ANSWER = "2026-07-28"
#: Nothing to fill in: the client shows the question, and yes or no.
FORM: dict[str, Any] = {"type": "object", "properties": {}}
CANNOT_ASK = (
    "Your consent is needed first, and this client cannot ask for it. To allow it without being asked, start the "
    "server with `kb mcp --checks --yes`; or run `kb check` yourself."
)
REFUSED = "The user did not agree; nothing was looked at. Do not try again unless the user asks for it."


async def consent(context: Context[Any, Any] | None, question: str, about: str = "") -> InputRequiredResult | None:
    """Nothing once the person has said yes to this question; else what to send back so that they are asked.

    about: all that the yes is bound to beside the question, where the question shows only the beginning of it.

    Raises:
        ToolError: the person said no, or cannot be asked.
    """
    if context is None or not _can_ask(context):
        raise ToolError(CANNOT_ASK)
    version = context.protocol_version
    if version is not None and is_version_at_least(version, IN_THE_ANSWER):
        return _from_the_answer(context, question, about)
    session = context.request_context.session
    answer = await session.elicit_form(question, FORM, related_request_id=context.request_id)
    _agreed(answer)
    return None


def _from_the_answer(context: Context[Any, Any], question: str, about: str) -> InputRequiredResult | None:
    key = "consent-" + hashlib.sha256(f"{question}\n{about}".encode()).hexdigest()[:12]
    answer = (context.input_responses or {}).get(key)
    if answer is None:
        params = ElicitRequestFormParams(message=question, requested_schema=FORM)
        return InputRequiredResult(input_requests={key: ElicitRequest(params=params)})
    _agreed(answer)
    return None


def _agreed(answer: object) -> None:
    if not isinstance(answer, ElicitResult) or answer.action != "accept":
        raise ToolError(REFUSED)


def _can_ask(context: Context[Any, Any]) -> bool:
    """Whether the client shows forms; `elicitation: {}` without a mode means that it does."""
    capabilities = context.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)
