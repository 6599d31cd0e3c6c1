"""Volume claims that have stayed Pending although somebody wants them."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, items, key, name, namespace, need, place, text
from kb.model import Text


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    modes = {name(one): text(one, "volumeBindingMode") for one in cluster.list("storage.k8s.io/v1/storageclasses")}
    wanted = {
        (namespace(pod), text(volume, "persistentVolumeClaim", "claimName"))
        for pod in cluster.list("v1/pods")
        for volume in items(pod, "spec", "volumes")
    }
    for claim in cluster.list("v1/persistentvolumeclaims"):
        with survey.judging(claim):
            if need(claim, "status", "phase") != "Pending":
                continue
            kind = text(claim, "spec", "storageClassName")
            age, missing = survey.age(claim, "metadata", "creationTimestamp"), kind != "" and kind not in modes
            idle = modes.get(kind) == "WaitForFirstConsumer" and key(claim) not in wanted
            if age > limit and not idle:
                reason = (
                    f"storage class {kind} does not exist" if missing else f"Pending, storage class {kind or 'none'}"
                )
                survey.find(
                    claim,
                    reason,
                    lasted=age,
                    limit=limit,
                    since=text(claim, "metadata", "creationTimestamp"),
                    where={**place(claim), "reason": reason},
                )
    return survey.outcome(nothing=Text(en="The cluster has no volume claims.", ko="클러스터에 볼륨 클레임이 없습니다."))
