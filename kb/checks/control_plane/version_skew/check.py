"""Kubelets that are newer than the API server, or too old for it."""

import re

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import MissingFieldError, Survey, place, text

VERSION = re.compile(r"v?(\d+)\.(\d+)\.")
#: Since 1.28 three minor versions are supported, two before.
WIDER_FROM = 28


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey, server = Survey(cluster), cluster.version()
    newest = minor(server, "gitVersion")
    allowed = 3 if newest >= WIDER_FROM else 2
    for node in cluster.list("v1/nodes"):
        with survey.judging(node):
            kubelet = text(node, "status", "nodeInfo", "kubeletVersion")
            behind = newest - minor(kubelet, "status.nodeInfo.kubeletVersion")
            if not 0 <= behind <= allowed:
                survey.find(
                    node,
                    f"kubelet {kubelet}, API server {server}",
                    value=behind,
                    unit="minor versions behind",
                    threshold=f"0 to {allowed}",
                    where={**place(node), "kubelet": kubelet, "server": server},
                )
    return survey.outcome()


def minor(version: str, field: str) -> int:
    match = VERSION.match(version)
    if match is None:
        raise MissingFieldError(field)
    return int(match[2])
