"""What is wrong with a JSON-RPC message, in our words: the SDK repeats those of its validator, takes a request with an
odd id for a notification, or says nothing."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR
from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS

from kb.parameters import JsonSchema

UNSUPPORTED_VERSION = -32022
NOT_JSON = "Parse error: send one JSON-RPC 2.0 object as JSON in UTF-8."
NOT_ONE = "Batches are not taken: send one JSON-RPC 2.0 object at a time."
NO_REQUEST = 'This is no JSON-RPC 2.0 message: send an object with `jsonrpc` "2.0", `id`, `method` and `params`.'
#: Method → the text that its params need, and where its values are listed.
NEEDED = {
    "tools/call": ("name", "the name of a tool; tools/list lists them"),
    "prompts/get": ("name", "the name of a prompt; prompts/list lists them"),
    "resources/read": ("uri", "the address of a resource, such as incident://IL-0477"),
}


def fault_of_text(text: bytes | str, version: str | None = None) -> JsonSchema | None:
    """The error to answer to a message as it came, or nothing.

    version: of the protocol, where the transport names it beside the message.
    """
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return error(None, PARSE_ERROR, NOT_JSON)
    found = fault(message)
    if found is None and version is not None and version not in SUPPORTED_PROTOCOL_VERSIONS and not _says_it(message):
        data = {"supported": list(SUPPORTED_PROTOCOL_VERSIONS), "requested": version[:40]}
        return error(_id(message), UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    return found


def fault(message: Any) -> JsonSchema | None:
    """The same for a message that is decoded already."""
    if isinstance(message, list):
        return error(None, INVALID_REQUEST, NOT_ONE)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error(None, INVALID_REQUEST, NO_REQUEST)
    if "id" in message and _id(message) is None and "error" not in message:
        return error(None, INVALID_REQUEST, "`id` must be text or a whole number.")
    if "method" not in message:
        answers = "result" in message or "error" in message
        return None if answers else error(_id(message), INVALID_REQUEST, NO_REQUEST)
    if not isinstance(message["method"], str):
        return error(_id(message), INVALID_REQUEST, "`method` must be text.")
    said = _of_params(message["method"], message.get("params"))
    return error(_id(message), INVALID_PARAMS, said) if said and "id" in message else None


def error(message_id: str | int | None, code: int, text: str, data: object = None) -> JsonSchema:
    told = {"code": code, "message": text} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": message_id, "error": told}


def _of_params(method: str, params: Any) -> str:
    """What is wrong with them, or nothing."""
    if params is not None and not isinstance(params, dict):
        return "`params` must be an object."
    if method not in NEEDED:
        return ""
    name, what = NEEDED[method]
    given = params or {}
    if not isinstance(given.get(name), str):
        return f"{method} needs `{name}`: {what}."
    arguments = given.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        return '`arguments` must be an object, such as {"id": "IL-0477"}.'
    if method == "prompts/get" and not all(isinstance(value, str) for value in (arguments or {}).values()):
        return "Each of `arguments` of a prompt must be text."
    return ""


def _says_it(message: Mapping[str, Any]) -> bool:
    """Whether it names a version itself, as from 2026-07-28 on; of that the SDK judges rightly."""
    meta = (message.get("params") or {}).get("_meta")
    return isinstance(meta, dict) and "io.modelcontextprotocol/protocolVersion" in meta


def _id(message: Mapping[str, Any]) -> str | int | None:
    found = message.get("id")
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None
