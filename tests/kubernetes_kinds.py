"""The kinds that the API server of the tests knows without being told, and its two forms of discovery."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.checks.sources.manifests import resource_name

Json = dict[str, object]


@dataclass(frozen=True)
class Kind:
    """`custom`: defined by a CustomResourceDefinition; its lists repeat kind and version in every item."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True
    custom: bool = False

    @property
    def group_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def __str__(self) -> str:
        return f"{self.group_version}/{self.plural}"


def _kinds(group: str, version: str, namespaced: str, cluster: str = "") -> list[Kind]:
    both = [(name, True) for name in namespaced.split()] + [(name, False) for name in cluster.split()]
    group_version = f"{group}/{version}" if group else version
    return [
        Kind(group, version, name, resource_name({"kind": name, "apiVersion": group_version}).rsplit("/", 1)[1], inside)
        for name, inside in both
    ]


BUILT_IN = (
    *_kinds(
        "", "v1",
        "Pod Service Event Endpoints PersistentVolumeClaim ResourceQuota LimitRange ServiceAccount ConfigMap Secret",
        "Node Namespace PersistentVolume",
    ),
    *_kinds("apps", "v1", "Deployment DaemonSet StatefulSet ReplicaSet"),
    *_kinds("batch", "v1", "Job CronJob"),
    *_kinds("policy", "v1", "PodDisruptionBudget"),
    *_kinds("autoscaling", "v2", "HorizontalPodAutoscaler"),
    *_kinds("discovery.k8s.io", "v1", "EndpointSlice"),
    *_kinds("coordination.k8s.io", "v1", "Lease"),
    *_kinds("networking.k8s.io", "v1", "Ingress NetworkPolicy"),
    *_kinds("rbac.authorization.k8s.io", "v1", "RoleBinding Role", "ClusterRoleBinding ClusterRole"),
    *_kinds("scheduling.k8s.io", "v1", "", "PriorityClass"),
    *_kinds("storage.k8s.io", "v1", "", "StorageClass VolumeAttachment"),
    *_kinds(
        "admissionregistration.k8s.io", "v1", "", "ValidatingWebhookConfiguration MutatingWebhookConfiguration"
    ),
    *_kinds("apiregistration.k8s.io", "v1", "", "APIService"),
    *_kinds("apiextensions.k8s.io", "v1", "", "CustomResourceDefinition"),
)  # fmt: skip
#: Field selectors beyond name and namespace, as the API server registers them.
FIELDS = {
    "pods": ("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase"),
    "nodes": ("spec.unschedulable",),
    "events": ("involvedObject.kind", "involvedObject.name", "reason", "type", "reportingComponent"),
    "namespaces": ("status.phase",),
    "jobs": ("status.successful",),
}


def kind_of(item: Mapping[str, object]) -> Kind:
    group, _, version = str(item["apiVersion"]).rpartition("/")
    for kind in BUILT_IN:
        if (kind.group, kind.version, kind.kind) == (group, version, item["kind"]):
            return kind
    metadata = item["metadata"]
    assert isinstance(metadata, dict)
    plural = resource_name(item).rsplit("/", 1)[1]
    return Kind(group, version, str(item["kind"]), plural, "namespace" in metadata, custom=True)


def discovery_v1(path: str, kinds: Iterable[Kind]) -> Json | None:
    """`/api`, `/apis`, `/api/v1`, `/apis/group/version`."""
    known = list(kinds)
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
    if path == "/apis":
        groups = {kind.group: kind.version for kind in known if kind.group}
        listed = [_group(group, version) for group, version in groups.items()]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}
    group_version = path.removeprefix("/apis/").removeprefix("/api/")
    own = [kind for kind in known if kind.group_version == group_version]
    resources = [
        {
            "name": kind.plural, "singularName": kind.kind.lower(), "namespaced": kind.namespaced, "kind": kind.kind,
            "verbs": ["get", "list", "watch"],
        }
        for kind in own
    ]  # fmt: skip
    body: Json = {"kind": "APIResourceList", "groupVersion": group_version, "resources": resources}
    return body if own else None


def _group(group: str, version: str) -> Json:
    one = {"groupVersion": f"{group}/{version}", "version": version}
    return {"name": group, "versions": [one], "preferredVersion": one}


def discovery_v2(kinds: Iterable[Kind], *, core: bool, accept: str) -> Json:
    """All groups, versions and resources in one answer, in the newest form that is accepted."""
    groups: dict[str, dict[str, list[Json]]] = {}
    for kind in kinds:
        if (kind.group == "") is core:
            resource: Json = {
                "resource": kind.plural,
                "responseKind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
                "scope": "Namespaced" if kind.namespaced else "Cluster",
                "singularResource": kind.kind.lower(),
                "verbs": ["get", "list", "watch"],
            }
            groups.setdefault(kind.group, {}).setdefault(kind.version, []).append(resource)
    items = [
        {
            "metadata": {"name": group} if group else {},
            "versions": [
                {"version": version, "resources": resources, "freshness": "Current"}
                for version, resources in versions.items()
            ],
        }
        for group, versions in groups.items()
    ]
    form = "v2" if "v=v2;" in accept or accept.endswith("v=v2") else "v2beta1"
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{form}",
        "metadata": {},
        "items": items,
    }
