"""What a cluster could not have seen, and what a Prometheus has of what the checks need."""

import json
from pathlib import Path

import pytest

from kb.checks.blind_spots import BlindSpots, assumed, blind_spots, metrics_of, metrics_there
from kb.checks.card import LinkState
from kb.checks.catalogue import Catalogue
from kb.checks.contract import Sample
from kb.checks.doctor import examine
from kb.checks.proofs import Proofs
from kb.checks.sources import promtool
from kb.errors import InvalidValue, SourceError
from tests.checks.fakes import FakePrometheus, failing
from tests.library_fixtures import DATA
from tests.test_cli import Run, kb

__all__ = ["kb"]

WHOLE = Catalogue.load(proofs=Proofs.read(DATA / "proofs.json"))
#: Two families are enough, and quick.
CATALOGUE = Catalogue(
    {check: folder for check, folder in WHOLE.folders.items() if check.startswith(("gpu/", "host/"))}, WHOLE.proofs
)
STACK = ["node_exporter", "kube-state-metrics"]


def report(*exporters: str) -> BlindSpots:
    return blind_spots(CATALOGUE, assumed(CATALOGUE, [*STACK, *exporters]), looked_in="assumed")


def test_a_cluster_with_everything_hides_nothing() -> None:
    whole = blind_spots(CATALOGUE, metrics_of(CATALOGUE), looked_in="everything")
    assert (whole.hidden, whole.gaps, whole.metrics_missing) == ((), (), ())
    assert whole.seen


def test_without_the_gpu_exporter_its_cases_are_hidden_and_it_is_named_and_fields_that_are_off_are_told() -> None:
    without, default, full = report(), report("dcgm-exporter"), report("dcgm-exporter=all")
    hidden = [{one.case for one in each.hidden} for each in (without, default, full)]
    assert hidden[0] > hidden[1] > hidden[2]
    assert "IL-0210" in hidden[0]
    gap = next(gap for gap in without.gaps if gap.exporter == "dcgm-exporter")
    assert set(gap.cases) == hidden[0] - hidden[2]
    assert {metric.name for metric in gap.missing} >= {"DCGM_FI_DEV_GPU_TEMP", "DCGM_EXP_XID_ERRORS_COUNT"}
    off = next(gap for gap in default.gaps if gap.exporter == "dcgm-exporter")
    assert all(not metric.default_on and metric.switch_on for metric in off.missing)
    assert set(off.cases) == hidden[1] - hidden[2]


def test_a_case_that_another_check_still_finds_is_seen() -> None:
    """IL-0224 is linked to a counter that is off by default; the kernel log is another kind of source."""
    default = report("dcgm-exporter")
    for one in default.hidden:
        assert one.missing
        assert set(one.missing) <= set(default.metrics_missing)
        assert one.case not in default.seen
    assert all(kinds and "prometheus" not in kinds for kinds in default.elsewhere.values())
    linked = {link.case for link in CATALOGUE.links if link.state is not LinkState.unproven}
    assert linked == {*default.seen, *(one.case for one in default.hidden), *default.elsewhere}


def test_metrics_are_asked_for_in_few_bounded_questions() -> None:
    source = FakePrometheus(lambda expr, at: [Sample({"__name__": "up"}, 1.0, at)] if "|up" in expr else [])
    names = [f"metric_{number}" for number in range(100)]
    assert metrics_there(source, [*names, "up"]) == {"up"}
    assert len(source.asked) == 3


def test_a_server_that_does_not_answer_makes_nothing_blind() -> None:
    with pytest.raises(SourceError):
        metrics_there(failing("timeout"), ["up"])


def test_an_exporter_nobody_needs_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidValue) as caught:
        assumed(CATALOGUE, ["node-exporter"])
    assert "node_exporter" in caught.value.nearest


HELD = {"DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_SM_CLOCK", "kube_node_status_capacity", "node_exporter_build_info"}


