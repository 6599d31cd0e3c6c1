"""Long GPU pods that nothing keeps an autoscaler from moving."""

import re

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, at, chosen, labels, namespace, need, text, words
from kb.checks.workloads import containers, finished, gpus, made_by, pod_spec
from kb.model import Text

AUTOSCALER = re.compile(r"cluster-autoscaler|karpenter")
KEEPS = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true"}


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    budgets = list(cluster.list("policy/v1/poddisruptionbudgets"))
    pods = list(cluster.list("v1/pods"))
    images = [text(container, "image") for pod in pods for container in containers(pod_spec(pod))]
    moved = any(AUTOSCALER.search(image) for image in images)
    for pod in pods:
        with survey.judging(pod):
            need(pod, "spec", "containers")
            if not moved or finished(pod) or not gpus(pod_spec(pod)) or kept(pod, budgets):
                continue
            age = survey.age(pod, "metadata", "creationTimestamp")
            if age > limit:
                survey.find(
                    pod,
                    "no safe-to-evict annotation and no budget",
                    lasted=age,
                    limit=limit,
                    where=made_by(pod),
                )
    return survey.outcome(nothing=Text(en="The cluster has no pods.", ko="클러스터에 파드가 없습니다."))


def kept(pod: KubeObject, budgets: list[KubeObject]) -> bool:
    said = words(pod, "metadata", "annotations")
    return any(said.get(mark) == value for mark, value in KEEPS.items()) or any(
        namespace(budget) == namespace(pod) and chosen(at(budget, "spec", "selector"), labels(pod))
        for budget in budgets
    )
