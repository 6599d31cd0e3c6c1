import pytest

from kb.checks.card import PrometheusData, Replay, ReplayData
from kb.checks.contract import Ask, Sample
from kb.checks.sources.logs import LogTexts
from kb.checks.sources.replay import PromtoolSource, source_of
from kb.errors import DataError, SourceError

DATA = PrometheusData.model_validate(
    {
        "interval": "1m",
        "series": [
            {"series": r'm{host="n1",text="a\"b, c} 1"}', "values": "_x2 1.5x5 stale"},
            {"series": 'm{host="n2"}', "values": "1e-7x10"},
        ],
    }
)


def test_promtool_evaluates_several_questions_in_the_order_asked() -> None:
    source = PromtoolSource(DATA)
    two, none, one, scalar = source.query_many([Ask("m", 180), Ask('m{host="n3"}', 0), Ask("m", 0), Ask("7", 60)])
    assert [(dict(s.labels), s.value) for s in two] == [
        ({"__name__": "m", "host": "n1", "text": 'a"b, c} 1'}, 1.5),
        ({"__name__": "m", "host": "n2"}, 1e-7),
    ]
    assert none == []
    assert [dict(s.labels)["host"] for s in one] == ["n2"]
    assert scalar == [Sample({}, 7.0, 60)]


def test_functions_windows_and_times_below_a_second_are_the_real_engine_s() -> None:
    source = PromtoolSource(DATA)
    [rate] = source.query('sum(count_over_time(m{host="n2"}[5m]))', 300)
    assert rate.value == 6.0
    assert source.query("time()", 90.25)[0].value == 90.25
    assert source.query('m{host="n1"} / 0', 180)[0].value == float("inf")
    assert source.query('label_replace(m{host="n2"}, "x", "줄\\n바꿈", "", "")', 0)[0].labels["x"] == "줄\n바꿈"


def test_before_the_start_of_the_data_there_is_nothing() -> None:
    assert PromtoolSource(DATA).query_many([Ask("m", -60), Ask("1", -1)]) == [[], []]


def test_the_clock_stands_at_the_end_of_the_data_or_where_it_was_set() -> None:
    assert PromtoolSource(DATA).now() == 600.0
    assert PromtoolSource(DATA, 90.0).now() == 90.0


@pytest.mark.parametrize("expr", ["m *", "m[5m]", "no_such_function(m)"])
def test_an_expression_that_promtool_refuses_is_unsupported(expr: str) -> None:
    with pytest.raises(SourceError, match="promtool refuses") as caught:
        PromtoolSource(DATA).query(expr, 60)
    assert caught.value.reason_kind == "unsupported"


def test_series_that_promtool_cannot_read_are_unsupported() -> None:
    broken = PrometheusData.model_validate({"interval": "1m", "series": [{"series": "m{", "values": "1"}]})
    with pytest.raises(SourceError, match="answered 0 of 1"):
        PromtoolSource(broken).query("m", 0)


def test_a_replay_becomes_the_source_its_data_stands_for() -> None:
    replay = Replay.model_validate({"must": "clear", "origin": "invented", "data": {"logs": {"files": {"a": "b"}}}})
    assert isinstance(source_of(replay, None), LogTexts)
    series = replay.model_copy(update={"data": ReplayData(prometheus=DATA)})
    source = source_of(series, 60.0)
    assert source.kind == "prometheus"
    with pytest.raises(DataError, match="no data"):
        source_of(replay.model_copy(update={"data": ReplayData()}), None)
