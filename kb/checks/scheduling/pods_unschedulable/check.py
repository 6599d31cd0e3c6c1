"""Pods that the scheduler has not been able to place for a while, with its own words on why."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, condition, need, text
from kb.checks.workloads import made_by


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            if need(pod, "status", "phase") != "Pending":
                continue
            placed = condition(pod, "PodScheduled")
            if text(placed, "status") != "False" or text(placed, "reason") != "Unschedulable":
                continue
            waited = survey.age(placed, "lastTransitionTime")
            if waited > limit:
                survey.find(
                    pod,
                    text(placed, "message"),
                    lasted=waited,
                    limit=limit,
                    since=text(placed, "lastTransitionTime"),
                    where=made_by(pod),
                )
    return survey.outcome()
