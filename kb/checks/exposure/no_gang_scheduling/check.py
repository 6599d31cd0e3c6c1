"""GPU jobs of several pods that nothing places together."""

import re
from collections import defaultdict

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, labels, need, text, words
from kb.checks.workloads import finished, gpus, made_by, pod_spec
from kb.model import Text

GANG = re.compile(
    r"kueue\.x-k8s\.io/|scheduling\.volcano\.sh/|pod-group|podgroup|scheduling\.k8s\.io/group|yunikorn|run\.ai/"
)
#: Their pods serve one by one; nobody waits for the others.
SERVING = ("Deployment", "DaemonSet", "Pod")


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey, of_owner = Survey(cluster), defaultdict[tuple[tuple[str, str], ...], list[KubeObject]](list)
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            need(pod, "spec", "containers")
            if not finished(pod) and gpus(pod_spec(pod)) and made_by(pod)["workload"].split()[0] not in SERVING:
                of_owner[tuple(made_by(pod).items())].append(pod)
    for owner, pods in of_owner.items():
        if len(pods) > 1 and not any(map(together, pods)):
            survey.find(
                pods[0],
                "schedulerName: default-scheduler, no queue, group or gate",
                value=len(pods),
                unit="pods",
                threshold="> 1",
                where=dict(owner),
            )
    return survey.outcome(nothing=Text(en="The cluster has no pods.", ko="클러스터에 파드가 없습니다."))


def together(pod: KubeObject) -> bool:
    marks = [*labels(pod), *words(pod, "metadata", "annotations")]
    other = text(pod, "spec", "schedulerName") not in ("", "default-scheduler")
    return other or bool(at(pod, "spec", "schedulingGates")) or any(GANG.search(mark) for mark in marks)
