"""What uvicorn is told beyond its defaults."""

import asyncio
import socket

import uvicorn
from uvicorn.server import ServerState

from kb.serving import Protocol


async def nothing(_scope: object, _receive: object, _send: object) -> None:
    """An application that is never asked."""


def test_an_answer_is_sent_at_once_whoever_made_the_socket() -> None:
    # As where workers share a socket: without a protocol number, so that asyncio leaves Nagle's algorithm on.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert not accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            config = uvicorn.Config(nothing, http=Protocol)
            config.load()
            loop = asyncio.new_event_loop()
            protocol = Protocol(config, ServerState(), {}, loop)
            protocol.connection_made(asyncio.Transport(extra={"socket": accepted}))
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            loop.close()
