"""Workloads that pull a fixed image at every start, by namespace."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import MissingFieldError, Survey, name, namespace, need, text
from kb.checks.workloads import DAEMONS, DEPLOYMENTS, STATEFUL, containers, each, pod_spec
from kb.model import Text


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for workload in each(cluster, DEPLOYMENTS, STATEFUL, DAEMONS):
        with survey.judging(workload):
            if not containers(pod_spec(workload)):
                raise MissingFieldError("spec.template.spec.containers")
            for container in containers(pod_spec(workload)):
                image, policy = text(container, "image"), need(container, "imagePullPolicy")
                if policy == "Always" and fixed(image):
                    line = f"{text(workload, 'kind')} {name(workload)}: imagePullPolicy: Always for {image}"
                    survey.find(workload, line, where={"namespace": namespace(workload)})
                    break
    return survey.outcome(nothing=Text(en="The cluster has no workloads.", ko="클러스터에 워크로드가 없습니다."))


def fixed(image: str) -> bool:
    _, _, tag = image.rpartition("/")[2].partition(":")
    return "@" in image or tag not in ("", "latest")
