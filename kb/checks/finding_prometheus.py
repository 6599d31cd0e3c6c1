"""Finding the Prometheus of a cluster through its services (`kb check --kube --prometheus auto`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kb.checks.contract import KubernetesSource

#: Names by which the usual installations label their server.
LABELS = (("app.kubernetes.io/name", "prometheus"), ("operated-prometheus", "true"), ("app", "prometheus"),
          ("app", "kube-prometheus-stack-prometheus"), ("app.kubernetes.io/name", "vmsingle"),
          ("app.kubernetes.io/component", "query-frontend"))  # fmt: skip
#: Ports that answer the HTTP API, by name and number.
PORT_NAMES = ("http-web", "web", "http", "http-metrics", "prom-web")
PORTS = (9090, 8428, 80)


@dataclass(frozen=True)
class Candidate:
    """A service that probably is a Prometheus."""

    namespace: str
    service: str
    port: int

    @property
    def address(self) -> str:
        """As pods of the cluster reach it."""
        return f"http://{self.service}.{self.namespace}.svc:{self.port}"

    @property
    def forward(self) -> str:
        """What makes it reachable from outside."""
        return f"kubectl -n {self.namespace} port-forward service/{self.service} 9090:{self.port}"


def candidates(source: KubernetesSource) -> tuple[Candidate, ...]:
    """Services labelled as a Prometheus, the most likely first.

    Raises:
        SourceError: the services may not be listed, or the API server does not answer.
    """
    ranked = []
    for service in source.list("v1/services"):
        labels = service["metadata"].get("labels") or {}
        rank = next((n for n, (name, value) in enumerate(LABELS) if labels.get(name) == value), None)
        port = _port(service)
        if rank is not None and port is not None:
            metadata = service["metadata"]
            # The service with an address of its own balances; the operator's headless one does not.
            headless = (service.get("spec") or {}).get("clusterIP") == "None"
            ranked.append((rank, headless, metadata["namespace"], metadata["name"], port))
    return tuple(Candidate(namespace, name, port) for _, _, namespace, name, port in sorted(ranked))


def _port(service: Mapping[str, Any]) -> int | None:
    ports = (service.get("spec") or {}).get("ports") or []
    for wanted in PORTS:
        if any(port.get("port") == wanted for port in ports):
            return wanted
    named = [port["port"] for port in ports if port.get("name") in PORT_NAMES]
    return named[0] if named else None
