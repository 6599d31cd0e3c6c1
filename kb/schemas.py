"""JSON Schemas of the files that people write, generated from the models that read them."""

import json

from pydantic import BaseModel

from kb.checks.card import CheckCard, Replay
from kb.model import Incident

SCHEMAS: dict[str, type[BaseModel]] = {
    "case.schema.json": Incident,
    "check.schema.json": CheckCard,
    "replay.schema.json": Replay,
}


def text(model: type[BaseModel]) -> str:
    """The schema as it is committed: indented, keys in the order of the model."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
