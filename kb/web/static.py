"""Style sheet, script, icon and preview picture: read once, addressed by their content, cached for a year."""

import hashlib
from functools import cache
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from kb.settings import shipped

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
FOR_EVER = "public, max-age=31536000, immutable"
FOR_A_WHILE = "public, max-age=3600"


class StaticFile(NamedTuple):
    body: bytes
    digest: str
    media_type: str


@cache
def files() -> dict[str, StaticFile]:
    """Name → file, for every file in `templates/static`."""
    out = {}
    for path in sorted((shipped("templates") / "static").iterdir()):
        if path.suffix in TYPES:
            body = path.read_bytes()
            out[path.name] = StaticFile(body, hashlib.sha256(body).hexdigest()[:12], TYPES[path.suffix])
    return out


def address(name: str) -> str:
    """`/static/style.css?v=3f2a91c04b7d`: changes with the content, so it may be kept for ever."""
    return f"/static/{name}?v={files()[name].digest}"


def serve(request: Request, name: str) -> Response | None:
    """The file, or 304; nothing if there is none of that name."""
    file = files().get(name)
    if file is None:
        return None
    current = request.query_params.get("v") == file.digest
    headers = {"ETag": f'W/"{file.digest}"', "Cache-Control": FOR_EVER if current else FOR_A_WHILE}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(file.body, media_type=file.media_type, headers=headers)
