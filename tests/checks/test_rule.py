import pytest

from kb.checks.card import Answer
from kb.checks.contract import Outcome, ReasonKind, Sample
from kb.checks.knobs import settle
from kb.checks.rule import run_rule
from kb.errors import SourceError
from tests.checks.fakes import FakePrometheus, failing, rule_card, vector

N1, N2 = {"host": "n1"}, {"host": "n2"}
Table = dict[str, list[Sample]]
WELL: Table = {"count by (host) (seen)": vector(N1, N2), "count by (host) (always)": vector(N1, N2)}


def judge(table: Table, **rule: object) -> tuple[Outcome, FakePrometheus]:
    """The outcome where each expression has one answer; `count(seen)` says that only the first name exists."""
    source = FakePrometheus(lambda expr, at: {"count(seen)": vector({}), **table}.get(expr, []))
    card = rule_card(**rule)
    return run_rule(card, source, settle(card)), source


def test_everything_expected_was_looked_at_and_nothing_found_is_clear() -> None:
    outcome, source = judge(WELL)
    assert (outcome.answer, outcome.looked_at) == (Answer.clear, 2)
    assert "seen > 90" in [ask.expr for ask in source.asked]


def test_a_finding_carries_place_value_threshold_and_query() -> None:
    outcome, _ = judge({**WELL, "seen > 90": [Sample({**N1, "__name__": "seen"}, 94.0, 0.0)]})
    [finding] = outcome.findings
    assert dict(finding.where) == N1
    evidence = finding.evidence
    assert (evidence.value, evidence.unit, evidence.threshold) == (94.0, "°C", "> 90")
    assert evidence.query == "seen > 90"


def test_nothing_looked_at_is_unknown_and_says_how_to_switch_the_series_on() -> None:
    outcome, _ = judge({})
    [remark] = outcome.unknown
    assert (outcome.answer, remark.kind) == (Answer.unknown, ReasonKind.no_series)
    assert "seen" in remark.reason.en
    assert "test-exporter, off by default. Set --seen." in remark.remedy.en
    assert "--seen을 켜십시오." in (remark.remedy.ko or "")


def test_expected_things_that_were_not_looked_at_are_unknown_and_named() -> None:
    outcome, _ = judge({**WELL, "count by (host) (seen)": vector(N1)})
    [remark] = outcome.unknown
    assert (outcome.answer, outcome.looked_at) == (Answer.unknown, 1)
    assert (remark.kind, remark.count, remark.where) == (ReasonKind.no_series, 1, (N2,))
    assert "1 of 2" in remark.reason.en


def test_things_that_were_there_within_the_day_are_stale_rather_than_missing() -> None:
    earlier = "max_over_time((count by (host) (seen))[1d:5m])"
    outcome, _ = judge({**WELL, "count by (host) (seen)": vector(N1), earlier: vector(N1, N2)})
    assert [(remark.kind, remark.where) for remark in outcome.unknown] == [(ReasonKind.stale, (N2,))]
    outcome, _ = judge({earlier: vector(N1)})
    assert [remark.kind for remark in outcome.unknown] == [ReasonKind.stale]


def test_without_the_series_that_tells_what_is_there_a_quiet_answer_is_not_clear() -> None:
    outcome, _ = judge({**WELL, "count by (host) (always)": []})
    assert outcome.answer is Answer.unknown
    assert "always" in outcome.unknown[0].reason.en


def test_what_is_found_needs_no_remark_even_if_it_was_not_counted() -> None:
    outcome, _ = judge({**WELL, "count by (host) (seen)": vector(N1), "seen > 90": vector(N2)})
    assert (outcome.answer, outcome.looked_at, outcome.unknown) == (Answer.found, 2, ())


def test_found_in_one_place_does_not_hide_that_another_was_not_seen() -> None:
    outcome, _ = judge({**WELL, "count by (host) (seen)": vector(N1), "seen > 90": vector(N1)})
    assert outcome.answer is Answer.found
    assert outcome.unknown[0].where == (N2,)


def test_not_applicable_needs_the_series_it_rests_on() -> None:
    applies = 'capacity{resource="gpu"}'
    without, _ = judge({}, applies=applies)
    assert without.answer is Answer.unknown
    with_series, _ = judge({"count(capacity)": vector({})}, applies=applies)
    assert with_series.answer is Answer.not_applicable
    there, _ = judge({"count(capacity)": vector({}), applies: vector({})}, applies=applies)
    assert there.answer is Answer.unknown


def test_a_series_that_is_there_is_judged_whatever_applies_says() -> None:
    outcome, _ = judge({**WELL, "count(capacity)": vector({})}, applies='capacity{resource="gpu"}')
    assert outcome.answer is Answer.clear


def test_hold_counts_only_what_was_true_all_the_time() -> None:
    began = 86_400.0 - 300

    def answers(expr: str, at: float) -> list[Sample]:
        if expr == "seen > 90":
            return vector(N1, N2) if at > began else vector(N1)
        return {"count(seen)": vector({}), **WELL}.get(expr, [])

    card = rule_card(hold="10m")
    outcome = run_rule(card, FakePrometheus(answers), settle(card))
    assert [dict(finding.where) for finding in outcome.findings] == [N1]


def test_since_is_the_earliest_moment_asked_at_which_it_held_without_a_break() -> None:
    def answers(expr: str, at: float) -> list[Sample]:
        if expr == "seen > 90":
            return vector(N1) if at >= 86_400 - 1000 or at < 20_000 else []
        return {"count(seen)": vector({}), **WELL}.get(expr, [])

    outcome = run_rule(rule_card(), FakePrometheus(answers), settle(rule_card()))
    assert outcome.findings[0].since == "1970-01-01T23:45:00Z"


def test_a_renamed_metric_is_found_under_its_other_name() -> None:
    table = {
        "count(seen)": [],
        "count(seen_renamed)": vector({}),
        "seen_renamed > 90": vector(N1),
        "count by (host) (seen_renamed)": vector(N1, N2),
        "count by (host) (always)": vector(N1, N2),
    }
    outcome, _ = judge(table)
    assert (outcome.answer, outcome.looked_at, outcome.unknown) == (Answer.found, 2, ())


def test_a_fleet_with_old_and_new_names_is_judged_as_a_whole() -> None:
    table = {
        "count(seen_renamed)": vector({}),
        "count by (host) (seen)": vector(N1),
        "count by (host) (seen_renamed)": vector(N2),
        "seen_renamed > 90": vector(N2),
        "count by (host) (always)": vector(N1, N2),
    }
    outcome, _ = judge(table)
    assert (outcome.answer, outcome.looked_at, outcome.unknown) == (Answer.found, 2, ())


def test_a_source_that_fails_is_left_to_the_caller() -> None:
    with pytest.raises(SourceError):
        run_rule(rule_card(), failing("timeout"), settle(rule_card()))


def test_what_applies_rests_on_must_be_among_the_metrics_of_the_check() -> None:
    outcome, _ = judge({}, applies="some_foreign_series")
    assert outcome.answer is Answer.unknown
