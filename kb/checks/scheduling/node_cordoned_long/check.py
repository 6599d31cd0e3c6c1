"""Nodes that have been unschedulable for days."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import MissingFieldError, Survey, at, items, need, text

TAINT = "node.kubernetes.io/unschedulable"


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    for node in cluster.list("v1/nodes"):
        with survey.judging(node):
            need(node, "status", "conditions")
            if at(node, "spec", "unschedulable") is not True:
                continue
            times = [
                taint
                for taint in items(node, "spec", "taints")
                if text(taint, "key") == TAINT and text(taint, "timeAdded")
            ]
            if not times:
                raise MissingFieldError("spec.taints.timeAdded")
            age = survey.age(times[0], "timeAdded")
            if age > limit:
                survey.find(
                    node,
                    f"spec.unschedulable: true since {text(times[0], 'timeAdded')}",
                    lasted=age,
                    limit=limit,
                    since=text(times[0], "timeAdded"),
                )
    return survey.outcome()
