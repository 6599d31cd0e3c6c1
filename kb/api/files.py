"""A file of the build as an answer: strong ETag per coding, one byte range, 304, and never held in memory whole."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
from fastapi import Request
from starlette.responses import Response, StreamingResponse

from kb.answers import ExportFile
from kb.api.problems import HttpFault
from kb.api.render import build_headers
from kb.api.representation import accepts_gzip, matches
from kb.library import Library

CHUNK = 256 * 1024
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


async def answer(
    request: Request, library: Library, file: ExportFile, path: Path, *, download: bool = True
) -> Response:
    """The file, its packed form where that is accepted, a part of it, or 304.

    Raises:
        HttpFault: 416 for a range outside the file.
    """
    packed = file.gzip_bytes is not None and accepts_gzip(request.headers.get("accept-encoding", ""))
    tag = f'"{file.sha256[:32]}-gzip"' if packed else f'"{file.sha256[:32]}"'
    headers = build_headers(library) | {"ETag": tag, "Accept-Ranges": "bytes"}
    if file.gzip_bytes is not None:
        headers["Vary"] = "Accept-Encoding"
    if packed:
        headers["Content-Encoding"] = "gzip"
        path = path.with_name(f"{path.name}.gz")
    if matches(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers={n: v for n, v in headers.items() if n != "Content-Encoding"})
    size = file.gzip_bytes if packed and file.gzip_bytes is not None else file.bytes
    span = _span(request, size, tag)
    first, last = span or (0, size - 1)
    headers["Content-Length"] = str(last - first + 1)
    if download:
        headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    if span:
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    body = _bytes(path, first, last)
    return StreamingResponse(body, 206 if span else 200, media_type=file.media_type, headers=headers)


def _span(request: Request, size: int, tag: str) -> tuple[int, int] | None:
    """First and last byte to send. What is no single range of bytes is ignored, as RFC 9110 (14.2) allows."""
    match = _RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    if match is None or match.group() == "bytes=-" or request.headers.get("if-range", tag) != tag:
        return None
    start, end = match.groups()
    first = int(start) if start else max(0, size - int(end))
    last = min(int(end), size - 1) if start and end else size - 1
    if start and end and int(end) < first:
        return None
    if first >= size or (not start and int(end) == 0):
        fault = HttpFault(416, "range-not-satisfiable", f"The file has {size} bytes.", next_step="Ask within them.")
        fault.headers["Content-Range"] = f"bytes */{size}"
        raise fault
    return first, last


async def _bytes(path: Path, first: int, last: int) -> AsyncIterator[bytes]:
    left = last - first + 1
    async with await anyio.open_file(path, "rb") as file:
        await file.seek(first)
        while left > 0 and (chunk := await file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
