"""Deployments and StatefulSets of several replicas that no disruption budget selects, by namespace."""

from collections import defaultdict

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, chosen, namespace, number, words
from kb.checks.workloads import DEPLOYMENTS, STATEFUL, each
from kb.model import Text


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey, selectors = Survey(cluster), defaultdict[str, list[object]](list)
    for budget in cluster.list("policy/v1/poddisruptionbudgets"):
        selectors[namespace(budget)].append(at(budget, "spec", "selector"))
    for workload in each(cluster, DEPLOYMENTS, STATEFUL):
        with survey.judging(workload):
            replicas, own = (
                number(workload, "spec", "replicas"),
                words(workload, "spec", "template", "metadata", "labels"),
            )
            if replicas >= 2 and not any(chosen(selector, own) for selector in selectors[namespace(workload)]):
                survey.find(
                    workload,
                    f"replicas: {replicas:g}, no budget selects its pods",
                    where={"namespace": namespace(workload)},
                )
    return survey.outcome(nothing=Text(en="The cluster has no Deployments.", ko="클러스터에 디플로이먼트가 없습니다."))
