"""Every shipped replay is run; then it is spoilt in several ways, and the answer must change (T1, T3)."""

import re
from collections.abc import Callable

import pytest

from kb.checks.ask import judge_of, judged
from kb.checks.card import Answer, Must, PrometheusData, PrometheusSeries, Replay
from kb.checks.catalogue import Catalogue, ReplayFile
from kb.checks.contract import Outcome, ReasonKind
from kb.checks.knobs import seconds, settle
from kb.checks.promql import words
from kb.checks.replay import asked_at, difference, fired_at, replayed, run_replay, run_replays
from kb.checks.series import expand
from kb.checks.sources.promtool import Evaluator
from kb.checks.sources.replay import PromtoolSource
from kb.errors import NotFound, ToolMissing
from tests.checks.conftest import AllOfThem
from tests.checks.fakes import failing

CATALOGUE = Catalogue.load()
ALL = [(check, file) for check, folder in CATALOGUE.folders.items() for file in folder.replays if file.replay.data]
#: Objects, trees and step times are spoilt in ways of their own, beside this file.
SERIES_AND_LINES = [(check, file) for check, file in ALL if CATALOGUE.cards[check].kind in ("prometheus", "logs")]
FOUND = [(check, file) for check, file in SERIES_AND_LINES if file.replay.must is Must.found]
QUIET = [(check, file) for check, file in SERIES_AND_LINES if file.replay.must is Must.clear]
PROMQL = sorted(check for check, card in CATALOGUE.cards.items() if card.rule)
LOGS = sorted(check for check, card in CATALOGUE.cards.items() if card.kind == "logs")
Pair = tuple[str, ReplayFile]


def named(pairs: list[Pair]) -> list[str]:
    return [f"{check} {file.name}" for check, file in pairs]


def over_series(replay: Replay, change: Callable[[PrometheusSeries], PrometheusSeries | None]) -> Replay:
    assert replay.data
    assert replay.data.prometheus
    series = tuple(s for s in map(change, replay.data.prometheus.series) if s is not None)
    data = replay.data.prometheus.model_copy(update={"series": series})
    return replay.model_copy(update={"data": replay.data.model_copy(update={"prometheus": data})})


def over_log(replay: Replay, change: Callable[[str], str]) -> Replay:
    assert replay.data
    assert replay.data.logs
    files = {name: change(text) for name, text in replay.data.logs.files.items()}
    logs = replay.data.logs.model_copy(update={"files": files})
    return replay.model_copy(update={"data": replay.data.model_copy(update={"logs": logs})})


def under_other_names(replay: Replay) -> Replay:
    """The same logs in files of other names: where lines name no host, the file is the place."""
    assert replay.data
    assert replay.data.logs
    files = {f"other-{name}": text for name, text in replay.data.logs.files.items()}
    logs = replay.data.logs.model_copy(update={"files": files})
    return replay.model_copy(update={"data": replay.data.model_copy(update={"logs": logs})})


def still_the_same(check: str, replay: Replay, promtool: Evaluator) -> bool:
    """Whether the check answers as the replay expects, places included."""
    assert replay.expect
    outcome = replayed(CATALOGUE, check, replay, promtool=promtool)
    expect = replay.expect.model_copy(update={"fires_at": None, "looked_at": None, "reason_kind": None})
    return difference(expect, outcome, None) == ""


@pytest.mark.parametrize(("check", "file"), ALL, ids=named(ALL))
def test_every_replay_gives_the_answer_it_must_give(check: str, file: ReplayFile, all_of_them: AllOfThem) -> None:
    record = all_of_them(lambda check, file, promtool: run_replay(CATALOGUE, check, file, promtool=promtool))
    assert record.passes, record.why_not
    assert record.tool.startswith("promtool 2." if CATALOGUE.cards[check].rule else "kb ")


def test_every_check_has_a_replay_of_each_kind() -> None:
    for check, folder in CATALOGUE.folders.items():
        assert {file.replay.must for file in folder.replays} == set(Must), check


# --- T1: a replay that was drawn so that the rule fires would survive these ------------------------------


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_a_found_replay_with_other_labels_is_no_longer_found_there(
    check: str, file: ReplayFile, all_of_them: AllOfThem
) -> None:
    assert not all_of_them(same_with_other_labels)


