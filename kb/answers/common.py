"""Parts that several answers share."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from kb.model import Kind


class AnswerModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Verdict(StrEnum):
    strong = "strong"
    weak = "weak"
    none = "none"


class TermRef(AnswerModel):
    kind: Kind
    slug: str
    name: str
    page: str


class OrgAnswer(AnswerModel):
    slug: str
    name: str
    definition: str | None
    home: str | None
    country: str | None
    page: str
