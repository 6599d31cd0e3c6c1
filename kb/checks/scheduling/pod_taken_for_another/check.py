"""Pods whose conditions say that they end for somebody else's sake."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, items, need, place, text

MARKS = ("DisruptionTarget", "TerminationTarget")


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            need(pod, "status", "phase")
            for condition in items(pod, "status", "conditions"):
                if text(condition, "type") in MARKS and text(condition, "status") == "True":
                    reason = text(condition, "reason") or "no reason given"
                    line = f"{text(condition, 'type')}=True {reason}"
                    survey.find(
                        pod, line, since=text(condition, "lastTransitionTime"), where={**place(pod), "reason": reason}
                    )
    return survey.outcome()
