"""Standard input as the SDK reads it, without the lines that are no messages: those are answered here."""

from types import TracebackType
from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from kb.mcp_server.envelope import NO_REQUEST, NOT_JSON, error, fault
from kb.parameters import JsonSchema


class Answering:
    """Stands for the stream `read`; what is wrong with a line goes to `write`, and the next line is read."""

    def __init__(self, read: Any, write: Any) -> None:
        self._read = read
        self._write = write

    async def __aenter__(self) -> "Answering":
        await self._read.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._read.__aexit__(kind, error, trace)

    def __aiter__(self) -> "Answering":
        return self

    async def __anext__(self) -> SessionMessage:
        while True:
            item = await self._read.__anext__()
            if _is_blank(item):
                continue
            said = _fault(item)
            if said is None:
                message: SessionMessage = item
                return message
            wrong = JSONRPCError(jsonrpc="2.0", id=said["id"], error=ErrorData.model_validate(said["error"]))
            await self._write.send(SessionMessage(wrong))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._read, name)


def _is_blank(item: SessionMessage | Exception) -> bool:
    return isinstance(item, ValidationError) and not str(item.errors()[0]["input"]).strip()


def _fault(item: SessionMessage | Exception) -> JsonSchema | None:
    if isinstance(item, SessionMessage):
        return fault(item.message.model_dump(mode="json", by_alias=True, exclude_unset=True))
    broken = isinstance(item, ValidationError) and item.errors()[0]["type"] == "json_invalid"
    return error(None, PARSE_ERROR, NOT_JSON) if broken else error(None, INVALID_REQUEST, NO_REQUEST)
