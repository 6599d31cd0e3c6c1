"""Every Kubernetes check through the live source: the same objects over HTTP give what their replay gives."""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from kubernetes.config import kube_config

from kb.checks.ask import judge_of, judged
from kb.checks.catalogue import Catalogue
from kb.checks.knobs import settle
from kb.checks.replay import replayed
from kb.checks.sources.kubernetes import KubernetesApi
from kb.checks.sources.manifests import typed
from kb.cli import main
from tests.kubernetes_api import Cluster, serving

CATALOGUE = Catalogue.load()
CHECKS = sorted(check for check, card in CATALOGUE.cards.items() if card.kind == "kubernetes")
PULL, BAD, PENDING = "workload/image_pull_failing", "workload/node_condition_bad", "scheduling/pods_unschedulable"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    def write(url: str) -> str:
        path = tmp_path / "kubeconfig"
        users = [{"name": "u", "user": {"token": "t"}}]
        named = {"clusters": [{"name": "c", "cluster": {"server": url}}], "users": users}
        contexts = [{"name": "test", "context": {"cluster": "c", "user": "u"}}]
        path.write_text(json.dumps({**named, "contexts": contexts, "current-context": "test"}))
        monkeypatch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(path))
        return str(path)

    return write


@pytest.mark.parametrize("check", CHECKS)
def test_a_server_with_the_objects_of_a_replay_is_judged_as_the_replay(
    check: str, kubeconfig: Callable[[str], str]
) -> None:
    for file in CATALOGUE.replays(check):
        assert file.replay.data
        data = file.replay.data.kubernetes
        assert data
        cluster = Cluster([typed(item) for item in data.objects], version=data.version)
        cluster.clock = datetime.fromisoformat(data.now).timestamp()
        cluster.forbidden = {resource for resource, status in data.errors.items() if status == 403}
        with serving(cluster) as url:
            source = KubernetesApi(kubeconfig=kubeconfig(url), page=2)
            live = judged(judge_of(CATALOGUE, check), source, settle(CATALOGUE.cards[check]))
            source.close()
        kept = replayed(CATALOGUE, check, file.replay)
        assert (live.findings, live.looked_at) == (kept.findings, kept.looked_at)
        assert [remark.kind for remark in live.unknown] == [remark.kind for remark in kept.unknown]
        assert {method for method, _ in cluster.asked} == {"GET"}


# --- the command line ---------------------------------------------------------------------------------------


@pytest.fixture
def kb(data_root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    few = {name: CATALOGUE.folders[name] for name in (PULL, BAD, PENDING)}
    monkeypatch.setenv("KB_DATA", str(data_root))
    monkeypatch.setattr("kb.cli.checking.read_catalogue", lambda settings: Catalogue(few))

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kb", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        out = capsys.readouterr()
        return int(stop.value.code or 0), out.out, out.err

    return run


@pytest.fixture
def cluster(kubeconfig: Callable[[str], str]) -> Iterator[Cluster]:
    [file] = [f for f in CATALOGUE.replays(PULL) if f.name == "IL-0294.yaml"]
    assert file.replay.data
    data = file.replay.data.kubernetes
    assert data
    made = Cluster([typed(item) for item in data.objects])
    made.clock = datetime.fromisoformat(data.now).timestamp()
    with serving(made) as url:
        kubeconfig(url)
        yield made


def test_the_current_context_is_read_and_the_words_of_the_server_are_shown(kb: Run, cluster: Cluster) -> None:
    status, out, _ = kb("check", "--kube", "--check", PULL)
    assert status == 1
    assert "kuberhealthy/daemonset-kuberhealthy-x1: toomanyrequests: too many failed login attempts" in out
    assert "IL-0294" in out


def test_the_report_as_json_names_object_and_source(kb: Run, cluster: Cluster) -> None:
    status, out, _ = kb("check", "--kube", "test", "--check", PULL, "--json")
    report = json.loads(out)
    assert (status, report["sources"][0]["kind"]) == (1, "kubernetes")
    assert report["sources"][0]["name"].startswith("test (http://127.0.0.1:")
    assert report["findings"][0]["evidence"]["object"] == "Pod kuberhealthy/daemonset-kuberhealthy-x1"


def test_half_the_permissions_give_half_the_answers_and_name_the_other_half(kb: Run, cluster: Cluster) -> None:
    cluster.forbidden = {"v1/nodes"}
    names = ("--check", BAD, "--check", PENDING)
    status, out, _ = kb("check", "--kube", *names, "--lang", "ko")
    assert status == 3
    assert '권한이 없습니다(system:serviceaccount:kb:kb): list nodes in group ""' in out
    assert f"{PENDING} (1)" in out


def test_a_context_that_is_not_there_is_unknown_with_those_that_are(kb: Run, cluster: Cluster) -> None:
    status, out, _ = kb("check", "--kube", "prod", "--check", PULL)
    assert status == 3
    assert "there is no context `prod` in the kubeconfig; it has test" in out


def test_without_the_client_the_extra_to_install_is_named(kb: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kb.checks.sources.kubernetes", None)
    status, _, err = kb("check", "--kube")
    assert status == 2
    assert "pip install 'incident-library[checks]'" in err
