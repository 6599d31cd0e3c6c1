"""Volume attachments that neither come about nor go."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, need, text
from kb.model import Text


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    for attachment in cluster.list("storage.k8s.io/v1/volumeattachments"):
        with survey.judging(attachment):
            leaving = bool(text(attachment, "metadata", "deletionTimestamp"))
            begun = "deletionTimestamp" if leaving else "creationTimestamp"
            if need(attachment, "status", "attached") is True and not leaving:
                continue
            age = survey.age(attachment, "metadata", begun)
            if age > limit:
                state = "not detached" if leaving else "not attached"
                error = text(attachment, "status", "detachError" if leaving else "attachError", "message")
                where = {
                    "volume": text(attachment, "spec", "source", "persistentVolumeName")
                    or text(attachment, "metadata", "name"),
                    "node": text(attachment, "spec", "nodeName"),
                    "state": state,
                }
                survey.find(
                    attachment,
                    error or state,
                    lasted=age,
                    limit=limit,
                    since=text(attachment, "metadata", begun),
                    where=where,
                )
    return survey.outcome(
        nothing=Text(en="No volume is attached in the cluster.", ko="클러스터에 연결된 볼륨이 없습니다.")
    )
