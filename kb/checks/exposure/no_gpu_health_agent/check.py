"""GPU nodes on which nothing reads Xids."""

import re

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, condition, labels, name, need, text, words
from kb.checks.workloads import containers, pod_spec
from kb.model import Text

AGENT = re.compile(
    r"gpud|nvsentinel|node-problem-detector|eks-node-monitoring-agent|autopilot|healthagent|dcgm-exporter|"
    r"cluster-health-scanner|gpu-health"
)
PRODUCT, GPU = "nvidia.com/gpu.product", "nvidia.com/gpu"


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey, watched = Survey(cluster), set[str]()
    for pod in cluster.list("v1/pods"):
        images = [text(container, "image") for container in containers(pod_spec(pod))]
        ready = text(condition(pod, "Ready"), "status") == "True"
        if ready and any(AGENT.search(image.lower()) for image in images):
            watched.add(text(pod, "spec", "nodeName"))
    for node in cluster.list("v1/nodes"):
        if PRODUCT in labels(node) or GPU in words(node, "status", "capacity"):
            with survey.judging(node):
                need(node, "status", "capacity")
                if name(node) not in watched:
                    where = {"product": labels(node).get(PRODUCT, "GPU")}
                    survey.find(node, f"no pod of a health agent is Ready on {name(node)}", where=where)
    return survey.outcome(nothing=Text(en="No node of the cluster has a GPU.", ko="클러스터에 GPU 노드가 없습니다."))