def same_with_other_labels(check: str, file: ReplayFile, promtool: Evaluator) -> bool:
    if CATALOGUE.cards[check].rule:
        spoilt = over_series(
            file.replay,
            lambda s: s.model_copy(update={"series": re.sub(r"([A-Za-z_]+)=", r"other_\1=", s.series)}),
        )
    else:
        spoilt = under_other_names(over_log(file.replay, other_device))
    return still_the_same(check, spoilt, promtool)


def other_device(text: str) -> str:
    """With other PCI addresses; where a kernel log names none, of another host."""
    spoilt, found = re.subn(r"([0-9a-f]{4}):([0-9a-f]{2}):([0-9a-f]{2})", r"\1:ee:\3", text)
    return spoilt if found else re.sub(r"(?m)^(\w{3} +\d+ [\d:]+) \S+ kernel:", r"\1 other kernel:", text)


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_a_found_replay_without_its_effect_is_not_found(check: str, file: ReplayFile, all_of_them: AllOfThem) -> None:
    assert all_of_them(answer_without_effect) is not Answer.found


def answer_without_effect(check: str, file: ReplayFile, promtool: Evaluator) -> Answer:
    rule = CATALOGUE.cards[check].rule
    if rule:
        judged_names = words(rule.expr)
        spoilt = over_series(
            file.replay, lambda s: flattened(s) if judged_names & words(s.series.partition("{")[0]) else s
        )
    else:
        lines = {finding.evidence.line for finding in replayed(CATALOGUE, check, file.replay).findings}
        effect = [line for whole in lines for line in whole.split("\n")]
        spoilt = over_log(file.replay, lambda text: without(text, effect))
        # The driver repeats itself; what says the same in other lines is the effect as well.
        while (more := replayed(CATALOGUE, check, spoilt)).findings:
            effect = [line for f in more.findings for line in f.evidence.line.split("\n")]
            spoilt = over_log(spoilt, lambda text, effect=effect: without(text, effect))
    return replayed(CATALOGUE, check, spoilt, promtool=promtool).answer


def flattened(series: PrometheusSeries) -> PrometheusSeries:
    values = ["_" if value is None else "0" for value in expand(series.values)]
    return series.model_copy(update={"values": " ".join(values)})


def without(text: str, lines: list[str]) -> str:
    return "\n".join(line for line in text.split("\n") if line not in lines)


@pytest.mark.parametrize(
    ("check", "file"), [p for p in FOUND if p[0] in PROMQL], ids=named([p for p in FOUND if p[0] in PROMQL])
)
def test_a_found_replay_asked_before_it_fires_is_not_found(
    check: str, file: ReplayFile, all_of_them: AllOfThem
) -> None:
    assert all_of_them(answer_before_it_fires) is not Answer.found


def answer_before_it_fires(check: str, file: ReplayFile, promtool: Evaluator) -> Answer:
    replay = file.replay
    assert replay.data
    assert replay.data.prometheus
    fired = fired_at(CATALOGUE.cards[check], replay, promtool=promtool)
    assert fired is not None
    before = fired - seconds(replay.data.prometheus.interval)
    assert before >= 0, "the data must begin before the effect"
    source = PromtoolSource(replay.data.prometheus, before, promtool=promtool)
    return ask(check, source).answer


def test_half_of_the_window_no_longer_sees_an_event_forty_minutes_old() -> None:
    check = "gpu/xid_fatal_counted"
    [file] = [file for file in CATALOGUE.replays(check) if file.name == "one_event_between_pages.yaml"]
    assert file.replay.data
    assert file.replay.data.prometheus
    source = PromtoolSource(file.replay.data.prometheus, asked_at(file.replay))
    card = CATALOGUE.cards[check]
    assert judged(judge_of(CATALOGUE, check), source, settle(card)).answer is Answer.found
    halved = judged(judge_of(CATALOGUE, check), source, settle(card, {"look_back": "30m"}))
    assert halved.answer is Answer.clear


def test_a_fatal_code_made_a_harmless_one_is_clear() -> None:
    for check, file in FOUND:
        if check == "gpu/xid_fatal_counted" and file.name.startswith("IL-"):
            spoilt = over_series(
                file.replay, lambda s: s.model_copy(update={"series": re.sub(r'xid="\d+"', 'xid="43"', s.series)})
            )
            assert replayed(CATALOGUE, check, spoilt).answer is Answer.clear, file.name


