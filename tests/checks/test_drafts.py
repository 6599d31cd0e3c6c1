"""`kb new check` for every kind of source: what it writes loads, runs and passes before anybody has changed it."""

from pathlib import Path

import pytest

from kb.checks.card import CheckStatus, Must
from kb.checks.catalogue import Catalogue
from kb.checks.proofs import Proofs
from kb.checks.replay import run_replay
from kb.errors import InvalidValue, UnknownValue
from kb.scaffold import new_check

READS = {
    "prometheus": "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    "kubernetes": "apps/v1/deployments",
    "logs": "kernel",
    "host": "class/net/*/operstate",
    "steps": "compute_straggler",
}


@pytest.mark.parametrize("kind", READS)
def test_a_draft_of_every_kind_is_proven_as_it_is_written(kind: str, tmp_path: Path) -> None:
    folder = new_check(tmp_path, "gpu/my_new_check", kind=kind, reads=READS[kind])
    assert folder == tmp_path / "gpu" / "my_new_check"
    catalogue = Catalogue.load([tmp_path])
    files = catalogue.replays("gpu/my_new_check")
    assert {file.replay.must for file in files} == set(Must)
    records = [run_replay(catalogue, "gpu/my_new_check", file) for file in files]
    assert [record.why_not for record in records] == [""] * 3
    proven = Catalogue(catalogue.folders, Proofs(records))
    assert proven.status("gpu/my_new_check") is CheckStatus.proven


def test_what_is_asked_for_must_exist_and_be_new(tmp_path: Path) -> None:
    new_check(tmp_path, "gpu/mine", kind="logs", reads="kernel")
    with pytest.raises(InvalidValue, match="exists already"):
        new_check(tmp_path, "gpu/mine", kind="logs", reads="kernel")
    with pytest.raises(InvalidValue, match="Nearest: gpu"):
        new_check(tmp_path, "gpus/mine", kind="logs", reads="kernel")
    with pytest.raises(UnknownValue, match="prometheus, kubernetes, host, logs, steps"):
        new_check(tmp_path, "gpu/other", kind="snmp", reads="x")
