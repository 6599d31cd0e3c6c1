"""Multi-GPU pods of jobs that are killed before they could save."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, need, number
from kb.checks.workloads import finished, gpus, made_by, pod_spec
from kb.model import Text

SERVING = ("Deployment", "DaemonSet")


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, least = Survey(cluster), knobs.number("seconds")
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            need(pod, "spec", "containers")
            if finished(pod) or gpus(pod_spec(pod)) < 2 or made_by(pod)["workload"].split()[0] in SERVING:
                continue
            grace = number(pod, "spec", "terminationGracePeriodSeconds")
            if grace < least:
                survey.find(
                    pod,
                    f"terminationGracePeriodSeconds: {grace:g}",
                    value=grace,
                    unit="s",
                    threshold=f"< {least:g}",
                    where=made_by(pod),
                )
    return survey.outcome(nothing=Text(en="The cluster has no pods.", ko="클러스터에 파드가 없습니다."))
