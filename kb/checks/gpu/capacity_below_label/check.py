"""Nodes that offer fewer GPUs than feature discovery found, or than their like offer."""

from collections import defaultdict
from statistics import mode

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import Survey, labels, need, number, place, words
from kb.model import Text

GPU, COUNT = "nvidia.com/gpu", "nvidia.com/gpu.count"
KIND = ("nvidia.com/gpu.product", "node.kubernetes.io/instance-type")
#: Below three nodes there is no telling which count is the usual one.
ENOUGH = 3


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey, alike = Survey(cluster), defaultdict[tuple[str, ...], list[float]](list)
    nodes = [
        node for node in cluster.list("v1/nodes") if COUNT in labels(node) or GPU in words(node, "status", "capacity")
    ]
    for node in nodes:
        alike[kind(node)].append(number(node, "status", "capacity", GPU, default=0))
    for node in nodes:
        with survey.judging(node):
            need(node, "status", "capacity")
            offered, like = number(node, "status", "capacity", GPU, default=0), alike[kind(node)]
            expected = number(labels(node), COUNT, default=offered) if whole(node) else offered
            if len(like) >= ENOUGH:
                expected = max(expected, mode(like))
            if offered < expected:
                survey.find(
                    node,
                    f"capacity {offered:g}, expected {expected:g}",
                    value=offered,
                    threshold=f"< {expected:g}",
                    where={**place(node), "expected": f"{expected:g}"},
                )
    return survey.outcome(nothing=Text(en="No node of the cluster has a GPU.", ko="클러스터에 GPU 노드가 없습니다."))


def kind(node: KubeObject) -> tuple[str, ...]:
    return tuple(labels(node).get(label, "") for label in KIND)


def whole(node: KubeObject) -> bool:
    """Neither cut nor shared."""
    own = labels(node)
    return (
        own.get("nvidia.com/gpu.replicas", "1") in ("0", "1") and own.get("nvidia.com/mig.strategy", "none") != "single"
    )
