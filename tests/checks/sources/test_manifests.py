"""The objects of a replay behave as those of a server do."""

import pytest

from kb.checks.card import KubernetesData
from kb.checks.sources.manifests import Manifests, resource_name, typed
from kb.errors import ResourceAbsent, SourceError

NOW = "2026-11-20T12:00:00Z"


def pod(name: str, phase: str = "Running", **labels: str) -> dict[str, object]:
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": name, "namespace": "site", "labels": labels},
        "status": {"phase": phase},
    }


def source(*objects: dict[str, object], **errors: int) -> Manifests:
    return Manifests(KubernetesData(now=NOW, objects=objects, errors=errors))


@pytest.mark.parametrize(
    ("kind", "resource"),
    [
        ("Pod", "v1/pods"),
        ("Endpoints", "v1/endpoints"),
        ("NetworkPolicy", "v1/networkpolicies"),
        ("StorageClass", "v1/storageclasses"),
        ("Ingress", "v1/ingresses"),
        ("EndpointSlice", "v1/endpointslices"),
    ],
)
def test_kinds_have_the_plural_of_the_api(kind: str, resource: str) -> None:
    assert resource_name({"kind": kind, "apiVersion": "v1"}) == resource


def test_selectors_choose_and_other_kinds_stay_away() -> None:
    made = source(pod("a", "Failed", app="web"), pod("b", app="web"), {**pod("n"), "kind": "Node"})
    names = [item["metadata"]["name"] for item in made.list("v1/pods", fields="status.phase!=Failed", labels="app=web")]
    assert names == ["b"]
    assert [item["metadata"]["name"] for item in made.list("v1/pods", fields="metadata.name=a")] == ["a"]
    assert list(made.list("v1/services")) == []


def test_errors_are_those_of_the_live_source() -> None:
    made = Manifests(KubernetesData(now=NOW, errors={"v1/pods": 403, "cert-manager.io/v1/certificates": 404}))
    with pytest.raises(SourceError, match='list pods in group ""'):
        list(made.list("v1/pods"))
    with pytest.raises(ResourceAbsent):
        list(made.list("cert-manager.io/v1/certificates"))
    with pytest.raises(SourceError, match="never read"):
        list(made.list("v1/secrets"))


def test_clock_and_version_are_those_of_the_data() -> None:
    made = Manifests(KubernetesData(now=NOW, version="v1.29.3"))
    assert (made.now(), made.version()) == (1_795_176_000, "v1.29.3")
    with pytest.raises(SourceError):
        Manifests(KubernetesData(now=NOW, errors={"*": 401})).version()


def test_numbers_and_truth_are_typed_where_the_api_types_them() -> None:
    item = {
        "metadata": {"name": "7", "labels": {"n": "1", "b": "true"}, "generation": "3"},
        "spec": {
            "replicas": "2",
            "paused": "true",
            "maxUnavailable": "25%",
            "env": [{"name": "X", "value": "8"}],
            "resources": {"limits": {"cpu": "4"}},
            "args": ["1"],
        },
        "value": "1000",
    }
    assert typed(item) == {
        "metadata": {"name": "7", "labels": {"n": "1", "b": "true"}, "generation": 3},
        "spec": {
            "replicas": 2,
            "paused": True,
            "maxUnavailable": "25%",
            "env": [{"name": "X", "value": "8"}],
            "resources": {"limits": {"cpu": "4"}},
            "args": ["1"],
        },
        "value": 1000,
    }
