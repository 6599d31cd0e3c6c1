"""Comparing moments of unequal precision and zone."""

import pytest

from kb.model import Precision
from kb.validate.dates import after, precision_of, real


@pytest.mark.parametrize(
    ("a", "b", "later"),
    [
        ("2025-03-02", "2025-03-01", True),
        ("2025-03-01", "2025-03-01", False),
        ("2025-03", "2025-03-01", False),
        ("2026", "2025-12-31", True),
        ("2025-03-01T10:00", "2025-03-01", False),
        ("2025-03-01T10:01", "2025-03-01T10:00:59", True),
        # one instant, two zones
        ("2025-03-01T19:00+09:00", "2025-03-01T10:00Z", False),
        ("2025-03-01T19:01+09:00", "2025-03-01T10:00Z", True),
        # a day of difference proves nothing where only one of them names its zone
        ("2025-03-02T01:00+09:00", "2025-03-01", False),
        ("2025-03-01T23:00-08:00", "2025-03-01", False),
        ("2025-03-04T01:00+09:00", "2025-03-01", True),
        ("2025-04-01T00:00Z", "2025-03", True),
    ],
)
def test_a_moment_is_later_only_where_both_are_precise_enough_to_tell(a, b, later):
    assert after(a, b) is later


def test_the_form_of_a_date_gives_its_precision():
    forms = {"2025": "year", "2025-03": "month", "2025-03-01": "day", "2025-03-01T10:00Z": "minute"}
    assert {at: precision_of(at) for at in forms} == {at: Precision(name) for at, name in forms.items()}


@pytest.mark.parametrize("at", ["2025-02-29", "2025-13", "2025-03-01T24:30", "2025-03-01T10:00+25:00", "0000"])
def test_dates_that_are_in_no_calendar_are_not_real(at):
    assert not real(at)


def test_a_leap_day_is_real():
    assert real("2024-02-29T23:59:59Z")