# --- T3: whatever is missing, never clear ----------------------------------------------------------------


def ask(check: str, source: object) -> Outcome:
    return judged(judge_of(CATALOGUE, check), source, settle(CATALOGUE.cards[check]))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [ReasonKind.crash, ReasonKind.forbidden, ReasonKind.timeout])
@pytest.mark.parametrize("check", PROMQL)
def test_a_source_that_is_down_or_forbidden_is_never_clear(check: str, kind: ReasonKind) -> None:
    outcome = ask(check, failing(kind.value))
    assert (outcome.answer, [remark.kind for remark in outcome.unknown]) == (Answer.unknown, [kind])


@pytest.mark.parametrize("check", PROMQL)
def test_an_empty_source_is_never_clear(check: str, all_of_them: AllOfThem) -> None:
    outcome = all_of_them(
        lambda check, promtool: ask(check, PromtoolSource(PrometheusData(interval="1m"), promtool=promtool))
    )
    assert (outcome.answer, outcome.unknown[0].kind) == (Answer.unknown, ReasonKind.no_series)
    assert outcome.unknown[0].remedy.en
    assert outcome.unknown[0].remedy.ko


QUIET_PROMQL = [pair for pair in QUIET if pair[0] in PROMQL]


@pytest.mark.parametrize(("check", "file"), QUIET_PROMQL, ids=named(QUIET_PROMQL))
def test_a_quiet_replay_without_one_of_the_judged_metrics_is_never_clear(
    check: str, file: ReplayFile, all_of_them: AllOfThem
) -> None:
    answers = all_of_them(answers_without_one_metric)
    assert answers
    assert set(answers.values()) == {Answer.unknown}, answers


def answers_without_one_metric(check: str, file: ReplayFile, promtool: Evaluator) -> dict[str, Answer]:
    rule = CATALOGUE.cards[check].rule
    assert rule
    judged_names = words(f"{rule.expr} + {rule.looked_at} + {rule.expected or 'on'}")
    names = {name for s in series_of(file.replay) if (name := s.partition("{")[0]) in judged_names}
    answers = {}
    for name in names:
        spoilt = over_series(file.replay, lambda s, name=name: None if s.series.startswith(f"{name}{{") else s)
        answers[name] = replayed(CATALOGUE, check, spoilt, promtool=promtool).answer
    return answers


@pytest.mark.parametrize(("check", "file"), QUIET_PROMQL, ids=named(QUIET_PROMQL))
def test_a_quiet_replay_whose_series_have_stopped_is_stale(
    check: str, file: ReplayFile, all_of_them: AllOfThem
) -> None:
    outcome = all_of_them(twenty_minutes_later)
    assert (outcome.answer, {remark.kind for remark in outcome.unknown}) == (Answer.unknown, {ReasonKind.stale})


def twenty_minutes_later(check: str, file: ReplayFile, promtool: Evaluator) -> Outcome:
    assert file.replay.data
    assert file.replay.data.prometheus
    at = asked_at(file.replay)
    assert at is not None
    return ask(check, PromtoolSource(file.replay.data.prometheus, at + 1200, promtool=promtool))


@pytest.mark.parametrize(("check", "file"), QUIET_PROMQL, ids=named(QUIET_PROMQL))
def test_half_of_the_nodes_unseen_is_never_clear(check: str, file: ReplayFile, all_of_them: AllOfThem) -> None:
    outcome, twins = all_of_them(with_twins)
    assert outcome.answer is Answer.unknown
    assert file.replay.expect
    assert outcome.looked_at == file.replay.expect.looked_at
    assert outcome.unknown[0].count == twins


def with_twins(check: str, file: ReplayFile, promtool: Evaluator) -> tuple[Outcome, int]:
    """As many hosts again, of which only the always-on series are there."""
    rule = CATALOGUE.cards[check].rule
    assert rule
    assert rule.expected
    always = [s for s in series_objects(file.replay) if s.series.partition("{")[0] in words(rule.expected)]
    names = "|".join(rule.where)
    twins = [s.model_copy(update={"series": re.sub(rf'\b({names})="', r'\1="twin-', s.series)}) for s in always]
    doubled = with_series(file.replay, [*series_objects(file.replay), *twins])
    return replayed(CATALOGUE, check, doubled, promtool=promtool), len(twins)


