"""Several cases by id in one request."""

from typing import Annotated

from pydantic import Field

from kb.answers import AnswerModel, IncidentAnswer
from kb.errors import NotFound
from kb.library import Library
from kb.questions import GetIncident, Question, ask

MAX_IDS = 50


class Batch(Question):
    ids: Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_IDS)] = Field(
        description="Case ids, at most 50."
    )
    sections: Annotated[str, Field(max_length=400)] | None = Field(
        default=None, description="Comma-separated field names to keep; all by default."
    )


class BatchAnswer(AnswerModel):
    count: int
    """Cases found."""
    cases: tuple[IncidentAnswer, ...]
    """In the order asked, each once."""
    not_found: tuple[str, ...]
    """Well-formed ids that the library does not hold."""
    data_version: str


def get_batch(library: Library, question: Batch) -> BatchAnswer:
    """Raises:
    InvalidValue: an id of the wrong form.
    NotFound: when not one of the ids exists.
    """
    found: list[IncidentAnswer] = []
    missing: list[str] = []
    for case_id in dict.fromkeys(case_id.upper() for case_id in question.ids):
        asked = ask(GetIncident, {"id": case_id, "lang": question.lang, "sections": question.sections})
        try:
            found.append(library.get_incident(asked))
        except NotFound:
            missing.append(case_id)
    if not found:
        raise NotFound(
            f"None of these cases exists: {', '.join(missing[:5])}.",
            field="ids",
            next_step="search_incidents finds ids.",
        )
    return BatchAnswer(
        count=len(found), cases=tuple(found), not_found=tuple(missing), data_version=library.data_version
    )
