"""What is no message is answered with what a message is, over both transports, and the next one is served."""

import json
from subprocess import PIPE, Popen
from typing import Any

import httpx
import pytest

from kb.library import Library
from kb.mcp_server.envelope import fault_of_text
from kb.mcp_server.http import PATH
from kb.settings import Settings
from tests.mcp_server.test_stdio import process

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def line(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", **members}).encode()


BROKEN: list[tuple[bytes, int, str]] = [
    (b"{", -32700, "send one JSON-RPC 2.0 object"),
    (b"\xff\xfe{}", -32700, "UTF-8"),
    (b"[" * 200_000, -32700, "Parse error"),
    (b"7", -32600, "no JSON-RPC 2.0 message"),
    (b"null", -32600, "no JSON-RPC 2.0 message"),
    (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600, "no JSON-RPC 2.0 message"),
    (b'{"jsonrpc": "2.0", "id": 1}', -32600, "no JSON-RPC 2.0 message"),
    (b"[]", -32600, "Batches are not taken"),
    (json.dumps([PING] * 10_000).encode(), -32600, "Batches are not taken"),
    (line(params={}), -32602, "tools/call needs `name`: the name of a tool"),
    (line(params={"name": "vocab", "arguments": [1]}), -32602, "`arguments` must be an object"),
    (
        line(method="prompts/get", params={"name": "x", "arguments": {"symptoms": 1}}),
        -32602,
        "must be text",
    ),
    (line(method="resources/read", params={}), -32602, "needs `uri`: the address of a resource"),
    (line(method="tools/list", params=[1]), -32602, "`params` must be an object"),
]
ODD_IDS = (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}')


@pytest.mark.parametrize(("text", "code", "said"), BROKEN, ids=lambda part: str(part)[:30])
def test_over_http_the_error_is_ours_and_no_validators(address: str, text: bytes, code: int, said: str) -> None:
    headers = {"Content-Type": "application/json", "MCP-Protocol-Version": "2025-11-25"}
    answer = httpx.post(f"{address}{PATH}", content=text, headers=headers, timeout=30)

    told = answer.json()
    assert (answer.status_code, told["error"]["code"]) == (200 if code == -32602 else 400, code)
    assert said in told["error"]["message"]
    assert told["id"] == (7 if code == -32602 else 1 if b'"id": 1}' in text else None)
    assert len(answer.text) < 300


@pytest.mark.parametrize("text", ODD_IDS)
def test_a_request_with_an_odd_id_is_no_notification(address: str, text: bytes) -> None:
    answer = httpx.post(f"{address}{PATH}", content=text, headers={"Content-Type": "application/json"}, timeout=30)

    assert (answer.status_code, answer.json()["error"]["message"]) == (400, "`id` must be text or a whole number.")


def test_an_unknown_version_is_answered_with_those_that_are_known(address: str) -> None:
    headers = {"Content-Type": "application/json", "MCP-Protocol-Version": "1999-01-01"}
    answer = httpx.post(f"{address}{PATH}", json=PING, headers=headers, timeout=30)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["data"]["requested"]) == (400, -32022, "1999-01-01")
    assert {"2025-11-25", "2026-07-28"} <= set(error["data"]["supported"])


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Host": "evil.example"}, 421, "KB_ALLOWED_HOSTS"),
        ({"Origin": "https://evil.example"}, 403, "KB_ALLOWED_ORIGINS"),
        ({"Origin": "null"}, 403, "KB_ALLOWED_ORIGINS"),
        ({"Content-Type": "text/plain"}, 415, "application/json"),
    ],
)
def test_who_may_not_ask_is_told_why_in_a_problem_document(
    address: str, headers: dict[str, str], status: int, said: str
) -> None:
    answer = httpx.post(f"{address}{PATH}", json=PING, headers=headers, timeout=30)

    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert said in answer.json()["detail"]


@pytest.mark.parametrize("message", [PING, {"jsonrpc": "2.0", "id": "a", "result": {}}, {**PING, "id": 0}])
def test_a_message_is_let_through(message: dict[str, Any]) -> None:
    assert fault_of_text(json.dumps(message), "2025-11-25") is None


def test_over_pipes_each_broken_line_is_answered_and_the_next_is_served(settings: Settings, library: Library) -> None:
    given = [line(id=0, method="initialize", params=HELLO), b""]
    for number, (text, _, _) in enumerate(BROKEN):
        given += [text, json.dumps({**PING, "id": 100 + number}).encode()]
    how = process(settings, "-m", "kb", "mcp")
    with Popen([how.command, *how.args], stdin=PIPE, stdout=PIPE, stderr=PIPE, env=how.env) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        told = []
        for text in given:
            server.stdin.write(text + b"\n")
            server.stdin.flush()
            told += [json.loads(server.stdout.readline())] if text else []
        server.stdin.close()
        assert server.wait(30) == 0

    assert [one["id"] for one in told if one["id"] is not None and one["id"] >= 100] == [
        100 + number for number in range(len(BROKEN))
    ]
    errors = [one["error"] for one in told if "error" in one]
    assert [error["code"] for error in errors[:-1]] == [code for _, code, _ in BROKEN[:-1]]
    assert errors[-1]["code"] == -32600  # The SDK refuses such params before anybody can read the id.
    assert not [error for error in errors if "pydantic" in error["message"] or "\n" in error["message"]]
