import shutil
import threading
from pathlib import Path

import pytest

from kb.checks.card import Answer
from kb.checks.catalogue import BUILT_IN, Catalogue
from kb.checks.contract import Evidence, Finding, Knobs, Outcome, Source
from kb.checks.report import finding_id
from kb.checks.run import Job, Sources, run_checks, run_jobs
from kb.checks.sources.logs import LogFiles, LogTexts
from kb.errors import InvalidValue, NotFound, UnknownArgument
from kb.model import Lang
from tests.checks.fakes import FakePrometheus, failing, vector

LOG, XID = "gpu/fell_off_bus_log", "gpu/xid_fatal_counted"
QUIET = "Nov  3 01:00:01 n1 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07\n"
LOST = "Nov  3 01:00:02 n1 kernel: NVRM: Xid (PCI:0000:07:00): 79, pid=0, GPU has fallen off the bus.\n"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """Two checks of different kinds, so that these tests do not move whenever a check is added."""
    whole = Catalogue.load()
    return Catalogue({check: whole.folders[check] for check in sorted((LOG, XID))}, whole.proofs)


def logs(text: str) -> Sources:
    return Sources(logs=LogTexts({"kern.log": text}))


def gpus(expr: str, at: float) -> list:
    return vector({"hostname": "n1", "gpu": "0", "UUID": "U"}) if "count by" in expr else []


def outcomes(judges: dict, deadline: float = 30.0, parallel: int = 4) -> dict[str, Outcome]:
    source = LogTexts({})
    jobs = [Job(name, judge, source, Knobs(), deadline) for name, judge in judges.items()]
    return run_jobs(jobs, parallel, lambda check: None)


def clear(source: Source, knobs: Knobs) -> Outcome:
    return Outcome(looked_at=1)


def test_a_quiet_log_is_clear_and_ends_with_status_0(catalogue: Catalogue) -> None:
    report = run_checks(catalogue, logs(QUIET), data_version="v1", checks=[LOG], started="2026-11-29T00:00:00Z")
    assert report.exit_status == 0
    assert (report.looked_at, report.looked_at_total) == ({LOG: 1}, 1)
    assert report.skipped == {}


def test_checks_without_a_source_are_counted_by_kind(catalogue: Catalogue) -> None:
    report = run_checks(catalogue, logs(QUIET), data_version="v1")
    assert XID in report.skipped["prometheus"]
    assert LOG not in report.skipped["prometheus"]


def test_a_finding_ends_with_status_1_and_says_all_there_is_to_say(catalogue: Catalogue) -> None:
    report = run_checks(catalogue, logs(QUIET + LOST), data_version="v1", checks=[LOG], started="2026-11-29T00:00:00Z")
    answer = report.as_dict(Lang.ko)
    assert report.exit_status == 1
    [finding] = answer["findings"]
    assert finding["message"] == "n1: PCI 0000:07:00의 GPU가 버스에서 이탈했습니다."
    assert finding["where"] == {"host": "n1", "gpu": "0000:07:00"}
    assert (finding["evidence"]["file"], finding["evidence"]["line_number"]) == ("kern.log", 2)
    assert finding["evidence"]["line"] == LOST.rstrip("\n")
    assert (finding["next_step"], finding["severity"]) == ("reboot-node", "critical")
    assert "IL-0224" in finding["cases"]
    assert finding["id"] == finding_id(LOG, {"gpu": "0000:07:00", "host": "n1"})
    assert (answer["data_version"], answer["started"]) == ("v1", "2026-11-29T00:00:00Z")


def test_something_unknown_ends_with_status_3(catalogue: Catalogue) -> None:
    report = run_checks(catalogue, logs("no kernel here\n"), data_version="v1")
    assert report.exit_status == 3
    assert report.as_dict()["unknown"][0]["reason_kind"] == "no-series"