@pytest.mark.parametrize("check", LOGS)
@pytest.mark.parametrize("text", ["", "\n\n", "nothing of a kernel\n", "\x00\x01\x02\n" * 50])
def test_a_log_without_a_line_of_the_kernel_is_never_clear(check: str, text: str) -> None:
    [replay] = [file.replay for name, file in QUIET if name == check][:1]
    outcome = replayed(CATALOGUE, check, over_log(replay, lambda _: text))
    assert (outcome.answer, outcome.looked_at) == (Answer.unknown, 0)


QUIET_LOGS = [pair for pair in QUIET if pair[0] in LOGS]
DRIVERS = r"NVRM|nvidia|mlx5_core|iommu"


def shows_a_driver(replay: Replay) -> bool:
    assert replay.data
    assert replay.data.logs
    return any(re.search(DRIVERS, text) for text in replay.data.logs.files.values())


@pytest.mark.parametrize(("check", "file"), QUIET_LOGS, ids=named(QUIET_LOGS))
def test_a_quiet_log_without_the_driver_is_never_clear(check: str, file: ReplayFile) -> None:
    # The kernel's log is known by the drivers it shows; of any other, every word may be what it is known by.
    known_by = DRIVERS if CATALOGUE.cards[check].needs.logs == ("kernel",) and shows_a_driver(file.replay) else r"\w+"
    spoilt = over_log(file.replay, lambda text: re.sub(known_by, "other", text))
    assert replayed(CATALOGUE, check, spoilt).answer is Answer.unknown


def series_objects(replay: Replay) -> list[PrometheusSeries]:
    assert replay.data
    assert replay.data.prometheus
    return list(replay.data.prometheus.series)


def series_of(replay: Replay) -> list[str]:
    return [series.series for series in series_objects(replay)]


def with_series(replay: Replay, series: list[PrometheusSeries]) -> Replay:
    assert replay.data
    assert replay.data.prometheus
    data = replay.data.prometheus.model_copy(update={"series": tuple(series)})
    return replay.model_copy(update={"data": replay.data.model_copy(update={"prometheus": data})})


# --- running them ----------------------------------------------------------------------------------------


def test_replays_are_selected_by_check_and_by_case() -> None:
    told: list[str] = []
    records = run_replays(CATALOGUE, ["IL-0224"], progress=lambda name, n, of: told.append(name))
    names = [f"{record.check} {record.replay}" for record in records]
    assert {"gpu/fell_off_bus_log IL-0224.yaml", "gpu/xid_fatal_counted IL-0224.yaml"} <= set(names)
    assert sorted(told) == sorted(names)
    assert all(name.endswith("IL-0224.yaml") for name in names)
    checks = {record.check for record in run_replays(CATALOGUE, ["gpu/fell_off_bus_log"])}
    assert checks == {"gpu/fell_off_bus_log"}
    with pytest.raises(NotFound):
        run_replays(CATALOGUE, ["gpu/fell_off_the_bus"])


def test_without_promtool_the_package_to_install_is_named_and_logs_are_still_replayed() -> None:
    with pytest.raises(ToolMissing, match="Install the package `prometheus`"):
        run_replays(CATALOGUE, PROMQL, promtool="promtool-that-is-not-there")
    assert all(record.passes for record in run_replays(CATALOGUE, LOGS, promtool="promtool-that-is-not-there"))


def test_the_moment_of_firing_is_that_of_the_first_scrape_with_the_event() -> None:
    """The counter of Xid 48 is first there in the sixteenth sample, one a minute."""
    [file] = [f for f in CATALOGUE.replays("gpu/xid_fatal_counted") if f.name == "one_event_between_pages.yaml"]
    assert run_replay(CATALOGUE, "gpu/xid_fatal_counted", file).fired_at == 15 * 60
    assert file.replay.expect
    late = file.replay.expect.model_copy(update={"fires_at": "16m"})
    assert "first found at 900" in difference(late, replayed(CATALOGUE, "gpu/xid_fatal_counted", file.replay), 900)


def test_only_what_must_be_found_has_a_moment_of_firing() -> None:
    [file] = [f for f in CATALOGUE.replays("gpu/xid_fatal_counted") if f.name == "older_than_an_hour.yaml"]
    assert run_replay(CATALOGUE, "gpu/xid_fatal_counted", file).fired_at is None
