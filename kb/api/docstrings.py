"""The sentences under the fields of the answer models, for the OpenAPI document.

Read from the source when the document is made: asking Pydantic to do it would slow every start of every face.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator

from pydantic import BaseModel

from kb.answers import AnswerModel
from kb.parameters import JsonSchema


def describe(schemas: JsonSchema) -> None:
    """Put a description on each property whose field has a sentence under it."""
    for model in _models(AnswerModel):
        properties = schemas.get(model.__name__, {}).get("properties", {})
        for base in model.__mro__:
            if not issubclass(base, BaseModel) or base in (BaseModel, AnswerModel):
                continue
            for name, text in sentences(base).items():
                if name in properties and "$ref" not in properties[name]:
                    properties[name].setdefault("description", text)


def sentences(model: type[BaseModel]) -> dict[str, str]:
    """Field → the sentence under it, of the fields that a model itself defines."""
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
    return found


def _models(base: type[AnswerModel]) -> Iterator[type[AnswerModel]]:
    for model in base.__subclasses__():
        yield model
        yield from _models(model)
