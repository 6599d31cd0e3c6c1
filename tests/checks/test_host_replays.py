"""Checks of one node: spoilt replays, whatever is missing, and real files."""

import errno
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kb.checks.ask import judge_of, judged
from kb.checks.card import Answer, Must, SourceName
from kb.checks.catalogue import Catalogue, ReplayFile
from kb.checks.contract import Outcome, ReasonKind
from kb.checks.knobs import settle
from kb.checks.nvidia_smi import outputs
from kb.checks.run import Sources, run_checks
from kb.checks.sources import host
from kb.checks.sources.host import HostFiles, HostFolder, HostLive
from kb.errors import InvalidValue
from kb.settings import Settings

CATALOGUE = Catalogue.load()
HOST = sorted(check for check, card in CATALOGUE.cards.items() if card.kind is SourceName.host)
FILES = [(check, file) for check in HOST for file in CATALOGUE.replays(check)]
FOUND = [pair for pair in FILES if pair[1].replay.must is Must.found]
QUIET = [pair for pair in FILES if pair[1].replay.must is Must.clear]
#: What is wrong in the replays, and what stands there on a healthy node.
HEALTHY = {
    r">Yes<": ">No<", r": Yes$": ": No", r">Active<": ">Not Active<", r": Active$": ": Not Active",
    r">2</dram": ">0</dram", r"(DRAM Uncorrectable +): 1": r"\1: 0", r">Disabled<": ">Enabled<",
    r"(Mode +|Current +): Disabled": r"\1: Enabled", r">8x<": ">16x<", r": [48]x": ": 16x", r"In Progress": "Completed",
    r">N/A</status": ">Success</status", r"ERR!": "40 C", r"<inactive>": "25 GB/s", r"1: DOWN|2: INIT": "4: ACTIVE",
    r"200 Gb/sec \(2X NDR\)": "400 Gb/sec (4X NDR)", r"^65535$": "12", r"^65536$": "unlimited",
    r"(locked memory +)65536( +)65536": r"\1unlimited\2unlimited", r"mlx5_ib": "nvidia_peermem", r"^1$": "0",
}  # fmt: skip


def named(pairs: list[tuple[str, ReplayFile]]) -> list[str]:
    return [f"{check} {file.name}" for check, file in pairs]


def answer(check: str, tree: dict[str, str]) -> Outcome:
    return judged(judge_of(CATALOGUE, check), HostFiles("replay", tree), settle(CATALOGUE.cards[check]))


def tree_of(file: ReplayFile) -> dict[str, str]:
    assert file.replay.data
    assert file.replay.data.host
    return file.replay.data.host.tree


def healed(text: str) -> str:
    out = text
    for wrong, healthy in HEALTHY.items():
        out = re.sub(wrong, healthy, out, flags=re.M)
    return out


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_a_found_replay_without_its_effect_is_not_found(check: str, file: ReplayFile) -> None:
    tree = {path: healed(text) for path, text in tree_of(file).items()}
    tree = {path: text for path, text in tree.items() if not re.search("is lost|has failed|no answer", text)}
    assert answer(check, tree).answer is not Answer.found


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_a_found_replay_elsewhere_is_found_elsewhere(check: str, file: ReplayFile) -> None:
    assert file.replay.expect
    elsewhere = {
        "mlx5_": "mlx5_9",
        "nvidia-smi": "smi",
        "nvlink-s": "links",
        "proc/811": "proc/911",
        "^proc/": "p/proc/",
    }
    moved = {}
    for path, text in tree_of(file).items():
        new = path
        for here, there in elsewhere.items():
            new = re.sub(here, there, new)
        moved[new] = text.replace("GPU-", "GPU-9")
    places = [dict(finding.where) for finding in answer(check, moved).findings]
    assert places != list(file.replay.expect.where)


@pytest.mark.parametrize(("check", "file"), QUIET, ids=named(QUIET))
def test_a_quiet_node_of_which_any_file_is_missing_or_empty_is_never_clear_of_more(
    check: str, file: ReplayFile
) -> None:
    expect = file.replay.expect
    assert expect
    assert expect.looked_at
    for path in tree_of(file):
        for rest in ({k: v for k, v in tree_of(file).items() if k != path}, {**tree_of(file), path: ""}):
            outcome = answer(check, rest)
            assert outcome.answer is not Answer.clear or outcome.looked_at <= expect.looked_at
    assert answer(check, {}).answer is Answer.unknown


@pytest.mark.parametrize("check", HOST)
def test_an_empty_folder_is_unknown_with_a_way_to_fill_it(check: str, tmp_path: Path) -> None:
    report = run_checks(CATALOGUE, Sources(host=HostFolder(tmp_path)), data_version="t", checks=[check])
    assert report.exit_status == 3
    assert all(item.unknown.kind is ReasonKind.no_series and item.unknown.remedy.ko for item in report.unknown)


@pytest.mark.real_data
def test_a_healthy_h100_host_stays_clear_though_its_counters_are_not_zero() -> None:
    folder = HostFolder(Settings().real_data / "gpud")
    report = run_checks(CATALOGUE, Sources(host=folder), data_version="t", checks=HOST)
    assert report.findings == ()
    clear = {check: report.looked_at[check] for check, said in report.answers.items() if said is Answer.clear}
    assert clear == {
        "fabric/ib_port_not_active": 9,
        "fabric/ib_rate_below_twins": 9,
        "fabric/ib_counter_saturated": 9,
        "nvlink/smi_link_inactive": 96,
    }


