import re
import shutil
from pathlib import Path

import pytest

from kb.checks.card import CheckStatus, LinkState, Replay
from kb.checks.catalogue import BUILT_IN, Catalogue, CatalogueFaults
from kb.checks.exporters import EXPORTERS
from kb.checks.proofs import ProofRecord, Proofs
from kb.checks.replay import record
from kb.errors import DataError, NotFound

LOG, XID = "gpu/fell_off_bus_log", "gpu/xid_fatal_counted"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the log check that a test may spoil."""
    shutil.copytree(BUILT_IN / "gpu" / "fell_off_bus_log", tmp_path / "gpu" / "fell_off_bus_log")
    return tmp_path


def edit(root: Path, name: str, old: str, new: str) -> None:
    path = root / "gpu" / "fell_off_bus_log" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def faults(root: Path) -> str:
    with pytest.raises(CatalogueFaults) as caught:
        Catalogue.load([root])
    return "\n".join(str(fault) for fault in caught.value.faults)


def proven(catalogue: Catalogue, check: str, *, but: str = "") -> Catalogue:
    """The catalogue with a passing record for every replay, one excepted."""
    folder = catalogue.folder(check)
    records = [
        ProofRecord(
            check=check,
            replay=file.name,
            check_digest=folder.digest,
            replay_digest=file.digest,
            expected=file.replay.expect.answer,
            actual=file.replay.expect.answer,
            passes=file.name != but,
            tool="a test",
        )
        for file in folder.replays
        if file.replay.expect
    ]
    return Catalogue(catalogue.folders, Proofs(records))


def test_the_shipped_checks_are_read_and_sorted() -> None:
    catalogue = Catalogue.load()
    assert list(catalogue.cards) == sorted(catalogue.cards)
    assert {LOG, XID} <= set(catalogue.cards)


def test_reading_the_catalogue_runs_no_check_s_python(root: Path) -> None:
    edit(root, "check.py", "import re\n", "import re\n\nraise RuntimeError('loaded')\n")
    catalogue = Catalogue.load([root])
    assert catalogue.replays(LOG)
    with pytest.raises(DataError, match=r"check\.py cannot be loaded: loaded"):
        catalogue.function(LOG)


def test_an_unknown_check_is_not_found_and_the_nearest_is_named() -> None:
    with pytest.raises(NotFound, match=r"gpu/fell_off_bus_log"):
        Catalogue.load().folder("gpu/fell_off_bus")


def test_without_proofs_a_check_is_a_draft_and_its_links_are_unproven() -> None:
    catalogue = Catalogue.load()
    assert catalogue.status(LOG) is CheckStatus.draft
    assert {link.state for link in catalogue.links} == {LinkState.unproven}


def test_a_check_is_proven_by_a_passing_replay_of_each_kind() -> None:
    catalogue = proven(Catalogue.load(), LOG)
    assert catalogue.status(LOG) is CheckStatus.proven
    [link] = [link for link in catalogue.links if link.check == LOG]
    assert (link.case, link.state) == ("IL-0224", LinkState.proven)
    assert link.how.ko


def test_a_link_whose_compared_figure_is_not_published_is_rebuilt(root: Path) -> None:
    edit(root, "replays/IL-0224.yaml", "    compared: true\n", "")
    [link] = proven(Catalogue.load([root]), LOG).links
    assert link.state is LinkState.rebuilt


def test_a_replay_that_fails_proves_nothing() -> None:
    catalogue = proven(Catalogue.load(), LOG, but="IL-0224.yaml")
    assert [link.state for link in catalogue.links if link.check == LOG] == [LinkState.unproven]
    assert catalogue.status(LOG) is CheckStatus.proven


@pytest.mark.parametrize("name", ["check.yaml", "check.py"])
def test_a_changed_check_falls_back_to_draft(root: Path, name: str) -> None:
    before = proven(Catalogue.load([root]), LOG)
    with (root / "gpu" / "fell_off_bus_log" / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    after = Catalogue.load([root], before.proofs)
    assert (before.status(LOG), after.status(LOG)) == (CheckStatus.proven, CheckStatus.draft)


def test_captured_replays_found_and_clear_make_a_check_field_proven(root: Path) -> None:
    published = "published: [{what: log, value: quiet, source: 'https://example.org/', where: all}]"
    edit(root, "replays/quiet_kmsg.yaml", "origin: invented", f"origin: captured\n{published}")
    assert proven(Catalogue.load([root]), LOG).status(LOG) is CheckStatus.field_proven


def test_only_a_replay_that_must_be_found_links_a_check_to_its_case(root: Path) -> None:
    shutil.copy(BUILT_IN / "gpu/fell_off_bus_log/replays/IL-0224.yaml", root / "IL-0224.yaml")
    edit(root, "replays/IL-0224.yaml", "must: found", "must: unknown")
    assert "expect.answer" in faults(root)
    edit(root, "replays/IL-0224.yaml", "answer: found", "answer: unknown\n  reason_kind: no-series")
    edit(root, "replays/IL-0224.yaml", '\n  where:\n    - {host: gpu-node, gpu: "0000:41:00"}', "")
    assert Catalogue.load([root]).links == ()


def test_a_link_that_cannot_be_replayed_yet_is_unproven(root: Path) -> None:
    path = root / "gpu/fell_off_bus_log/replays/IL-0003.yaml"
    path.write_text(
        "must: found\ncase: IL-0003\norigin: rebuilt\n"
        "how: {en: By its log., ko: 로그로 압니다.}\n"
        "why_not_replayed: {en: No line is published., ko: 공개된 줄이 없습니다.}\n"
        "published: [{what: a, value: b, source: S1, where: c}]\n",
        encoding="utf-8",
    )
    links = {link.case: link.state for link in proven(Catalogue.load([root]), LOG).links}
    assert links["IL-0003"] is LinkState.unproven


def test_records_are_laid_over_the_known_ones_and_written(root: Path, tmp_path: Path) -> None:
    catalogue = proven(Catalogue.load([root]), LOG)
    gone = catalogue.proofs.records[(LOG, "quiet_kmsg.yaml")].model_copy(update={"replay": "gone.yaml"})
    path = tmp_path / "proofs.json"
    record(catalogue, [gone], path)
    assert set(Proofs.read(path).records) == set(catalogue.proofs.records)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("check.yaml", "id: gpu/fell", "id: gpu/fall", "check.yaml:1: id: `gpu/fall_off_bus_log` lies in"),
        ("check.yaml", "severity: critical", "severity: dire", "severity"),
        ("check.yaml", "function: check\n", "", "rule"),
        ("check.yaml", "kind: logs", "kind: logs\ncolour: red", "colour: no such field"),
        ("replays/quiet_kmsg.yaml", "looked_at: 3", "looked_at: 0", "looked_at: is required for clear"),
        ("replays/quiet_kmsg.yaml", "answer: clear", "answer: found", "is not what it must be"),
        ("replays/quiet_kmsg.yaml", "origin: invented", "origin: invented\nat: 5m", "time axis"),
        ("replays/IL-0224.yaml", "origin: rebuilt", "origin: invented", "invented data shows nothing"),
        ("replays/IL-0224.yaml", "source: S1", "source: somebody", "must be a source id"),
        ("replays/no_driver_in_the_log.yaml", "  reason_kind: no-series\n", "", "is required for unknown"),
        ("replays/no_driver_in_the_log.yaml", "no-series", "bad-luck", "is one of no-series"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_field(root: Path, name: str, old: str, new: str, said: str) -> None:
    edit(root, name, old, new)
    text = faults(root)
    assert said in text
    assert text.startswith(f"gpu/fell_off_bus_log/{name}:")


def test_a_folder_of_no_known_family_is_refused(root: Path) -> None:
    (root / "gpu").rename(root / "gpus")
    edit_path = root / "gpus/fell_off_bus_log/check.yaml"
    edit_path.write_text(edit_path.read_text(encoding="utf-8").replace("id: gpu/", "id: gpus/"), encoding="utf-8")
    assert "`gpus` is no family" in faults(root)


def test_a_missing_check_py_and_a_replay_that_is_too_large_are_refused(root: Path) -> None:
    (root / "gpu/fell_off_bus_log/check.py").unlink()
    replay = root / "gpu/fell_off_bus_log/replays/quiet_kmsg.yaml"
    replay.write_text(replay.read_text(encoding="utf-8") + "# long\n" * 10_000, encoding="utf-8")
    text = faults(root)
    assert "check.py come together" in text
    assert "larger than 65536 bytes" in text


def test_the_same_id_in_two_roots_is_refused(root: Path) -> None:
    with pytest.raises(CatalogueFaults, match="exists in two roots"):
        Catalogue.load([BUILT_IN, root])


def test_a_knob_gives_the_address_of_its_value_or_says_that_it_is_chosen_here(tmp_path: Path) -> None:
    shutil.copytree(BUILT_IN / "gpu" / "fell_off_bus_log", tmp_path / "gpu" / "fell_off_bus_log")
    shutil.copytree(BUILT_IN / "workload" / "job_backoff_exhausted", tmp_path / "workload" / "job_backoff_exhausted")
    card = tmp_path / "workload" / "job_backoff_exhausted" / "check.yaml"
    text = card.read_text(encoding="utf-8")
    assert "source: chosen here" in text
    card.write_text(text.replace("source: chosen here", "source: ours"), encoding="utf-8")
    assert "must be the address that gives the value, or `chosen here`" in faults(tmp_path)


def test_a_rule_that_uses_an_unknown_knob_is_refused(tmp_path: Path) -> None:
    shutil.copytree(BUILT_IN / "gpu" / "xid_fatal_counted", tmp_path / "gpu" / "xid_fatal_counted")
    path = tmp_path / "gpu/xid_fatal_counted/check.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("$codes", "$code").replace("default: 1h", "default: 1s"), encoding="utf-8")
    text = faults(tmp_path)
    assert "$code is no knob" in text
    assert "`codes` is used nowhere" in text
    assert "cannot be 1s" in text


def test_every_shipped_text_is_in_both_languages() -> None:
    for check, folder in Catalogue.load().folders.items():
        card = folder.card
        texts = [card.title, card.about, card.message, card.next_step_detail, *card.false_positives]
        texts += [knob.reason for knob in card.knobs]
        texts += [text for file in folder.replays for text in spoken(file.replay)]
        for text in texts:
            assert text is None or (text.ko and any("가" <= c <= "힣" for c in text.ko)), f"{check}: {text}"


def spoken(replay: Replay) -> list:
    return [replay.how, replay.note, replay.why_not_replayed, *replay.filled_in]


def test_every_exporter_has_one_name_and_every_name_is_used() -> None:
    named = {metric.exporter for card in Catalogue.load().cards.values() for metric in card.needs.metrics}

    assert named == EXPORTERS
    folded = [re.sub(r"[^a-z0-9.]", "", name.lower()) for name in EXPORTERS]
    assert len(set(folded)) == len(folded)
