"""How the application is run: uvicorn, told what to trust, what to log, and how to refuse what is not HTTP."""

import asyncio
import json
import socket
import sys
from http import HTTPStatus
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from kb.settings import Settings

#: uvicorn's own access log would hold the queries.
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"kb": {"level": "INFO"}},
}
NOT_ASCII = (
    "The first line is not valid HTTP, mostly because the address holds a space or a letter outside ASCII. "
    "Percent-encode it (curl -G --data-urlencode 'symptoms=...'), or POST the text as JSON to /api/v1/search."
)
TOO_LARGE = "The request line or the headers are too large; at most 64 kB are taken. POST long texts as JSON."
NOT_HTTP = "This is not a valid HTTP/1.1 request."


class Protocol(H11Protocol):
    """Answers what cannot be parsed, and so never reaches the application, as the application answers errors."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        send_at_once(transport)

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            # An answer has begun already; there is no second one on this connection.
            self.transport.close()
            return
        error = sys.exception()
        status = HTTPStatus(getattr(error, "error_status_hint", 400))
        body = _problem(status, str(error)).encode()
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"access-control-allow-origin", b"*"),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
        ]
        response = h11.Response(status_code=status, headers=headers, reason=status.phrase.encode())
        events = (response, h11.Data(data=body), h11.EndOfMessage())
        self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()


def send_at_once(transport: asyncio.BaseTransport) -> None:
    """Switch Nagle's algorithm off, or the end of each answer waits 40 ms for the other side to confirm its beginning.

    asyncio does so for connections to sockets that it made, not for those that several workers share.
    """
    connection = transport.get_extra_info("socket")
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _problem(status: HTTPStatus, error: str) -> str:
    low = error.lower()
    detail = TOO_LARGE if status == 431 else NOT_ASCII if "target" in low or "request line" in low else NOT_HTTP
    kind = "too-large" if status == 431 else "bad-request"
    body = {
        "type": f"/en/api#{kind}",
        "title": kind.replace("-", " ").capitalize(),
        "status": int(status),
        "detail": detail,
        "instance": "",
    }
    return json.dumps(body)


def options(settings: Settings) -> dict[str, Any]:
    """What every server of this application is given, whoever starts it."""
    return {
        "http": Protocol,
        "server_header": False,
        "access_log": False,
        "proxy_headers": bool(settings.trusted_proxies),
        "forwarded_allow_ips": settings.trusted_proxies,
    }


def run(settings: Settings, host: str, port: int, workers: int) -> None:
    """Serve until told to stop. The library has to be built."""
    uvicorn.run(
        "kb.app:create_default_app",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        log_config=LOGGING,
        **options(settings),
    )
