"""Raw arguments out of a request: from its query, or from a JSON body. `ask` judges them."""

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

from fastapi import Request
from starlette.exceptions import HTTPException

from kb.argument_names import judge_names
from kb.errors import InvalidValue
from kb.questions import Question, judge_names_of

Raw = dict[str, Any]
MAX_PAIRS = 50
IN_THE_BODY = "This address takes its arguments as members of a JSON object, in the body."


def of_query(request: Request, question: type[Question] | None) -> Raw:
    """The query, each name once; together with the path's own parts.

    Raises:
        UnknownArgument: anything where the address takes no query, a name that the question does not have, or one that
            the path already gives; says too what is missing.
        InvalidValue: a name given twice or missing, bytes that are not UTF-8, or an absurd number of pairs.
    """
    pairs = _pairs(request)
    path_parts = dict(request.path_params)
    if question is None:
        judge_names(dict(pairs), ())
    else:
        judge_names_of(question, dict(pairs), offered(question, path_parts))
    raw: Raw = {}
    for name, value in pairs:
        if name in raw:
            raise InvalidValue(f"`{name[:80]}` is given more than once.", field=name[:80], next_step="Give it once.")
        raw[name] = value
    return {**raw, **path_parts}


def offered(question: type[Question], path_parts: Iterable[str]) -> tuple[str, ...]:
    """The arguments that a query may give: those that no part of the path stands for."""
    taken = {*path_parts, *(("id",) if "family" in path_parts else ())}
    return tuple(name for name in question.model_fields if name not in taken)


async def of_body(request: Request) -> Raw:
    """The members of a JSON object, and no query.

    Raises: as `json_object`; UnknownArgument for a query.
    """
    given = dict(_pairs(request))
    judge_names(given, (), hint=IN_THE_BODY)
    return await json_object(request)


async def json_object(request: Request) -> Raw:
    """The members of the JSON object in the body.

    Raises:
        InvalidValue: not JSON, not an object, or a member given twice.
        HTTPException: 415 for a body that says it is something else.
    """
    media_type = request.headers.get("content-type", "application/json").split(";")[0].strip().lower()
    if media_type != "application/json":
        raise HTTPException(415, f"The body is {media_type[:80]}; send application/json.")
    try:
        body = json.loads(await request.body(), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InvalidValue("The body is not JSON.", next_step="Send a JSON object in UTF-8.") from error
    if not isinstance(body, dict):
        raise InvalidValue("The body is JSON, but not an object.", next_step='Send an object: {"name": value}.')
    return body


def _pairs(request: Request) -> list[tuple[str, str]]:
    query: bytes = request.scope["query_string"]
    try:
        return parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_PAIRS)
    except ValueError as error:
        raise InvalidValue(
            "The query cannot be read.", next_step="Percent-encode it as UTF-8, with at most 50 arguments."
        ) from error


def _once(pairs: list[tuple[str, Any]]) -> Raw:
    members: Raw = {}
    for name, value in pairs:
        if name in members:
            raise InvalidValue(f"`{name[:80]}` is given more than once.", field=name[:80], next_step="Give it once.")
        members[name] = value
    return members
