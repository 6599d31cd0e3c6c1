"""GPU pods that mount a disk of the node where their checkpoints go."""

import re

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, items, need, text
from kb.checks.workloads import containers, finished, gpus, made_by, pod_spec
from kb.model import Text

LOCAL = ("emptyDir", "hostPath")


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, wanted = Survey(cluster), re.compile(knobs.text("words"), re.IGNORECASE)
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            need(pod, "spec", "containers")
            if finished(pod) or not gpus(pod_spec(pod)):
                continue
            local = {
                text(volume, "name"): kind
                for volume in items(pod, "spec", "volumes")
                for kind in LOCAL
                if at(volume, kind) is not None
            }
            for mount in [one for container in containers(pod_spec(pod)) for one in items(container, "volumeMounts")]:
                path, volume = text(mount, "mountPath"), text(mount, "name")
                if volume in local and (wanted.search(path) or wanted.search(volume)):
                    survey.find(
                        pod,
                        f"{path} on {local[volume]} {volume}",
                        where={**made_by(pod), "path": path, "volume": local[volume]},
                    )
    return survey.outcome(nothing=Text(en="The cluster has no pods.", ko="클러스터에 파드가 없습니다."))
