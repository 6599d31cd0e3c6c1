"""Nodes with clearly less CPU, memory or disk than others of their instance type."""

from collections import defaultdict

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import Survey, labels, need, number, place, text

TYPE = "node.kubernetes.io/instance-type"
RESOURCES = ("cpu", "memory", "ephemeral-storage")


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), knobs.number("ratio")
    alike = defaultdict[str, list[KubeObject]](list)
    for node in cluster.list("v1/nodes"):
        alike[labels(node).get(TYPE) or labels(node).get("beta.kubernetes.io/instance-type", "")].append(node)
    for nodes in alike.values():
        most = {one: max(number(node, "status", "capacity", one, default=0) for node in nodes) for one in RESOURCES}
        for node in nodes:
            with survey.judging(node):
                need(node, "status", "capacity")
                for resource in RESOURCES:
                    share = number(node, "status", "capacity", resource, default=most[resource]) / (most[resource] or 1)
                    if most[resource] and share < limit:
                        said = text(node, "status", "capacity", resource)
                        survey.find(
                            node,
                            f"{resource}: {said}",
                            value=round(100 * share),
                            unit="%",
                            threshold=f"< {100 * limit:g}",
                            where={**place(node), "resource": resource},
                        )
    return survey.outcome()
