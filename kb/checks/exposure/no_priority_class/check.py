"""DaemonSets and Deployments of system namespaces that have no priority."""

import re

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, name, namespace, need, number, text
from kb.checks.workloads import DAEMONS, DEPLOYMENTS, each, pod_spec
from kb.model import Text


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, system = Survey(cluster), re.compile(knobs.text("namespaces"))
    preset = 0.0
    for priority in cluster.list("scheduling.k8s.io/v1/priorityclasses"):
        if at(priority, "globalDefault") is True:
            preset = number(priority, "value")
    for workload in each(cluster, DAEMONS, DEPLOYMENTS):
        if system.fullmatch(namespace(workload)):
            with survey.judging(workload):
                need(workload, "spec", "template", "spec")
                if not text(pod_spec(workload), "priorityClassName") and preset <= 0:
                    where = {"namespace": namespace(workload), "workload": f"{text(workload, 'kind')} {name(workload)}"}
                    survey.find(workload, "no priorityClassName", where=where)
    return survey.outcome(
        nothing=Text(en="No workload runs in the system namespaces.", ko="시스템 네임스페이스에 워크로드가 없습니다.")
    )
