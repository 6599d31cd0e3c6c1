import pytest

from kb.checks.card import Answer
from kb.checks.contract import Evidence, Finding, Outcome, ReasonKind, Unknown
from kb.model import Text

REMARK = Unknown(Text(en="No series."), ReasonKind.no_series, Text(en="Switch it on."))
FOUND = Finding({"host": "n1"}, Evidence(value=1.0))


def test_clear_without_anything_looked_at_is_refused() -> None:
    with pytest.raises(ValueError, match="must have looked at something"):
        Outcome(looked_at=0)


def test_clear_says_how_many_things_were_looked_at() -> None:
    outcome = Outcome(looked_at=8)
    assert (outcome.answer, outcome.looked_at) == (Answer.clear, 8)


def test_one_remark_keeps_an_outcome_from_being_clear() -> None:
    assert Outcome(looked_at=8, unknown=(REMARK,)).answer is Answer.unknown
    assert Outcome(looked_at=8).with_unknown([REMARK]).answer is Answer.unknown
    assert Outcome(looked_at=8).with_unknown([]).answer is Answer.clear


def test_found_in_one_place_and_unknown_in_another_is_found_and_keeps_the_remark() -> None:
    outcome = Outcome(looked_at=1, findings=(FOUND,), unknown=(REMARK,))
    assert outcome.answer is Answer.found
    assert outcome.unknown == (REMARK,)


def test_not_applicable_excludes_every_other_answer() -> None:
    nothing = Text(en="No GPUs.")
    assert Outcome(not_applicable=nothing).answer is Answer.not_applicable
    with pytest.raises(ValueError, match="excludes"):
        Outcome(looked_at=1, not_applicable=nothing)
    with pytest.raises(ValueError, match="excludes"):
        Outcome(findings=(FOUND,), not_applicable=nothing)
