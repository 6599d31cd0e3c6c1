"""Namespaces whose deletion has not come to its end."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, items, need, place, text


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    for namespace in cluster.list("v1/namespaces"):
        with survey.judging(namespace):
            if need(namespace, "status", "phase") != "Terminating":
                continue
            age = survey.age(namespace, "metadata", "deletionTimestamp")
            if age > limit:
                true = [one for one in items(namespace, "status", "conditions") if text(one, "status") == "True"]
                reason = text(true[0], "reason") if true else "no condition says why"
                survey.find(
                    namespace,
                    text(true[0], "message") if true else reason,
                    lasted=age,
                    limit=limit,
                    since=text(namespace, "metadata", "deletionTimestamp"),
                    where={**place(namespace), "reason": reason},
                )
    return survey.outcome()
