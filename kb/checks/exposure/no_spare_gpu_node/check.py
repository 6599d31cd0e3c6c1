"""GPU products of which every node is in use."""

from collections import Counter, defaultdict

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, condition, labels, need, number, text, words
from kb.checks.workloads import finished, gpus, pod_spec
from kb.model import Text

PRODUCT, GPU = "nvidia.com/gpu.product", "nvidia.com/gpu"


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, least = Survey(cluster), knobs.number("nodes")
    used = Counter[str]()
    for pod in cluster.list("v1/pods"):
        if not finished(pod):
            used[text(pod, "spec", "nodeName")] += round(gpus(pod_spec(pod)))
    of_product = defaultdict[str, list[KubeObject]](list)
    free = Counter[str]()
    for node in cluster.list("v1/nodes"):
        if PRODUCT not in labels(node) and GPU not in words(node, "status", "capacity"):
            continue
        with survey.judging(node):
            need(node, "status", "allocatable")
            product = labels(node).get(PRODUCT, "GPU")
            of_product[product].append(node)
            ready = text(condition(node, "Ready"), "status") == "True" and not at(node, "spec", "unschedulable")
            idle = (
                number(node, "status", "allocatable", GPU, default=0) > 0 and used[text(node, "metadata", "name")] == 0
            )
            free[product] += ready and idle
    for product, nodes in of_product.items():
        if len(nodes) >= least and not free[product]:
            where = {"product": product, "nodes": str(len(nodes))}
            survey.find(
                nodes[0], f"0 of {len(nodes)} nodes free", value=0, unit="free nodes", threshold="< 1", where=where
            )
    return survey.outcome(nothing=Text(en="No node of the cluster has a GPU.", ko="클러스터에 GPU 노드가 없습니다."))
