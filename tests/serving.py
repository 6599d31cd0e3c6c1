"""A real server on a free port of this machine, for tests that go through a socket."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from kb.app import create_app
from kb.serving import options
from kb.settings import Settings


@contextmanager
def served(settings: Settings) -> Iterator[str]:
    """Address of a running server; it is stopped afterwards."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    server = uvicorn.Server(
        uvicorn.Config(create_app(settings), log_level="warning", lifespan="on", **options(settings))
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    ready = threading.Event()
    while not server.started and thread.is_alive():
        ready.wait(0.02)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
