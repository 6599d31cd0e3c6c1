"""Device plugins of NVIDIA that were told not to watch the health of GPUs."""

import re

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import MissingFieldError, Survey, items, need, text
from kb.checks.workloads import containers, pod_spec
from kb.model import Text

IMAGE = re.compile(r"k8s-device-plugin|nvidia-gpu-device-plugin|nvgpu-device-plugin")
VARIABLE = "DP_DISABLE_HEALTHCHECKS"
OFF = frozenset({"all", "xids"})


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for daemon in cluster.list("apps/v1/daemonsets"):
        with survey.judging(daemon):
            need(daemon, "spec", "template")
        for container in containers(pod_spec(daemon)):
            if IMAGE.search(text(container, "image")):
                with survey.judging(daemon):
                    if OFF & set(re.split(r"[,\s]+", value_of(container).lower())):
                        survey.find(daemon, f"{VARIABLE}={value_of(container)}")
    return survey.outcome(nothing=Text(en="No DaemonSet runs in the cluster.", ko="클러스터에 데몬셋이 없습니다."))


def value_of(container: KubeObject) -> str:
    for variable in items(container, "env"):
        if text(variable, "name") == VARIABLE:
            if "valueFrom" in variable:
                raise MissingFieldError(f"env {VARIABLE}")
            return text(variable, "value")
    return ""
