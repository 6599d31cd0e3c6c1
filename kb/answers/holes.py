"""The answer to `holes`: what the library knows and no check sees, and what checks see and no case shows."""

from enum import StrEnum

from kb.answers.common import AnswerModel
from kb.checks.card import CheckStatus
from kb.model import Kind, Lang


class HoleState(StrEnum):
    """How a value stands between cases and checks.

    no_check: cases, and no check that looks for it.
    not_proven: cases and checks, and none of these cases is caught by a replay.
    proven: at least one of its cases is caught.
    no_case: checks, and no case.
    """

    no_check = "no_check"
    not_proven = "not_proven"
    proven = "proven"
    no_case = "no_case"


class HoleCheck(AnswerModel):
    """A check that looks for the value or catches cases with it, and those that its replays catch."""

    id: str
    status: CheckStatus
    names: bool
    """Whether it is made for the value; else it finds the cases by something else that they show."""
    cases: tuple[str, ...]
    page: str


class Hole(AnswerModel):
    """One value of the vocabulary between its cases and its checks."""

    kind: Kind
    slug: str
    name: str
    cases: int
    caught: int
    """Cases that at least one check catches."""
    hole: int
    """Cases that none does: `cases − caught`."""
    checks: tuple[HoleCheck, ...]
    proven: int
    """Checks among them that are proven."""
    state: HoleState
    no_check: str | None
    """Why no proven check is made for it, where that is said."""
    page: str


class HolesAnswer(AnswerModel):
    """Values with cases or checks, the largest hole first; `count` is how many there are."""

    count: int
    holes: tuple[Hole, ...]
    lang: Lang
    data_version: str
