"""Pods, and what makes them: their templates, owners, containers and GPUs."""

import re
from collections.abc import Iterator

from kb.checks.contract import KubeObject, KubernetesSource
from kb.checks.objects import at, items, labels, name, namespace, number, text, words
from kb.errors import ResourceAbsent

DEPLOYMENTS, STATEFUL, DAEMONS = "apps/v1/deployments", "apps/v1/statefulsets", "apps/v1/daemonsets"
GPU_RESOURCES = re.compile(r"nvidia\.com/(gpu|mig-.*)|amd\.com/gpu|gpu\.intel\.com/.*|habana\.ai/gaudi")
#: Both take a pod off a node whatever its own tolerations are not made for.
HARD_TAINTS = ("NoSchedule", "NoExecute")


def each(cluster: KubernetesSource, *resources: str) -> Iterator[KubeObject]:
    """The objects of several resources, one after the other."""
    for resource in resources:
        yield from cluster.list(resource)


def optional(cluster: KubernetesSource, resource: str) -> list[KubeObject]:
    """The objects of an add-on; none where it is not installed."""
    try:
        return list(cluster.list(resource))
    except ResourceAbsent:
        return []


def pod_spec(item: KubeObject) -> object:
    """Of a pod, a workload with a template, a Job or a CronJob."""
    if text(item, "kind") == "Pod":
        return at(item, "spec")
    if text(item, "kind") == "CronJob":
        return at(item, "spec", "jobTemplate", "spec", "template", "spec")
    return at(item, "spec", "template", "spec")


def containers(spec: object, *, init: bool = False) -> list[KubeObject]:
    return [*items(spec, "containers"), *(items(spec, "initContainers") if init else ())]


def gpus(spec: object) -> float:
    """How many GPUs the containers of a pod are given; a GPU needs a limit."""
    return sum(
        number(container, "resources", "limits", resource)
        for container in containers(spec)
        for resource in words(container, "resources", "limits")
        if GPU_RESOURCES.fullmatch(resource)
    )


def environment(spec: object) -> dict[str, str]:
    """Variables that are written out in the containers of a pod; what comes from elsewhere is not read."""
    return {
        text(variable, "name"): text(variable, "value")
        for container in containers(spec)
        for variable in items(container, "env")
        if "value" in variable
    }


def owner(pod: KubeObject) -> str:
    """What made the pod: `Deployment web`, `Job train`, or the pod itself."""
    for reference in items(pod, "metadata", "ownerReferences"):
        kind, made = text(reference, "kind"), text(reference, "name")
        if kind == "ReplicaSet" and (hashed := labels(pod).get("pod-template-hash")):
            return f"Deployment {made.removesuffix(f'-{hashed}')}"
        return f"{kind} {made}"
    return f"Pod {name(pod)}"


def made_by(pod: KubeObject) -> dict[str, str]:
    """The place that all pods of one owner share."""
    return {"namespace": namespace(pod), "workload": owner(pod)}


def finished(pod: KubeObject) -> bool:
    return text(pod, "status", "phase") in ("Succeeded", "Failed")
