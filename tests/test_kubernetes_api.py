"""The API server of the tests, held against the official client's models and against kubectl."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3
from kubernetes import client
from kubernetes.client.exceptions import ApiException

from kb.checks.catalogue import Catalogue
from kb.checks.sources.manifests import typed
from tests.kubernetes_api import Cluster, serving
from tests.kubernetes_kinds import BUILT_IN, Kind, kind_of

KUBECTL = os.environ.get("KB_KUBECTL", "kubectl")
REPLAYED = {
    (check, file.name): file.replay.data.kubernetes.objects
    for check, folder in Catalogue.load().folders.items()
    for file in folder.replays
    if file.replay.data and file.replay.data.kubernetes
}
NODE = {
    "kind": "Node",
    "apiVersion": "v1",
    "metadata": {"name": "n1", "labels": {"zone": "a"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"unschedulable": True, "taints": [{"key": "gone", "effect": "NoSchedule"}]},
    "status": {"capacity": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True"}]},
}
WIDGET = {
    "kind": "Widget",
    "apiVersion": "shop.example.org/v1",
    "metadata": {"name": "odd", "namespace": "shop"},
    "spec": {"size": 3},
}


def pod(number: int) -> dict[str, object]:
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": f"web-{number}", "namespace": "default", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "nginx"}], "nodeName": f"n{number % 2}"},
        "status": {"phase": "Running" if number else "Failed"},
    }


@pytest.fixture
def cluster() -> Cluster:
    return Cluster([NODE, WIDGET, *(pod(number) for number in range(5))])


@pytest.fixture
def url(cluster: Cluster) -> Iterator[str]:
    with serving(cluster) as address:
        yield address


@pytest.fixture
def official(url: str) -> Iterator[client.ApiClient]:
    configuration = client.Configuration(host=url)
    configuration.retries = False
    with client.ApiClient(configuration) as opened:
        yield opened


@pytest.mark.parametrize("kind", BUILT_IN, ids=str)
def test_the_official_client_lists_every_kind_under_the_path_it_knows(
    kind: Kind, official: client.ApiClient, cluster: Cluster
) -> None:
    group = kind.group.removesuffix(".k8s.io").replace(".", " ").title().replace(" ", "") or "Core"
    calls = getattr(client, f"{group}{kind.version.upper()}Api")(official)
    words = "".join(f"_{c.lower()}" if c.isupper() else c for c in kind.kind.replace("API", "Api"))
    answer = getattr(calls, f"list{words}_for_all_namespaces" if kind.namespaced else f"list{words}")()
    assert (answer.kind, answer.items) == (f"{kind.kind}List", answer.items)
    assert cluster.asked[-1][1].partition("?")[0].endswith(str(kind))


def test_the_official_client_reads_pages_as_it_does_in_a_cluster(official: client.ApiClient) -> None:
    core = client.CoreV1Api(official)
    first = core.list_pod_for_all_namespaces(limit=2)
    assert [item.metadata.name for item in first.items] == ["web-0", "web-1"]
    assert first.metadata.remaining_item_count == 3
    second = core.list_pod_for_all_namespaces(limit=2, _continue=first.metadata._continue)
    assert [item.metadata.name for item in second.items] == ["web-2", "web-3"]
    chosen = core.list_namespaced_pod("default", field_selector="status.phase=Failed", label_selector="app=web")
    assert [(item.metadata.name, item.spec.node_name) for item in chosen.items] == [("web-0", "n0")]
    [node] = core.list_node().items
    assert (node.spec.unschedulable, node.status.capacity) == (True, {"nvidia.com/gpu": "8"})
    [widget] = client.CustomObjectsApi(official).list_cluster_custom_object("shop.example.org", "v1", "widgets")[
        "items"
    ]
    assert widget == WIDGET


def test_refusals_are_status_objects_that_the_official_client_understands(
    official: client.ApiClient, cluster: Cluster
) -> None:
    core = client.CoreV1Api(official)
    page = core.list_pod_for_all_namespaces(limit=2)
    cluster.oldest = cluster.revision + 1
    cluster.forbidden = {"v1/nodes"}
    expired = raised(lambda: core.list_pod_for_all_namespaces(limit=2, _continue=page.metadata._continue))
    assert (expired.status, said(expired)["reason"]) == (410, "Expired")
    assert said(expired)["metadata"]["continue"]
    forbidden = raised(core.list_node)
    assert (forbidden.status, said(forbidden)["details"]) == (403, {"kind": "nodes"})
    missing = raised(lambda: core.read_namespaced_pod("none", "default"))
    assert (missing.status, said(missing)["reason"]) == (404, "NotFound")
    watching = raised(lambda: core.list_namespaced_pod("default", watch=True))
    assert (watching.status, "cannot watch" in said(watching)["message"]) == (403, True)
    label = raised(lambda: core.list_node(field_selector="spec.colour=red"))
    assert label.status == 403
    unknown = raised(lambda: core.list_namespaced_pod("default", field_selector="spec.colour=red"))
    assert (unknown.status, said(unknown)["reason"]) == (400, "BadRequest")
    writing = raised(lambda: core.delete_namespaced_pod("web-1", "default"))
    assert writing.status == 403
    cluster.token = "secret"
    assert raised(core.list_pod_for_all_namespaces).status == 401


def raised(call: object) -> ApiException:
    with pytest.raises(ApiException) as caught:
        call()  # type: ignore[operator]
    return caught.value


def said(error: ApiException) -> dict[str, object]:
    body: dict[str, object] = json.loads(error.body)
    assert (body["kind"], body["apiVersion"], body["status"], body["code"]) == ("Status", "v1", "Failure", error.status)
    return body


def test_what_nobody_serves_and_overload_are_plain_text(url: str, cluster: Cluster) -> None:
    def get(path: str) -> tuple[int, bytes, str | None]:
        answer = urllib3.request("GET", url + path, retries=False)
        return answer.status, answer.data, answer.headers.get("Retry-After")

    assert get("/apis/nobody/v1/things") == (404, b"404 page not found\n", None)
    cluster.overloaded = 1
    assert get("/api/v1/pods") == (429, b"Too many requests, please try again later.", "2")


# --- kubectl ------------------------------------------------------------------------------------------------


def kubectl(url: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "KUBECONFIG": str(folder / "none")}
    return subprocess.run(
        [KUBECTL, f"--server={url}", f"--cache-dir={folder}", "--request-timeout=10", *arguments],
        capture_output=True, text=True, timeout=60, check=False, env=environment,
    )  # fmt: skip


def test_kubectl_finds_the_kinds_and_prints_tables(url: str, tmp_path: Path) -> None:
    done = kubectl(url, tmp_path, "get", "pods,nodes,widgets.shop.example.org", "--all-namespaces")
    assert done.returncode == 0, done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines() if "pod/" in line] == [
        f"pod/web-{n}" for n in range(5)
    ]
    assert "node/n1" in done.stdout
    assert "widget.shop.example.org/odd" in done.stdout


def test_kubectl_prints_objects_whole(url: str, tmp_path: Path) -> None:
    done = kubectl(url, tmp_path, "get", "nodes", "-o", "json", "--chunk-size=1")
    [node] = json.loads(done.stdout)["items"]
    assert node == NODE
    one = kubectl(url, tmp_path, "get", "pod", "web-3", "-n", "default", "-o", "jsonpath={.status.phase}")
    assert one.stdout == "Running"


def test_kubectl_understands_the_refusals(url: str, cluster: Cluster, tmp_path: Path) -> None:
    assert 'Error from server (NotFound): pods "none" not found' in kubectl(url, tmp_path, "get", "pod", "none").stderr
    cluster.forbidden = {"v1/pods"}
    assert "Error from server (Forbidden): pods is forbidden" in kubectl(url, tmp_path, "get", "pods").stderr


def test_kubectl_sees_the_version_of_the_server(url: str, cluster: Cluster, tmp_path: Path) -> None:
    cluster.version = "v1.33.7"
    assert (
        json.loads(kubectl(url, tmp_path, "version", "-o", "json").stdout)["serverVersion"]["gitVersion"] == "v1.33.7"
    )


# --- the replays --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("check", "name"), REPLAYED, ids=[f"{check} {name}" for check, name in REPLAYED])
def test_every_object_of_a_replay_has_the_form_that_the_official_client_knows(check: str, name: str) -> None:
    """Its models are generated from the OpenAPI description of Kubernetes: no field misspelt, no type wrong."""
    with client.ApiClient() as api:
        for item in map(typed, REPLAYED[check, name]):
            kind = kind_of(item)
            if not kind.custom:
                model = f"{kind.version.upper()}{kind.kind}"
                made = getattr(client, "CoreV1Event" if model == "V1Event" else model).from_dict(item)
                assert plain(api.sanitize_for_serialization(made)) == plain(item)


def plain(item: object) -> object:
    """Without empty fields, and with times as the API writes them."""
    if isinstance(item, dict):
        return {key: plain(value) for key, value in item.items() if value is not None}
    if isinstance(item, list):
        return [plain(value) for value in item]
    return item.removesuffix("+00:00") + "Z" if isinstance(item, str) and item.endswith("+00:00") else item
