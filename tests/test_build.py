"""Builds: equal for equal files, whole or not served at all, never lost to a crash, a full disk or a second builder."""

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from kb import build as building
from kb import builds, inputs, tables, text_index, vectors
from kb.build import build
from kb.errors import BuildBusy, BuildError, DataError, NoBuild
from kb.live import LiveLibrary
from kb.questions import ListIncidents, SearchIncidents, ask
from kb.settings import Settings

DRAFT = "review:\n  status: draft\n  on: 2026-11-29\n"


@pytest.fixture
def small(data_root: Path, tmp_path: Path) -> Settings:
    """Settings of a data root of its own, searched by words alone so that a build takes a moment."""
    root = tmp_path / "data"
    shutil.copytree(data_root, root)
    return Settings(data=str(root), cache=tmp_path / "cache", vectors=False)


def retitle(settings: Settings, case_id: str = "IL-0097") -> None:
    """Change one case so that the next build differs."""
    path = settings.data_roots[0] / "incidents" / f"{case_id}.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("  en: One slow GPU", "  en: A single slow GPU", 1), encoding="utf-8")


class CountingEmbedder:
    """Any vectors, and the texts that were asked for."""

    texts: ClassVar[list[str]] = []

    def __init__(self, _models: Path) -> None:
        """Nothing is kept of a model that does not exist."""

    def load(self) -> bool:
        return True

    def encode(self, texts: Sequence[str]) -> vectors.Vectors:
        self.texts.extend(texts)
        return np.eye(1, vectors.DIMENSIONS, dtype=np.float32).repeat(len(texts), axis=0)


def titles(settings: Settings) -> list[str]:
    live = LiveLibrary(settings)
    try:
        answer = live.current().list_incidents(ask(ListIncidents, {"limit": "100"}))
        return [case.title for case in answer.cases]
    finally:
        live.close()


def test_two_builds_of_the_same_files_are_equal(small: Settings, tmp_path: Path) -> None:
    first = build(small)
    second = build(small.model_copy(update={"cache": tmp_path / "other"}))
    assert (first.build, first.data_version) == (second.build, second.data_version)
    asked = ask(SearchIncidents, {"symptoms": "training slowed down"})
    answers = []
    for settings in (small, small.model_copy(update={"cache": tmp_path / "other"})):
        live = LiveLibrary(settings)
        answers.append(live.current().search_incidents(asked).model_dump_json())
        live.close()
    assert answers[0] == answers[1]


