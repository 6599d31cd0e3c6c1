"""Servers in processes of their own on loopback, and callers that keep their connections."""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from tests.bench.timing import Call, Times, at_once

STARTED_WITHIN = 60.0
ROOT = Path(__file__).resolve().parent.parent.parent


@contextmanager
def served(command: Sequence[str], path: str, environment: Mapping[str, str] | None = None) -> Iterator[int]:
    """The port of a started server that has answered `path` once. `{port}` in `command` stands for it."""
    with started(command, path, environment) as (port, _):
        yield port


@contextmanager
def started(
    command: Sequence[str], path: str, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[int, int]]:
    """The same with the number of its process."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    process = subprocess.Popen(
        [sys.executable, "-m", *(part.format(port=port) for part in command)],
        env=environment or os.environ,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(process, port, path)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(20)


def _wait(process: subprocess.Popen[bytes], port: int, path: str) -> None:
    until = time.monotonic() + STARTED_WITHIN
    while True:
        try:
            with closing(_connection(port)) as connection:
                fetch(connection, path)
        except OSError:
            assert process.poll() is None, f"the server ended with {process.returncode}"
            assert time.monotonic() < until, f"no answer within {STARTED_WITHIN:.0f} s"
            time.sleep(0.05)
        else:
            return


def fetch(connection: http.client.HTTPConnection, path: str) -> bytes:
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    assert response.status == 200, f"{response.status} for {path[:80]}: {body[:200]!r}"
    return body


def call(port: int, paths: Sequence[str], callers: int) -> Times:
    """`paths` shared out between so many callers, each on one connection."""
    with ExitStack() as open_ones:
        connections = [open_ones.enter_context(closing(_connection(port))) for _ in range(callers)]
        return at_once([[_fetching(c, path) for path in paths[i::callers]] for i, c in enumerate(connections)])


def _connection(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=STARTED_WITHIN)


def _fetching(connection: http.client.HTTPConnection, path: str) -> Call:
    return lambda: fetch(connection, path)
