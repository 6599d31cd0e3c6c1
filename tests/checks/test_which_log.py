"""A log is for the checks that read its kind; the others were not given theirs, and say nothing of it."""

import io

from rich.console import Console

from kb.checks.catalogue import Catalogue
from kb.checks.report import OTHER_LOG, Report
from kb.checks.report_markdown import markdown
from kb.checks.run import Sources, run_checks
from kb.checks.sources.logs import LogTexts
from kb.cli.reporting import draw
from kb.model import Lang

CATALOGUE = Catalogue.load()
KERNEL = (
    "[    1.000000] nvidia: module license 'NVIDIA' taints kernel.\n"
    "[    2.000000] NVRM: loading NVIDIA UNIX Open Kernel Module\n"
)
KERNEL_CHECKS = {check for check, card in CATALOGUE.cards.items() if "kernel" in card.needs.logs}


def look(*, checks: list[str] | None = None, **files: str) -> Report:
    return run_checks(CATALOGUE, Sources(logs=LogTexts(files)), data_version="t", checks=checks)


def test_a_kernel_log_is_judged_by_the_checks_of_kernel_logs_alone() -> None:
    report = look(dmesg=KERNEL)
    assert set(report.answers) >= KERNEL_CHECKS
    assert not [check for check in report.answers if check.startswith("training/")]
    assert report.answers["gpu/xid_kernel_log"] == "clear"
    assert "training/loss_nan" in report.skipped[OTHER_LOG]
    assert not any(item.unknown.foreign for item in report.unknown)


def test_a_training_log_beside_it_is_for_its_own_checks() -> None:
    steps = "".join(
        f" iteration {n:8d}/  100000 | elapsed time per iteration (ms): 900.0 | lm loss: 2.{n}E+00 | grad norm: 1.0 |\n"
        for n in range(100, 140)
    )
    report = look(dmesg=KERNEL, train=steps)
    assert report.answers["gpu/xid_kernel_log"] == "clear"
    assert report.answers["training/loss_nan"] == "clear"
    assert not any(item.unknown.foreign for item in report.unknown)


def test_a_file_that_nobody_recognises_stays_unknown() -> None:
    report = look(dmesg=KERNEL, hello="hello world\n")
    assert report.answers["gpu/xid_kernel_log"] == "unknown"
    assert {place["file"] for item in report.unknown if item.unknown.foreign for place in item.unknown.where} == {
        "hello"
    }
    alone = look(hello="hello world\n")
    assert (alone.exit_status, set(alone.answers)) == (3, KERNEL_CHECKS)


def test_a_check_that_is_asked_by_name_says_that_it_was_not_given_its_log() -> None:
    report = look(dmesg=KERNEL, checks=["training/loss_nan"])
    assert [item.check for item in report.unknown] == ["training/loss_nan"]


def test_no_form_of_the_report_says_that_a_source_is_lacking_where_only_the_kind_of_log_is() -> None:
    report = look(dmesg=KERNEL)
    drawn = io.StringIO()
    draw(Console(file=drawn, width=200), report, Lang.en)
    reasons = {row["kind"]: row["reason"] for row in report.as_dict()["skipped"]}
    assert reasons[OTHER_LOG] == "none of the given logs is of their kind"
    assert reasons["prometheus"] == "no prometheus source given"
    for text in (drawn.getvalue(), markdown(report, Lang.en)):
        assert "none of the given logs is of their kind" in text
        assert "other log" not in text
    assert "준 로그 가운데" in markdown(report, Lang.ko)
