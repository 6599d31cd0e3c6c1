"""Whether the input files were touched, told by what the file system knows of them."""

import os
import shutil
from pathlib import Path

import pytest

from kb import english, inputs, text_index
from kb.builds import Shelf, shelf
from kb.settings import Settings


@pytest.fixture
def rooted(tmp_path: Path) -> Settings:
    root = tmp_path / "data"
    (root / "incidents").mkdir(parents=True)
    (root / "incidents" / "IL-0001.yaml").write_text("id: IL-0001\n", encoding="utf-8")
    (root / "proofs.json").write_text("[]", encoding="utf-8")
    return Settings(data=str(root), cache=tmp_path / "cache", vectors=False)


def digest(settings: Settings) -> str:
    return inputs.look(settings).digest


def case(settings: Settings) -> Path:
    return settings.data_roots[0] / "incidents" / "IL-0001.yaml"


def test_untouched_files_look_the_same(rooted: Settings) -> None:
    assert digest(rooted) == digest(rooted)


def test_every_kind_of_change_is_seen(rooted: Settings) -> None:
    seen = [digest(rooted)]
    status = case(rooted).stat()
    case(rooted).write_text("id: IL-0002\n", encoding="utf-8")
    # Of the same size, and with its old time put back: the time of the change of its entry still tells.
    os.utime(case(rooted), ns=(status.st_atime_ns, status.st_mtime_ns))
    seen.append(digest(rooted))
    shutil.copy2(case(rooted), case(rooted).with_name("IL-0003.yaml"))
    seen.append(digest(rooted))
    case(rooted).unlink()
    seen.append(digest(rooted))
    (rooted.data_roots[0] / "proofs.json").write_text("[ ]", encoding="utf-8")
    seen.append(digest(rooted))
    assert len(set(seen)) == len(seen)


def test_checks_and_their_replays_are_looked_at(
    rooted: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    replay = tmp_path / "checks" / "gpu" / "xid" / "replays" / "one.yaml"
    replay.parent.mkdir(parents=True)
    replay.write_text("must: found\n", encoding="utf-8")
    monkeypatch.setattr(inputs, "CHECKS", tmp_path / "checks")
    before = digest(rooted)
    replay.write_text("must: clear\n\n", encoding="utf-8")
    assert digest(rooted) != before


def test_another_program_makes_another_build(rooted: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(rooted)
    monkeypatch.setattr(inputs, "LAYOUT", "another")
    assert digest(rooted) != before


@pytest.mark.parametrize("changed", inputs.SOURCES)
def test_a_module_that_works_out_a_build_makes_another_when_it_changes(
    rooted: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, changed: str
) -> None:
    before = digest(rooted)
    for name in inputs.SOURCES:
        copy = tmp_path / "program" / f"{name}.py"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((inputs.HERE / f"{name}.py").read_bytes())
    monkeypatch.setattr(inputs, "HERE", tmp_path / "program")
    assert digest(rooted) == before
    with (tmp_path / "program" / f"{changed}.py").open("a", encoding="utf-8") as copy_of_it:
        copy_of_it.write("K = 2\n")
    assert digest(rooted) != before


def test_another_list_of_words_and_another_stemmer_make_another_build(
    rooted: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest(rooted)
    monkeypatch.setattr(english, "version", lambda: "another")
    after = digest(rooted)
    monkeypatch.setattr(text_index, "stemmer_version", lambda: "another")
    assert len({before, after, digest(rooted)}) == 3


def test_what_is_hidden_or_leads_nowhere_is_passed_over(rooted: Settings) -> None:
    before = digest(rooted)
    folder = rooted.data_roots[0] / "incidents"
    (folder / ".swap").write_text("x", encoding="utf-8")
    (folder / "IL-0009.yaml").symlink_to("nowhere.yaml")
    (folder / "again").symlink_to(rooted.data_roots[0])
    assert digest(rooted) == before


def noted(rooted: Settings, *, settled: bool) -> tuple[Shelf, inputs.Seen]:
    where, seen = shelf(rooted), inputs.Seen(digest(rooted), settled)
    where.folder.mkdir(parents=True, exist_ok=True)
    inputs.note(where, seen, "a-build")
    return where, seen


def test_a_build_is_named_by_the_files_it_was_made_of(rooted: Settings) -> None:
    where, seen = noted(rooted, settled=True)
    assert inputs.made_of(where, seen) == "a-build"
    assert inputs.made_of(where, inputs.Seen("other", settled=True)) is None


def test_files_changed_just_now_name_no_build(rooted: Settings) -> None:
    assert not inputs.look(rooted).settled
    where, seen = noted(rooted, settled=False)
    assert inputs.made_of(where, seen) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"digest": 1}'])
def test_a_damaged_note_names_no_build(rooted: Settings, text: str) -> None:
    where, seen = noted(rooted, settled=True)
    (where.folder / inputs.SEEN).write_text(text, encoding="utf-8")
    assert inputs.made_of(where, seen) is None
