"""What every HTTP answer gets, as plain ASGI: headers, CORS, a size limit, crash handling, the access log.

Order, outermost first: `Log`, `Headers`, `Cors`, `Meter` and `Representation` (modules of their own), `Guard`, `Limit`.
"""

import logging
import time
from collections.abc import Callable
from urllib.parse import quote

from fastapi import Request
from starlette.datastructures import Headers as HeaderView
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.api.metrics import Metrics

MAX_BODY = 1_000_000
#: In the log and the counters: the client went away before there was an answer.
CLIENT_LEFT = 499
access = logging.getLogger("kb.access")

SAFETY = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
REQUEST_HEADERS = "Accept, Content-Type, If-None-Match, If-Range, Range, Mcp-Method, Mcp-Name, Mcp-Protocol-Version"
EXPOSED = (
    "Accept-Ranges, Content-Range, ETag, Last-Modified, Link, Location, RateLimit, RateLimit-Policy, Retry-After, "
    "X-Data-Version, X-Schema-Version"
)


class Log:
    """One line a request in `kb.access`, without the query, which may hold a pasted log; and the counters."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        method, status = scope["method"], CLIENT_LEFT

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except Exception:
            status = 500
            raise
        finally:
            seconds = time.perf_counter() - started
            self.metrics.count(method, getattr(scope.get("route"), "path", "(none)"), status, seconds)
            access.info("%s %s %d %.0f ms", method, quote(scope["path"]), status, seconds * 1000)


class Headers:
    """Headers that are the same on every answer; one that the answer already has is left alone."""

    def __init__(self, app: ASGIApp, schema_version: str) -> None:
        self.app = app
        self.fixed = {**SAFETY, "X-Schema-Version": schema_version}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.fixed.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, add)


class Cors:
    """Open to every page for reading, said on every answer; the MCP endpoint only to the origins it is told to answer.

    Said whether or not the request names an origin, so that a cache may give one answer to everybody.
    """

    def __init__(self, app: ASGIApp, mcp_path: str, mcp_origins: tuple[str, ...]) -> None:
        self.app = app
        self.mcp_path = mcp_path
        self.mcp_origins = mcp_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = HeaderView(scope=scope)
        guarded = scope["path"].startswith(self.mcp_path)
        allowed = self._allowed(guarded, asked.get("origin"))
        if allowed and scope["method"] == "OPTIONS" and "access-control-request-method" in asked:
            await Response(status_code=204, headers=_preflight(allowed))(scope, receive, send)
            return

        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if allowed:
                    headers["Access-Control-Allow-Origin"] = allowed
                    headers["Access-Control-Expose-Headers"] = EXPOSED
                if guarded:
                    headers.add_vary_header("Origin")
            await send(message)

        await self.app(scope, receive, add)

    def _allowed(self, guarded: bool, origin: str | None) -> str | None:
        if not guarded:
            return "*"
        return origin if origin in self.mcp_origins else None


class Limit:
    """Refuses a body of more than `MAX_BODY` bytes, declared or counted."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = HeaderView(scope=scope).get("content-length", "")
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MAX_BODY:
                raise _too_large()
            return message

        if declared.isdigit() and int(declared) > MAX_BODY:
            raise _too_large()
        await self.app(scope, counted, send)


class Guard:
    """Turns whatever escapes into an error document; inside the others, so that it gets their headers."""

    def __init__(self, app: ASGIApp, answer: Callable[[Request, Exception], Response]) -> None:
        self.app = app
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def watch(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except ClientDisconnect:
            return  # nobody is there to be answered, and nothing is wrong here
        except Exception as error:
            if begun or scope["type"] != "http":
                raise
            await self.answer(Request(scope, receive), error)(scope, receive, send)


def _too_large() -> HTTPException:
    return HTTPException(413, "The body is too large; at most 1 MB is taken. Send the part that shows the failure.")


def _preflight(origin: str) -> dict[str, str]:
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": "GET, HEAD, POST",
        "Access-Control-Allow-Headers": REQUEST_HEADERS,
        "Access-Control-Max-Age": "86400",
        "Vary": "Origin",
    }
