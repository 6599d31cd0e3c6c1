"""Workloads whose pods are not those of their newest template."""

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import Survey, condition, name, namespace, need, number, text
from kb.checks.workloads import DAEMONS, DEPLOYMENTS, STATEFUL, each
from kb.model import Text


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for workload in each(cluster, STATEFUL, DAEMONS, DEPLOYMENTS):
        with survey.judging(workload):
            need(workload, "status")
            kind = text(workload, "kind")
            state, line = stalled(workload) if kind == "Deployment" else waiting(workload, kind)
            if state:
                where = {"namespace": namespace(workload), "workload": f"{kind} {name(workload)}", "state": state}
                survey.find(workload, line, where=where)
    return survey.outcome(nothing=Text(en="The cluster has no workloads.", ko="클러스터에 워크로드가 없습니다."))


def stalled(deployment: KubeObject) -> tuple[str, str]:
    progress = condition(deployment, "Progressing")
    late = text(progress, "reason") == "ProgressDeadlineExceeded"
    return ("rollout has stalled", text(progress, "message")) if late else ("", "")


def waiting(workload: KubeObject, kind: str) -> tuple[str, str]:
    """Pods that a strategy of OnDelete has left as they were."""
    if text(workload, "spec", "updateStrategy", "type") != "OnDelete":
        return "", ""
    if kind == "StatefulSet":
        current, wanted = need(workload, "status", "currentRevision"), need(workload, "status", "updateRevision")
        old = number(workload, "spec", "replicas") - number(workload, "status", "updatedReplicas", default=0)
        line = f"OnDelete, currentRevision {current}, updateRevision {wanted}"
        return ("change waits for its pods to be deleted", line) if current != wanted and old > 0 else ("", "")
    wanted_pods = number(workload, "status", "desiredNumberScheduled")
    old = wanted_pods - number(workload, "status", "updatedNumberScheduled", default=0)
    line = f"OnDelete, {old:g} of {wanted_pods:g} pods are of an older template"
    return ("change waits for its pods to be deleted", line) if old > 0 else ("", "")
