import pytest

from kb.checks.card import PrometheusData
from kb.checks.contract import Ask
from kb.checks.series import expand, length, series_values
from kb.checks.sources.replay import PromtoolSource
from kb.errors import DataError


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("5", [5.0]),
        ("1+2x3", [1.0, 3.0, 5.0, 7.0]),
        ("3-1x2", [3.0, 2.0, 1.0]),
        ("-2x1", [-2.0, -2.0]),
        ("_ _x2 4", [None, None, None, 4.0]),
        ("1e-7x1 stale", [1e-7, 1e-7, None]),
    ],
)
def test_the_series_notation_is_expanded(values: str, expected: list[float | None]) -> None:
    assert expand(values) == expected


def test_each_sample_has_its_time_in_seconds() -> None:
    assert series_values("1 _ 2", "30s") == [(0.0, 1.0), (30.0, None), (60.0, 2.0)]


@pytest.mark.parametrize("values", ["1y2", "x5", "1+x3", "fresh", "0x999999999"])
def test_what_is_not_in_the_notation_is_refused(values: str) -> None:
    with pytest.raises(DataError, match=r"notation|samples"):
        expand(values)


@pytest.mark.parametrize("values", ["1+2x3 _x2 5x2", "_x3 4-0.5x4", "-1-1x3 7 8"])
def test_the_expansion_agrees_with_promtool(values: str) -> None:
    data = PrometheusData.model_validate({"interval": "10m", "series": [{"series": "m", "values": values}]})
    source = PromtoolSource(data)
    numbers = expand(values)
    assert source.now() == length(data) == (len(numbers) - 1) * 600
    asks = [Ask("m", number * 600.0) for number in range(len(numbers))]
    got = [answer[0].value if answer else None for answer in source.query_many(asks)]
    assert got == numbers