def older_dcgm(expr: str, at: float) -> list[Sample]:
    """A server whose dcgm-exporter writes `Hostname`, and that has little else."""
    if expr.startswith("count by (__name__)"):
        return [Sample({"__name__": name}, 1.0, at) for name in HELD if name in expr]
    if "DCGM_FI_DRIVER_VERSION" in expr:
        return [Sample({"DCGM_FI_DRIVER_VERSION": "535.161.08"}, 8.0, at)]
    if "DCGM" in expr:
        return [Sample({"__name__": "x", "Hostname": "n1", "gpu": "0", "UUID": "GPU-1"}, 40.0, at)]
    return [Sample({"__name__": "x", "version": "1.8.2"}, 1.0, at)]


def test_the_doctor_tells_versions_gaps_and_labels_under_other_names() -> None:
    found = examine(CATALOGUE, FakePrometheus(older_dcgm))
    assert found.versions == {"node_exporter": ("1.8.2",), "NVIDIA driver": ("535.161.08",)}
    dcgm = next(one for one in found.exporters if one.exporter == "dcgm-exporter")
    assert dcgm.there == ("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_SM_CLOCK")
    assert "DCGM_EXP_XID_ERRORS_COUNT" in {metric.name for metric in dcgm.missing}
    [label] = [one for one in found.labels if (one.metric, one.label) == ("DCGM_FI_DEV_GPU_TEMP", "hostname")]
    assert label.perhaps[0] == "Hostname"
    assert "gpu/temperature_high" in label.checks
    assert 0 < found.checks_ready < found.checks


def test_the_commands_say_what_to_pass_and_what_was_found(kb: Run, tmp_path: Path) -> None:
    assert kb("blind-spots")[0] == 2
    assert "--assume" in kb("blind-spots")[2]
    assert kb("blind-spots", "--assume", "node-exporter")[0] == 2
    assert kb("blind-spots", "--prometheus", "http://127.0.0.1:9")[0] == 3
    names = tmp_path / "names.txt"
    names.write_text("# nothing\n", encoding="utf-8")
    assert kb("blind-spots", "--metrics", str(names))[0] == 2
    names.write_text("\n".join(metrics_of(WHOLE)), encoding="utf-8")
    status, out, _ = kb("blind-spots", "--metrics", str(names), "--json")
    assert (status, json.loads(out)["hidden"]) == (0, [])
    assert kb("doctor")[0] == 2
    assert "kube-state-metrics" in kb("doctor")[2]
    assert kb("doctor", "--prometheus", "http://127.0.0.1:9")[0] == 3


def test_a_promtool_that_fails_makes_nothing_blind(kb: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(program: str, blocks: list[promtool.Block]) -> list[str]:
        raise SourceError("promtool did not end in time.", reason_kind="timeout")

    monkeypatch.setattr(promtool, "run", late)
    with pytest.raises(SourceError, match="could not be run"):
        report()
    status, out, err = kb("blind-spots", "--assume", "node_exporter")
    assert (status, out) == (3, "")
    assert "did not end in time" in err


def test_neither_command_shows_what_lets_in_and_both_find_the_cluster_s_own(
    kb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "give --kube too" in kb("blind-spots", "--prometheus", "auto")[2]
    assert "give --kube too" in kb("doctor", "--prometheus", "auto")[2]
    names = metrics_of(WHOLE)
    source = FakePrometheus(lambda expr, at: [Sample({"__name__": name}, 1.0, at) for name in names if name in expr])
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr("kb.cli.seeing.open_prometheus", lambda *given: asked.append(given) or source)
    status, out, _ = kb(
        "blind-spots", "--prometheus", "http://reader:pw-4711@prometheus.test", "--kube", "prod", "--json"
    )
    assert (status, json.loads(out)["looked_in"], "pw-4711" in out) == (0, source.name, False)
    assert (asked[0][0], asked[0][-1]) == ("http://reader:pw-4711@prometheus.test", "prod")
