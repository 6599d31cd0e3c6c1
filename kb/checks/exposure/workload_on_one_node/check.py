"""Owners whose running pods all share one node or one zone."""

from collections import defaultdict

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, condition, labels, name, need, text
from kb.checks.workloads import gpus, made_by, pod_spec

ZONE = "topology.kubernetes.io/zone"
SPREAD = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, zones = Survey(cluster), dict[str, str]()
    for node in cluster.list("v1/nodes"):
        if text(condition(node, "Ready"), "status") == "True" and not at(node, "spec", "unschedulable"):
            zones[name(node)] = labels(node).get(ZONE, "")
    of_owner = defaultdict[tuple[tuple[str, str], ...], list[KubeObject]](list)
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            running = need(pod, "status", "phase") == "Running" and not gpus(pod_spec(pod))
            if running and made_by(pod)["workload"].split()[0] in SPREAD:
                of_owner[tuple(made_by(pod).items())].append(pod)
    for owner, pods in of_owner.items():
        if len(pods) < knobs.number("pods"):
            continue
        nodes = {text(pod, "spec", "nodeName") for pod in pods}
        within = {zones.get(node, "") for node in nodes}
        domain = ""
        if len(nodes) == 1 and len(zones) > 1:
            domain = f"node {nodes.pop()}"
        elif len(within) == 1 and "" not in within and len(set(zones.values())) > 1:
            domain = f"zone {within.pop()}"
        if domain:
            survey.find(
                pods[0], f"all in {domain}", value=len(pods), unit="pods", where={**dict(owner), "domain": domain}
            )
    return survey.outcome()
