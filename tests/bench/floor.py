"""The least that an answer over HTTP costs here: Starlette, one route, a fixed JSON text as long as an answer."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

BODY = b'{"cases": "' + b"x" * 20_000 + b'"}'


async def answer(_request: Request) -> Response:
    return Response(BODY, media_type="application/json")


app = Starlette(routes=[Route("/", answer)])
