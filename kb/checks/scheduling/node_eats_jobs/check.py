"""Nodes on which many pods fail at once while they do not elsewhere."""

from collections import Counter

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, items, moment, need, text
from kb.checks.workloads import owner

#: A node stands out with this many times the short failures of all other nodes together.
FAR_ABOVE = 3


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, failed, last = Survey(cluster), Counter[tuple[str, str]](), dict[str, KubeObject]()
    window, lived = seconds(knobs.text("window")), seconds(knobs.text("lived"))
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            if need(pod, "status", "phase") == "Failed" and text(pod, "spec", "nodeName"):
                born, died = moment(pod, "metadata", "creationTimestamp"), ended(pod)
                if died - born <= lived and 0 <= cluster.now() - died <= window:
                    node = text(pod, "spec", "nodeName")
                    failed[node, owner(pod)] += 1
                    last[node] = pod
    for node, pod in last.items():
        here = Counter({made: n for (place, made), n in failed.items() if place == node})
        there = Counter(
            {made: sum(n for (place, m), n in failed.items() if m == made and place != node) for made in here}
        )
        own = sum(n for made, n in here.items() if n >= FAR_ABOVE * there[made])
        if own >= knobs.number("count"):
            line = " ".join(filter(None, (text(pod, "status", "reason"), text(pod, "status", "message"))))
            survey.find(
                pod,
                line or "phase: Failed",
                value=own,
                unit="pods",
                threshold=f">= {knobs.number('count'):g}",
                where={"node": node, "window": knobs.text("window")},
            )
    return survey.outcome()


def ended(pod: KubeObject) -> float:
    """When the last container ended; a pod that the kubelet refused ended when it came."""
    moments = [
        moment(status, "state", "terminated", "finishedAt")
        for status in items(pod, "status", "containerStatuses")
        if text(status, "state", "terminated", "finishedAt")
    ]
    return max(moments, default=moment(pod, "metadata", "creationTimestamp"))
