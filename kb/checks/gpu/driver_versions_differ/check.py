"""Nodes whose GPU driver is not that of their like."""

from collections import Counter, defaultdict

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import Survey, labels, need, place, words
from kb.model import Text

PRODUCT, FULL = "nvidia.com/gpu.product", "nvidia.com/cuda.driver-version.full"
#: Older releases of feature discovery write the version in three parts.
PARTS = ("nvidia.com/cuda.driver.major", "nvidia.com/cuda.driver.minor", "nvidia.com/cuda.driver.rev")
GPU = "nvidia.com/gpu"


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey, versions = Survey(cluster), defaultdict[str, Counter[str]](Counter)
    nodes = [
        node for node in cluster.list("v1/nodes") if PRODUCT in labels(node) or GPU in words(node, "status", "capacity")
    ]
    for node in nodes:
        if version(node):
            versions[labels(node).get(PRODUCT, "")][version(node)] += 1
    for node in nodes:
        with survey.judging(node):
            need(node, "status", "capacity")
            if not version(node):
                need(labels(node), FULL)
            [(usual, _)] = versions[labels(node).get(PRODUCT, "")].most_common(1)
            if version(node) != usual:
                where = {**place(node), "driver": version(node), "usual": usual}
                survey.find(node, f"driver {version(node)}, usual {usual}", where=where)
    return survey.outcome(nothing=Text(en="No node of the cluster has a GPU.", ko="클러스터에 GPU 노드가 없습니다."))


def version(node: KubeObject) -> str:
    own = labels(node)
    return own.get(FULL) or ".".join(own[part] for part in PARTS if part in own)
