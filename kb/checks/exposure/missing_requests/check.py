"""Workloads with a container that has neither a memory request nor a limit, by namespace."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import MissingFieldError, Survey, at, items, name, namespace, text
from kb.checks.workloads import DAEMONS, DEPLOYMENTS, STATEFUL, containers, each, pod_spec
from kb.model import Text

DEFAULTS = ("default", "defaultRequest")


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey, filled = Survey(cluster), set[str]()
    for limits in cluster.list("v1/limitranges"):
        if any(at(one, field, "memory") for one in items(limits, "spec", "limits") for field in DEFAULTS):
            filled.add(namespace(limits))
    for workload in each(cluster, DEPLOYMENTS, STATEFUL, DAEMONS):
        with survey.judging(workload):
            if not containers(pod_spec(workload)):
                raise MissingFieldError("spec.template.spec.containers")
            # A limit alone is taken for the request as well.
            bare = [
                text(container, "name")
                for container in containers(pod_spec(workload))
                if not any(at(container, "resources", kind, "memory") for kind in ("requests", "limits"))
            ]
            if bare and namespace(workload) not in filled:
                line = f"{text(workload, 'kind')} {name(workload)}: container {bare[0]} has no memory request"
                survey.find(workload, line, where={"namespace": namespace(workload)})
    return survey.outcome(nothing=Text(en="The cluster has no workloads.", ko="클러스터에 워크로드가 없습니다."))