def test_a_whole_build_is_not_made_again(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    build(small)
    monkeypatch.setattr(text_index, "build", lambda *_: pytest.fail("built again"))
    build(small)


def test_files_that_nobody_touched_are_not_read_again(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "TOO_YOUNG", -(10**12))
    first = build(small)
    monkeypatch.setattr(building.corpus, "read", lambda *_: pytest.fail("the files were read again"))
    monkeypatch.setattr(building, "read_catalogue", lambda *_: pytest.fail("the checks were read again"))
    assert build(small) == first
    with pytest.raises(pytest.fail.Exception, match="read again"):
        build(small, read_all=True)
    retitle(small)
    with pytest.raises(pytest.fail.Exception, match="read again"):
        build(small)


def test_files_changed_just_now_are_read_again(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "TOO_YOUNG", 10**18)
    build(small)
    monkeypatch.setattr(building.corpus, "read", lambda *_: pytest.fail("read again"))
    with pytest.raises(pytest.fail.Exception):
        build(small)


def test_untouched_files_whose_build_is_damaged_are_built_again(
    small: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "TOO_YOUNG", -(10**12))
    stamp = build(small)
    (builds.shelf(small).build_folder(stamp.build) / "library.sqlite").unlink()
    assert build(small) == stamp
    assert titles(small)


def test_a_whole_build_is_looked_over_once(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    build(small)
    real, looks = building._whole, []
    monkeypatch.setattr(building, "_whole", lambda *given, **more: looks.append(given) or real(*given, **more))
    build(small)
    assert len(looks) == 1


def test_a_build_after_a_changed_text_embeds_that_text_alone(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "Embedder", CountingEmbedder)
    monkeypatch.setattr(CountingEmbedder, "texts", [])
    settings = small.model_copy(update={"vectors": True})
    build(settings)
    first = len(CountingEmbedder.texts)
    CountingEmbedder.texts.clear()
    retitle(settings)
    build(settings)

    assert first > 2000
    assert 1 <= len(CountingEmbedder.texts) <= 3
    assert all("A single slow GPU" in text for text in CountingEmbedder.texts)


def test_other_modules_that_work_it_out_make_another_build(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    before = build(small)
    monkeypatch.setattr(inputs, "SOURCES", ("words",))
    assert build(small).build != before.build


def test_words_of_english_jargon_and_names_of_other_trades_are_no_slips() -> None:
    assert {"sitting", "fsync", "mssql", "카카오톡"} <= building._real_words()


def test_a_library_without_a_served_case_answers_that_it_holds_nothing(small: Settings) -> None:
    for path in (small.data_roots[0] / "incidents").iterdir():
        if path.name == "IL-0097.yaml":
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(r"^review:\n(  .*\n)+", DRAFT, text, flags=re.MULTILINE), encoding="utf-8")
        else:
            path.unlink()
    build(small)
    live = LiveLibrary(small)
    answer = live.current().search_incidents(ask(SearchIncidents, {"symptoms": "pods stuck in Pending"}))
    live.close()

    assert (answer.verdict, answer.count) == ("none", 0)


def test_a_deleted_build_is_made_anew_and_answers_the_same(small: Settings) -> None:
    build(small)
    before = titles(small)
    shutil.rmtree(small.cache_folder)
    build(small)
    assert titles(small) == before


def test_data_version_is_the_newest_review_day_and_seven_digits_of_the_content(small: Settings) -> None:
    before = build(small).data_version
    day, digits = before.split(".")
    assert len(day) == 10
    assert len(digits) == 7
    retitle(small)
    assert build(small).data_version != before


def test_files_that_break_a_rule_are_refused_and_the_old_build_goes_on(small: Settings) -> None:
    build(small)
    before = titles(small)
    path = small.data_roots[0] / "incidents" / "IL-0097.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("  - straggler\n", "  - stragler\n", 1), encoding="utf-8")
    with pytest.raises(DataError, match="stragler"):
        build(small)
    assert titles(small) == before


def test_a_full_disk_is_a_clear_error_and_leaves_nothing_behind(
    small: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(small)
    before = titles(small)
    retitle(small)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(text_index, "build", full)
    with pytest.raises(BuildError, match="No space left on device"):
        build(small)
    assert titles(small) == before
    assert not list(builds.shelf(small).folder.glob(".part-*"))


def test_a_cache_that_cannot_be_written_is_a_clear_error(small: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with pytest.raises(BuildError, match="could not be written"):
        build(small.model_copy(update={"cache": tmp_path / "file" / "cache"}))


def test_a_second_builder_is_told_so(small: Settings) -> None:
    shelf = builds.shelf(small)
    shelf.folder.mkdir(parents=True)
    with building._only_one(shelf, wait=True), pytest.raises(BuildBusy, match="Another process"):
        build(small, wait=False)


def test_two_builders_at_once_make_one_build(small: Settings) -> None:
    command = [sys.executable, "-m", "kb", "build"]
    env = {**os.environ, "KB_DATA": small.data, "KB_CACHE": str(small.cache_folder), "KB_VECTORS": "false"}
    both = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert said[0] == said[1] != ""
    assert len(titles(small)) > 20


def test_a_builder_that_is_killed_leaves_the_served_build_and_is_swept(small: Settings) -> None:
    build(small)
    before = titles(small)
    retitle(small)
    # Stops itself with SIGKILL in the middle of the work, as a person with `kill -9` would.
    script = (
        "import os, signal\n"
        "from kb import text_index\n"
        "from kb.build import build\n"
        "from kb.settings import Settings\n"
        "text_index.build = lambda *a: os.kill(os.getpid(), signal.SIGKILL)\n"
        "build(Settings())\n"
    )
    env = {**os.environ, "KB_DATA": small.data, "KB_CACHE": str(small.cache_folder), "KB_VECTORS": "false"}
    died = subprocess.run([sys.executable, "-c", script], env=env, check=False, timeout=120)
    assert died.returncode == -signal.SIGKILL
    assert list(builds.shelf(small).folder.glob(".part-*"))
    assert titles(small) == before
    build(small)
    assert titles(small) != before
    assert not list(builds.shelf(small).folder.glob(".part-*"))


@pytest.mark.parametrize("damage", ["stamp.json", "library.sqlite", "cases.vectors/arrays.json", "likeness.npz"])
def test_a_damaged_build_is_not_served_and_is_mended_by_the_next_build(small: Settings, damage: str) -> None:
    stamp = build(small)
    folder = builds.shelf(small).build_folder(stamp.build)
    (folder / damage).write_bytes(b"cut")
    with pytest.raises(NoBuild, match="kb build"):
        titles(small)
    build(small)
    assert titles(small)


def test_only_the_served_build_and_the_one_before_it_are_kept(small: Settings) -> None:
    for i in range(4):
        path = small.data_roots[0] / "vocabulary" / "orgs.yaml"
        extra = f"- slug: org-{i}\n  name:\n    en: Org {i}\n    ko: 조직 {i}\n"
        path.write_text(path.read_text(encoding="utf-8") + extra, encoding="utf-8")
        build(small)
    assert len(list(builds.shelf(small).folder.glob("*/stamp.json"))) == building.KEPT_BUILDS


def test_a_running_library_moves_to_a_new_build_between_two_questions(small: Settings) -> None:
    settings = small.model_copy(update={"watch_seconds": 0.0001})
    build(settings)
    live = LiveLibrary(settings)
    old = live.current()
    retitle(settings)
    stamp = build(settings)
    new = live.current()
    assert new.data_version == stamp.data_version != old.data_version
    # Somebody who still holds the old one is answered from it.
    assert old.search_incidents(ask(SearchIncidents, {"symptoms": "slow GPU"})).data_version == old.data_version
    live.close()


def test_a_running_library_outlives_a_broken_pointer(small: Settings) -> None:
    settings = small.model_copy(update={"watch_seconds": 0.0001})
    build(settings)
    live = LiveLibrary(settings)
    before = live.current()
    (builds.shelf(settings).folder / "current").write_text("nothing-like-it\n", encoding="utf-8")
    assert live.current() is before
    live.close()


#: The first is read here as a file, the second as any other database.
@pytest.mark.parametrize("options", ["", "?timeout=5"])
def test_tables_can_live_in_a_database_of_ones_own(small: Settings, tmp_path: Path, options: str) -> None:
    settings = small.model_copy(update={"database_url": f"sqlite:///{tmp_path / 'own.sqlite'}{options}"})
    build(settings)
    assert len(titles(settings)) > 20
    retitle(settings)
    stamp = build(settings)
    assert any(title.startswith("A single slow GPU") for title in titles(settings))
    assert tables.serving(settings.database_url) == stamp.build


def test_a_database_address_without_a_driver_is_a_clear_error(small: Settings) -> None:
    with pytest.raises(BuildError, match="database address"):
        build(small.model_copy(update={"database_url": "nosuchthing://host/db"}))


def test_own_cases_are_laid_over_the_public_ones_and_marked(small: Settings, tmp_path: Path) -> None:
    own = tmp_path / "own" / "incidents"
    own.mkdir(parents=True)
    text = (small.data_roots[0] / "incidents" / "IL-0097.yaml").read_text(encoding="utf-8")
    text = text.replace("id: IL-0097", "id: ACME-0001").replace("slug: bloom-176b", "slug: acme-176b", 1)
    text = text.replace("  occurred:\n    at: 2022-04-28", "  occurred:\n    at: 2022-05-28", 1)
    (own / "ACME-0001.yaml").write_text(text, encoding="utf-8")
    build(small.model_copy(update={"data": f"{small.data}{os.pathsep}{own.parent}"}))
    settings = small.model_copy(update={"data": f"{small.data}{os.pathsep}{own.parent}"})
    live = LiveLibrary(settings)
    found = live.current().list_incidents(ask(ListIncidents, {"limit": "100"}))
    assert "ACME-0001" in [case.id for case in found.cases]
    live.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "is not a folder"),
        (lambda path: path.mkdir(), "no case in the data roots"),
    ],
)
def test_missing_and_empty_data_folders_are_clear_errors(tmp_path: Path, make: object, message: str) -> None:
    make(tmp_path / "data")  # type: ignore[operator]
    with pytest.raises(DataError, match=message):
        build(Settings(data=str(tmp_path / "data"), cache=tmp_path / "cache", vectors=False))