def test_without_any_source_nothing_was_judged_and_the_status_is_3(catalogue: Catalogue) -> None:
    report = run_checks(catalogue, Sources(), data_version="v1")
    assert report.exit_status == 3
    skipped = report.as_dict()["skipped"]
    assert {(item["reason"], item["count"]) for item in skipped} == {
        ("no logs source given", 1),
        ("no prometheus source given", 1),
    }


def test_a_check_named_without_its_source_is_unknown_rather_than_skipped(catalogue: Catalogue) -> None:
    report = run_checks(catalogue, logs(QUIET), data_version="v1", checks=[XID, LOG])
    assert (report.answers[XID], report.answers[LOG]) == (Answer.unknown, Answer.clear)
    assert (report.exit_status, report.skipped) == (3, {})
    assert "--prometheus" in report.as_dict()["unknown"][0]["remedy"]


@pytest.mark.parametrize("kind", ["timeout", "forbidden", "crash", "unsupported"])
def test_a_source_that_is_down_is_unknown_with_its_reason(catalogue: Catalogue, kind: str) -> None:
    report = run_checks(catalogue, Sources(prometheus=failing(kind)), data_version="v1")
    assert report.exit_status == 3
    assert [item["reason_kind"] for item in report.as_dict()["unknown"]] == [kind]


def test_the_time_of_the_report_is_the_source_s_own(catalogue: Catalogue) -> None:
    sources = Sources(prometheus=FakePrometheus(gpus, at=0.0))
    report = run_checks(catalogue, sources, data_version="v1")
    assert (report.started, report.exit_status) == ("1970-01-01T00:00:00Z", 0)


def test_knobs_reach_the_query_and_a_foreign_one_is_refused(catalogue: Catalogue) -> None:
    source = FakePrometheus(gpus)
    run_checks(catalogue, Sources(prometheus=source), data_version="v1", knobs={XID: {"codes": "13"}})
    assert any('xid=~"13"' in ask.expr for ask in source.asked)
    with pytest.raises(UnknownArgument, match="no knob"):
        run_checks(catalogue, Sources(), data_version="v1", knobs={XID: {"code": "13"}})
    with pytest.raises(InvalidValue, match="not run"):
        run_checks(catalogue, Sources(), data_version="v1", checks=[LOG], knobs={XID: {"codes": "13"}})


def test_a_check_that_does_not_exist_is_refused_with_the_nearest(catalogue: Catalogue) -> None:
    with pytest.raises(NotFound, match="Nearest: gpu/xid_fatal_counted"):
        run_checks(catalogue, Sources(), data_version="v1", checks=["gpu/xid_fatal"])


def test_a_log_that_could_not_be_read_is_unknown_even_if_the_check_forgets_it(tmp_path: Path) -> None:
    folder = tmp_path / "gpu" / "fell_off_bus_log"
    shutil.copytree(BUILT_IN / "gpu" / "fell_off_bus_log", folder)
    forgetful = "from kb.checks.contract import Outcome\n\n\ndef check(logs, knobs):\n    lines = list(logs.lines())\n"
    (folder / "check.py").write_text(f"{forgetful}    return Outcome(looked_at=len(lines))\n", encoding="utf-8")
    good = tmp_path / "kern.log"
    good.write_text(QUIET, encoding="utf-8")
    sources = Sources(logs=LogFiles([str(good), str(tmp_path / "none.log")]))
    report = run_checks(Catalogue.load([tmp_path]), sources, data_version="v1")
    assert (report.exit_status, report.looked_at_total) == (3, 1)
    assert "none.log" in report.as_dict()["unknown"][0]["reason"]


