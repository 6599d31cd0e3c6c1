import pytest

from kb.checks.card import KubernetesData
from kb.checks.finding_prometheus import candidates
from kb.checks.site import Site
from kb.checks.sources.manifests import Manifests
from kb.cli import sources
from kb.errors import InvalidValue


def service(name: str, labels: dict[str, str], *ports: dict[str, object], cluster_ip: str = "10.0.0.1") -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "monitoring", "labels": labels},
        "spec": {"clusterIP": cluster_ip, "ports": list(ports)},
    }


WEB = {"name": "http-web", "port": 9090}
STACK = [
    service("alertmanager", {"app.kubernetes.io/name": "alertmanager"}, {"port": 9093}),
    service("prometheus-operated", {"operated-prometheus": "true"}, {"name": "web", "port": 9090}, cluster_ip="None"),
    service("stack-prometheus", {"app": "kube-prometheus-stack-prometheus"}, WEB, {"name": "reloader", "port": 8080}),
    service("named-only", {"app": "prometheus"}, {"name": "web", "port": 10902}),
    service("no-port", {"app": "prometheus"}, {"name": "grpc", "port": 10901}),
]


def cluster(*objects: dict) -> Manifests:
    return Manifests(KubernetesData(now="2026-11-29T00:00:00Z", objects=objects))


def test_services_that_are_labelled_as_a_prometheus_are_found_in_the_order_of_their_labels() -> None:
    found = candidates(cluster(*STACK))
    assert [(one.service, one.port) for one in found] == [
        ("prometheus-operated", 9090), ("named-only", 10902), ("stack-prometheus", 9090),
    ]  # fmt: skip
    assert found[0].address == "http://prometheus-operated.monitoring.svc:9090"


def test_auto_gives_a_pod_the_address_and_a_person_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_kubernetes", lambda _: cluster(*STACK))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(InvalidValue, match="outside the cluster") as caught:
        sources.open_sources(Site(), prometheus="auto", kube="")
    assert "kubectl -n monitoring port-forward service/prometheus-operated 9090:9090" in caught.value.next_step
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    opened = sources.open_sources(Site(), prometheus="auto", kube="")
    assert opened.prometheus
    assert opened.prometheus.name == "http://prometheus-operated.monitoring.svc:9090"
    with pytest.raises(InvalidValue, match="give --kube too"):
        sources.open_sources(Site(), prometheus="auto")
    monkeypatch.setattr(sources, "_kubernetes", lambda _: cluster(STACK[0]))
    with pytest.raises(InvalidValue, match="No service"):
        sources.open_sources(Site(), prometheus="auto", kube="")
