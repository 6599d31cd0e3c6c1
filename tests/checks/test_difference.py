"""What makes a replay fail, each difference by itself."""

import pytest

from kb.checks.card import Expect
from kb.checks.contract import Evidence, Finding, Outcome, ReasonKind, Unknown
from kb.checks.replay import difference
from kb.model import Text

FOUND = Outcome(2, (Finding({"host": "n1"}, Evidence(value=1.0)),))
UNKNOWN = Outcome(unknown=(Unknown(Text(en="No series."), ReasonKind.no_series, Text(en="Add it.")),))


def expect(answer: str, **fields: object) -> Expect:
    return Expect.model_validate({"answer": answer, **fields})


def test_what_is_as_expected_has_no_difference() -> None:
    where = [{"host": "n1"}]
    assert difference(expect("found", where=where, looked_at=2, fires_at="5m"), FOUND, 300.0) == ""
    assert difference(expect("unknown", reason_kind="no-series", looked_at=0), UNKNOWN, None) == ""


@pytest.mark.parametrize(
    ("expected", "outcome", "fired", "said"),
    [
        (expect("clear", looked_at=1), UNKNOWN, None, "answered unknown, not clear (No series.)"),
        (expect("found", where=[{"host": "n2"}]), FOUND, None, "found at [{'host': 'n1'}]"),
        (expect("found", where=[{"host": "n1"}, {"host": "n2"}]), FOUND, None, "not at [{'host': 'n1'}, {'host'"),
        (expect("clear", looked_at=3), Outcome(2), None, "looked at 2, not 3"),
        (expect("found", where=[{"host": "n1"}], fires_at="5m"), FOUND, 360.0, "first found at 360.0 s, not at 5m"),
        (expect("found", where=[{"host": "n1"}], fires_at="5m"), FOUND, None, "first found at None"),
        (expect("unknown", reason_kind="stale"), UNKNOWN, None, "unknown for ['no-series'], not for stale"),
    ],
)
def test_each_difference_is_said(expected: Expect, outcome: Outcome, fired: float | None, said: str) -> None:
    assert said in difference(expected, outcome, fired)
