"""Containers that wait because their image cannot be pulled."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, at, items, need, text
from kb.checks.workloads import made_by

REASONS = frozenset(
    {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable"}
)
STATUSES = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            need(pod, "status", "phase")
            for status in [entry for field in STATUSES for entry in items(pod, "status", field)]:
                waiting = at(status, "state", "waiting")
                age = survey.age(pod, "metadata", "creationTimestamp")
                if text(waiting, "reason") in REASONS and age > limit:
                    survey.find(
                        pod,
                        text(waiting, "message") or text(waiting, "reason"),
                        lasted=age,
                        limit=limit,
                        where={**made_by(pod), "image": text(status, "image"), "reason": text(waiting, "reason")},
                    )
    return survey.outcome()
