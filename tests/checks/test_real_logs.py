"""The GPU log check over kernel logs of real machines."""

from pathlib import Path

import pytest

from kb.checks.card import Answer
from kb.checks.catalogue import Catalogue
from kb.checks.run import Sources, run_checks
from kb.checks.sources.logs import LogFiles

CHECK = "gpu/fell_off_bus_log"


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "lines"), [("kmsg.1.log", 47), ("kmsg.2.peermem.log", 8)])
def test_the_kernel_log_of_a_real_gpu_host_is_clear_and_every_message_was_looked_at(
    real_data: Path, name: str, lines: int
) -> None:
    path = real_data / "gpud" / "kmsg" / name
    assert path.is_file(), f"no file {path}"
    report = run_checks(Catalogue.load(), Sources(logs=LogFiles([str(path)])), data_version="t", checks=[CHECK])
    assert report.answers[CHECK] is Answer.clear
    assert report.looked_at[CHECK] == lines


@pytest.mark.real_data
def test_one_line_more_in_the_real_log_is_found_with_its_number(real_data: Path, tmp_path: Path) -> None:
    text = (real_data / "gpud" / "kmsg" / "kmsg.1.log").read_text(encoding="utf-8").rstrip("\n")
    path = tmp_path / "kmsg.log"
    lost = "3,4100,399000000,-;NVRM: Xid (PCI:0000:9a:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off"
    path.write_text(f"{text}\n{lost} the bus.\n", encoding="utf-8")
    report = run_checks(Catalogue.load(), Sources(logs=LogFiles([str(path)])), data_version="t", checks=[CHECK])
    [finding] = report.findings
    assert finding.finding.where["gpu"] == "0000:9a:00"
    assert finding.finding.evidence.line_number == len(text.split("\n")) + 1
