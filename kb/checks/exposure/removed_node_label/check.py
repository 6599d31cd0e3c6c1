"""Selectors of nodes by labels that Kubernetes has removed or is removing."""

import re
from collections.abc import Iterator

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, items, need, text, title, words
from kb.checks.workloads import DAEMONS, DEPLOYMENTS, STATEFUL, each, optional, pod_spec
from kb.model import Text

OLD = re.compile(
    r"node-role\.kubernetes\.io/master|beta\.kubernetes\.io/(?:os|arch|instance-type)|"
    r"failure-domain\.beta\.kubernetes\.io/(?:zone|region)"
)
REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for workload in each(cluster, DEPLOYMENTS, STATEFUL, DAEMONS, "batch/v1/cronjobs"):
        with survey.judging(workload):
            need(pod_spec(workload), "containers")
            report(survey, workload, selecting(pod_spec(workload)))
    for peer in optional(cluster, "crd.projectcalico.org/v1/bgppeers"):
        with survey.judging(peer):
            need(peer, "spec")
            report(survey, peer, iter((text(peer, "spec", "nodeSelector"), text(peer, "spec", "peerSelector"))))
    return survey.outcome(nothing=Text(en="The cluster has no workloads.", ko="클러스터에 워크로드가 없습니다."))


def selecting(spec: object) -> Iterator[str]:
    """Every label by which a pod requires its nodes."""
    yield from words(spec, "nodeSelector")
    for term in items(spec, *REQUIRED):
        for expression in items(term, "matchExpressions"):
            # A node that must not have the label is found after the upgrade as well.
            if at(expression, "operator") not in ("DoesNotExist", "NotIn"):
                yield text(expression, "key")


def report(survey: Survey, item: KubeObject, selectors: Iterator[str]) -> None:
    for selector in selectors:
        for label in OLD.findall(selector):
            survey.find(item, selector, where={"object": title(item), "label": label})
