"""Workloads whose images have no tag or `latest`, by namespace."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import MissingFieldError, Survey, name, namespace, text
from kb.checks.workloads import DAEMONS, DEPLOYMENTS, STATEFUL, containers, each, pod_spec
from kb.model import Text


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for workload in each(cluster, DEPLOYMENTS, STATEFUL, DAEMONS, "batch/v1/cronjobs"):
        with survey.judging(workload):
            images = [text(container, "image") for container in containers(pod_spec(workload), init=True)]
            if not images:
                raise MissingFieldError("spec.template.spec.containers")
            loose = [image for image in images if floats(image)]
            if loose:
                line = f"{text(workload, 'kind')} {name(workload)}: image {loose[0]}"
                survey.find(workload, line, where={"namespace": namespace(workload)})
    return survey.outcome(nothing=Text(en="The cluster has no workloads.", ko="클러스터에 워크로드가 없습니다."))


def floats(image: str) -> bool:
    """`repo`, `repo:latest`; neither `repo:1.2`, nor `repo@sha256:…`, nor the port of `host:5000/repo:1`."""
    _, _, tag = image.rpartition("/")[2].partition(":")
    return "@" not in image and tag in ("", "latest")
