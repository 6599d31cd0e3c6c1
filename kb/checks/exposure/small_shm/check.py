"""Pods with several GPUs and the shared memory of a container's default."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, items, need, text
from kb.checks.workloads import containers, finished, gpus, made_by, pod_spec
from kb.model import Text

SHM = ("/dev/shm", "/dev", "/")  # noqa: S108 (looked for, not written to)


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            need(pod, "spec", "containers")
            spec, count = pod_spec(pod), gpus(pod_spec(pod))
            if count < 2 or finished(pod) or at(spec, "hostIPC") is True:
                continue
            paths = [
                text(mount, "mountPath").rstrip("/") or "/"
                for c in containers(spec)
                for mount in items(c, "volumeMounts")
            ]
            if not set(paths) & set(SHM):
                survey.find(
                    pod, "no volumeMount at /dev/shm", value=count, unit="GPUs", threshold=">= 2", where=made_by(pod)
                )
    return survey.outcome(nothing=Text(en="The cluster has no pods.", ko="클러스터에 파드가 없습니다."))