def test_a_source_that_could_not_be_read_whole_is_unknown_rather_than_not_applicable(tmp_path: Path) -> None:
    folder = tmp_path / "gpu" / "fell_off_bus_log"
    shutil.copytree(BUILT_IN / "gpu" / "fell_off_bus_log", folder)
    (folder / "check.py").write_text(
        "from kb.checks.contract import Outcome\nfrom kb.model import Text\n\n\ndef check(logs, knobs):\n"
        "    list(logs.lines())\n    return Outcome(not_applicable=Text(en='No such thing here.', ko='없습니다.'))\n",
        encoding="utf-8",
    )
    good = tmp_path / "kern.log"
    good.write_text(QUIET, encoding="utf-8")
    catalogue = Catalogue.load([tmp_path])
    whole = run_checks(catalogue, Sources(logs=LogFiles([str(good)])), data_version="v1", checks=[LOG])
    assert whole.answers[LOG] is Answer.not_applicable
    cut = Sources(logs=LogFiles([str(good), str(tmp_path / "none.log")]))
    report = run_checks(catalogue, cut, data_version="v1", checks=[LOG])
    assert (report.answers[LOG], report.exit_status) == (Answer.unknown, 3)


def test_a_crash_is_unknown_and_leaves_the_others_alone() -> None:
    def crash(source: Source, knobs: Knobs) -> Outcome:
        raise ZeroDivisionError("by zero")

    got = outcomes({"gpu/a": crash, "gpu/b": clear})
    assert (got["gpu/a"].answer, got["gpu/b"].answer) == (Answer.unknown, Answer.clear)
    assert "ZeroDivisionError" in got["gpu/a"].unknown[0].reason.en


def test_an_outcome_that_would_be_clear_over_nothing_is_unknown() -> None:
    got = outcomes({"gpu/a": lambda source, knobs: Outcome(looked_at=0)})
    assert (got["gpu/a"].answer, got["gpu/a"].unknown[0].kind) == (Answer.unknown, "crash")


def test_a_check_that_hangs_is_unknown_at_its_deadline_and_holds_up_no_other() -> None:
    release = threading.Event()

    def hang(source: Source, knobs: Knobs) -> Outcome:
        release.wait(60)
        return Outcome(looked_at=1)

    got = outcomes({"gpu/a": hang, "gpu/b": clear, "gpu/c": clear}, deadline=0.05, parallel=1)
    release.set()
    assert got["gpu/a"].unknown[0].kind == "timeout"
    assert (got["gpu/b"].answer, got["gpu/c"].answer) == (Answer.clear, Answer.clear)


def test_the_order_of_the_report_does_not_depend_on_who_is_done_first(catalogue: Catalogue) -> None:
    text = "".join(LOST.replace("07:00", f"{n:02x}:00") for n in (9, 3, 200, 17)) + QUIET
    reports = [run_checks(catalogue, logs(text), data_version="v1").as_dict() for _ in range(2)]
    assert reports[0] == reports[1]
    places = [finding["where"]["gpu"] for finding in reports[0]["findings"]]
    assert places == sorted(places)
    assert len(places) == 4


def test_progress_is_told_of_every_check_that_was_run(catalogue: Catalogue) -> None:
    told: list[tuple[str, int, int]] = []
    sources = Sources(prometheus=FakePrometheus(gpus), logs=LogTexts({"kern.log": QUIET}))
    run_checks(catalogue, sources, data_version="v1", progress=lambda check, n, of: told.append((check, n, of)))
    assert sorted(check for check, _, _ in told) == [LOG, XID]
    assert [(n, of) for _, n, of in told] == [(1, 2), (2, 2)]


def test_a_finding_keeps_its_id_when_only_its_value_changes() -> None:
    first = Finding({"a": "1", "b": "2"}, Evidence(value=1.0))
    later = Finding({"b": "2", "a": "1"}, Evidence(value=9.0))
    assert finding_id(XID, first.where) == finding_id(XID, later.where)
    assert finding_id(XID, first.where) != finding_id(LOG, first.where)


def test_a_check_py_that_cannot_be_loaded_is_unknown_and_the_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "gpu" / "fell_off_bus_log"
    shutil.copytree(BUILT_IN / "gpu" / "fell_off_bus_log", folder)
    (folder / "check.py").write_text("this is no Python\n", encoding="utf-8")
    report = run_checks(Catalogue.load([tmp_path]), logs(QUIET), data_version="v1")
    assert report.exit_status == 3
    assert "check.py cannot be loaded" in report.as_dict()["unknown"][0]["reason"]
