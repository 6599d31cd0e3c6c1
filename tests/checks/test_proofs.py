from pathlib import Path

import pytest

from kb.checks.card import Answer
from kb.checks.proofs import ProofRecord, Proofs, digest
from kb.errors import DataError


def record(replay: str = "a.yaml", **changes: object) -> ProofRecord:
    fields: dict[str, object] = {
        "check": "gpu/a",
        "replay": replay,
        "check_digest": "c1",
        "replay_digest": "r1",
        "expected": Answer.found,
        "actual": Answer.found,
        "passes": True,
        "looked_at": 2,
        "where": ({"host": "호스트1"},),
        "fired_at": 90.0,
        "tool": "promtool 2.42.0",
    }
    return ProofRecord.model_validate(fields | changes)


def test_what_is_written_is_read_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "proofs.json"
    proofs = Proofs([record("b.yaml", passes=False, why_not="answered clear, not found"), record()])
    proofs.write(path)
    assert dict(Proofs.read(path).records) == dict(proofs.records)


def test_equal_proofs_are_equal_bytes_whatever_their_order(tmp_path: Path) -> None:
    Proofs([record("a.yaml"), record("b.yaml")]).write(tmp_path / "1.json")
    Proofs([record("b.yaml"), record("a.yaml")]).write(tmp_path / "2.json")
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()
    assert "호스트1" in (tmp_path / "1.json").read_text(encoding="utf-8")


def test_no_file_is_no_proof(tmp_path: Path) -> None:
    assert not Proofs.read(tmp_path / "proofs.json").records


def test_no_proof_is_written_as_an_empty_list(tmp_path: Path) -> None:
    Proofs().write(tmp_path / "proofs.json")
    assert not Proofs.read(tmp_path / "proofs.json").records


@pytest.mark.parametrize("text", ["", "{}", '[{"check": "gpu/a"}]', "[1]"])
def test_a_file_of_another_form_says_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "proofs.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"proofs\.json.*kb replay --record"):
        Proofs.read(tmp_path / "proofs.json")


def test_a_record_holds_only_for_the_texts_it_was_made_from() -> None:
    proofs = Proofs([record()])
    assert proofs.holds(("gpu/a", "a.yaml"), "c1", "r1") == record()
    assert proofs.holds(("gpu/a", "a.yaml"), "c2", "r1") is None
    assert proofs.holds(("gpu/a", "a.yaml"), "c1", "r2") is None
    assert proofs.holds(("gpu/a", "b.yaml"), "c1", "r1") is None


def test_newer_records_replace_older_ones_and_those_of_lost_replays_go() -> None:
    proofs = Proofs([record("a.yaml"), record("b.yaml")]).merged([record("a.yaml", looked_at=5)])
    assert proofs.records[("gpu/a", "a.yaml")].looked_at == 5
    assert list(proofs.only([("gpu/a", "b.yaml")]).records) == [("gpu/a", "b.yaml")]


def test_a_digest_sees_where_one_part_ends_and_the_next_begins() -> None:
    assert digest(b"ab", b"c") != digest(b"a", b"bc")
    assert digest(b"ab") == digest(b"ab")
