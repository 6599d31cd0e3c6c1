"""Pods that outlive their deletion, by node."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, at, need, text


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            need(pod, "status", "phase")
            if not text(pod, "metadata", "deletionTimestamp"):
                continue
            # The API server writes the moment at which the grace period ends.
            late = survey.age(pod, "metadata", "deletionTimestamp")
            if late > limit:
                held = at(pod, "metadata", "finalizers") or "no finalizer"
                survey.find(
                    pod,
                    f"deletionTimestamp {text(pod, 'metadata', 'deletionTimestamp')}, held by {held}",
                    lasted=late,
                    limit=limit,
                    since=text(pod, "metadata", "deletionTimestamp"),
                    where={"node": text(pod, "spec", "nodeName") or "none"},
                )
    return survey.outcome()
