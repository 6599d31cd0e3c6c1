import pytest

from kb.checks.knobs import seconds, settle
from kb.checks.promql import fill, knob_names, rename, threshold, words
from kb.errors import InvalidValue, UnknownArgument
from tests.checks.fakes import rule_card


@pytest.mark.parametrize(("text", "expected"), [("90s", 90), ("15m", 900), ("2h", 7200), ("1500ms", 1.5)])
def test_durations_are_read_in_seconds(text: str, expected: float) -> None:
    assert seconds(text) == expected


def test_defaults_stand_where_nothing_is_given() -> None:
    assert settle(rule_card()).number("limit") == 90


def test_a_given_value_replaces_the_default() -> None:
    assert settle(rule_card(), {"limit": "85.5"}).text("limit") == "85.5"


def test_a_knob_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UnknownArgument, match="Allowed: limit"):
        settle(rule_card(), {"limits": "1"})


@pytest.mark.parametrize("value", ["-1", "201", "hot", '1"} or vector(1) #', "", "1\n"])
def test_a_value_out_of_bounds_or_able_to_change_the_query_is_refused(value: str) -> None:
    with pytest.raises(InvalidValue, match="limit"):
        settle(rule_card(), {"limit": value})


def test_a_duration_is_held_in_bounds_of_seconds() -> None:
    assert settle(rule_card(), {"limit": "3m"}).text("limit") == "3m"
    with pytest.raises(InvalidValue, match="200"):
        settle(rule_card(), {"limit": "4m"})


def test_knobs_are_filled_in_wherever_they_stand() -> None:
    expr = 'x{code=~"$codes"}[$window] > $limit'
    assert knob_names(expr) == {"codes", "window", "limit"}
    assert fill(expr, {"codes": "1|2", "window": "5m", "limit": "3"}) == 'x{code=~"1|2"}[5m] > 3'


def test_metric_names_are_replaced_as_whole_words_and_never_inside_quotes() -> None:
    assert rename('a + ab{x="a"} - a:b', {"a": "z"}) == 'z + ab{x="a"} - a:b'


def test_words_of_an_expression_leave_quoted_text_out() -> None:
    assert words("max by (host) (m{x=\"n\", y=~'q'})") == {"max", "by", "host", "m", "x", "y"}


@pytest.mark.parametrize(
    ("expr", "expected"), [("max(x) > 0", "> 0"), ("x >= 1.5e3", ">= 1.5e3"), ("x == bool 1", "== 1"), ("x", "")]
)
def test_the_threshold_is_the_comparison_at_the_end(expr: str, expected: str) -> None:
    assert threshold(expr) == expected