def test_a_folder_is_read_within_itself_only(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("NVIDIA-SMI has failed because of nothing", encoding="utf-8")
    folder = tmp_path / "node"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "link.txt").symlink_to(secret)
    (folder / "binary").write_bytes(b"NVIDIA-SMI has failed\0\0")
    source = HostFolder(folder)
    assert source.paths("link.txt") == ("a/link.txt",)
    assert source.text("a/link.txt") is None
    assert source.outputs("NVIDIA-SMI has failed") == ()
    with pytest.raises(InvalidValue, match="not a folder"):
        HostFolder(secret)


def test_more_files_than_a_node_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "MAX_FILES", 3)
    for number in range(5):
        (tmp_path / str(number)).touch()
    with pytest.raises(InvalidValue, match="more than 3 files"):
        HostFolder(tmp_path)


def test_what_cannot_be_read_is_told_once_and_to_those_who_asked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "MAX_BYTES", 40)
    (tmp_path / "smi.txt").write_text("NVIDIA-SMI has failed" + " and more" * 9, encoding="utf-8")
    (tmp_path / "broken").write_text("4: ACTIVE", encoding="utf-8")
    real = Path.open

    def opened(path: Path, *rest: str) -> object:
        if path.name == "broken":
            raise OSError(errno.EIO, "Input/output error")
        return real(path, *rest)

    monkeypatch.setattr(Path, "open", opened)
    for source in (HostFolder(tmp_path), HostLive(tmp_path, {})):
        source._files = {path: tmp_path / path for path in ("smi.txt", "broken")}
        for _ in range(3):
            assert source.outputs("NVIDIA-SMI has failed") == ()
            assert source.text("broken") is None
        assert [(p.kind, p.where[0]["file"].rsplit("/", 1)[1], p.count) for p in source.problems()] == [
            (ReasonKind.crash, "broken", 1), (ReasonKind.unsupported, "smi.txt", 1),
        ]  # fmt: skip
        assert all(problem.reason.ko and problem.remedy.ko for problem in source.problems())
        with ThreadPoolExecutor(1) as other:
            assert other.submit(source.problems).result() == ()


def test_a_counter_that_a_device_does_not_have_is_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counter").touch()

    def opened(path: Path, *_: str) -> object:
        raise OSError(errno.EINVAL, "Invalid argument")

    source = HostFolder(tmp_path)
    monkeypatch.setattr(Path, "open", opened)
    assert (source.text("counter"), source.problems()) == (None, ())


def test_a_folder_that_cannot_be_listed_leaves_every_check_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    real = os.scandir

    def listed(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", listed)
    [problem] = HostFolder(tmp_path).problems()
    assert problem.kind is ReasonKind.forbidden
    assert problem.where[0]["file"].endswith("closed")


def test_a_live_node_is_read_where_it_is_and_a_tool_that_hangs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "sys/devices/mlx5_0"
    (real / "ports/1").mkdir(parents=True)
    (real / "ports/1/state").write_text("4: ACTIVE\n", encoding="utf-8")
    (tmp_path / "sys/class/infiniband").mkdir(parents=True)
    (tmp_path / "sys/class/infiniband/mlx5_0").symlink_to(real)
    live = HostLive(tmp_path, {})
    assert live.text("sys/class/infiniband/mlx5_0/ports/1/state") == "4: ACTIVE"
    monkeypatch.setattr(host, "COMMAND_SECONDS", 0.1)
    hanging = HostLive(tmp_path, {"commands/nvidia-smi-q.xml": ("sleep", "5"), "commands/none": ("no-such-tool",)})
    outcome = judged(judge_of(CATALOGUE, "gpu/smi_not_answering"), hanging, settle(CATALOGUE.cards[HOST[0]]))
    assert outcome.answer is Answer.found
    assert "no answer within" in outcome.findings[0].evidence.line


def test_both_forms_of_nvidia_smi_give_the_same_fields() -> None:
    [found] = [f for c, f in FOUND if c == "gpu/smi_slowdown_active" and f.name == "found.yaml"]
    [plain] = [f for c, f in FOUND if c == "gpu/smi_slowdown_active" and f.name == "found_in_text_form.yaml"]
    [xml] = outputs(HostFiles("t", tree_of(found)))
    [text] = outputs(HostFiles("t", {f"rack/n7/{k}": v for k, v in tree_of(plain).items()}))
    assert (xml.attached, len(xml.gpus), text.attached, len(text.gpus)) == (2, 2, 2, 2)
    assert text.gpus[0].where["host"] == "n7"
    assert text.gpus[0].first("temperature/gpu current temp") == "33 C"
    assert xml.gpus[0].first("temperature/gpu temp") == "41 C"
    assert ("clocks throttle reasons/hw slowdown/hw power brake slowdown", "Active") in text.gpus[0].fields


def test_an_output_with_entities_or_cut_is_damaged() -> None:
    for text in ("<nvidia_smi_log><gpu id='1'>", '<!DOCTYPE nvidia_smi_log [<!ENTITY a "b">]><nvidia_smi_log/>'):
        assert outputs(HostFiles("t", {"a.xml": text}))[0].damaged
