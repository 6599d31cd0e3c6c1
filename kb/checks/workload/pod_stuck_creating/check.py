"""Pods that have a node and do not get their containers created, by node."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, condition, items, need, text

REASONS = frozenset({"ContainerCreating", "PodInitializing", "CreateContainerConfigError", "CreateContainerError"})
STATUSES = ("initContainerStatuses", "containerStatuses")


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    said: dict[str, str] = {}
    for event in cluster.list("v1/events", fields="type=Warning"):
        said[text(event, "involvedObject", "uid")] = f"{text(event, 'reason')}: {text(event, 'message')}"
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            if need(pod, "status", "phase") != "Pending" or text(condition(pod, "PodScheduled"), "status") != "True":
                continue
            statuses = [entry for field in STATUSES for entry in items(pod, "status", field)]
            reasons = {text(status, "state", "waiting", "reason") for status in statuses} & REASONS
            age = survey.age(condition(pod, "PodScheduled"), "lastTransitionTime")
            if reasons and age > limit:
                line = said.get(text(pod, "metadata", "uid"), ", ".join(sorted(reasons)))
                survey.find(
                    pod,
                    line,
                    lasted=age,
                    limit=limit,
                    since=text(condition(pod, "PodScheduled"), "lastTransitionTime"),
                    where={"node": text(pod, "spec", "nodeName")},
                )
    return survey.outcome()
