"""What stands before the SDK over HTTP: who may ask, and whether what was sent is a message at all."""

import json

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp_types import INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.mcp_server.envelope import fault_of_text

#: Status of the SDK's refusal → ours, and its words.
REFUSED = {
    400: (415, "The body is no JSON by its Content-Type; send application/json."),
    403: (403, "This server answers no page of that origin. Whoever runs it names more in KB_ALLOWED_ORIGINS."),
    421: (421, "This server is not known by that host name. Whoever runs it names more in KB_ALLOWED_HOSTS."),
}


class Gate:
    """Refuses who may not ask by an `HTTPException`, hence in a problem document; what is no message, in JSON-RPC."""

    def __init__(self, app: ASGIApp, guard: TransportSecuritySettings) -> None:
        self.app = app
        self._guard = TransportSecurityMiddleware(guard)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        refused = await self._guard.validate_request(request, is_post=True)
        if refused is not None:
            status, said = REFUSED[refused.status_code]
            raise HTTPException(status, said)
        body = await request.body()
        version = request.headers.get("mcp-protocol-version")
        fault = fault_of_text(body, version)
        if fault is not None:
            # Up to 2025-11-25 a request whose params are wrong is answered, as any other is.
            answered = fault["error"]["code"] == INVALID_PARAMS and version not in MODERN_PROTOCOL_VERSIONS
            told = Response(json.dumps(fault), 200 if answered else 400, media_type="application/json")
            await told(scope, receive, send)
            return
        await self.app(scope, _again(body, receive), send)


def _again(body: bytes, receive: Receive) -> Receive:
    """The body once more, then whatever else comes."""
    told = False

    async def once() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once
