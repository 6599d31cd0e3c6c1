"""Deployments with the default search of names in a cluster without a DNS cache on its nodes."""

import re

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, items, name, namespace, need, number, text
from kb.checks.workloads import DAEMONS, DEPLOYMENTS, containers, pod_spec
from kb.model import Text

CACHE = re.compile(r"node-cache|node-local-dns|nodelocaldns|cilium")
FEW = 3
DIRECT = ("Default", "None")


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    images = [text(one, "image") for daemon in cluster.list(DAEMONS) for one in containers(pod_spec(daemon))]
    cached = any(CACHE.search(image) for image in images)
    for deployment in cluster.list(DEPLOYMENTS):
        with survey.judging(deployment):
            spec = pod_spec(deployment)
            need(spec, "containers")
            options = items(spec, "dnsConfig", "options")
            dots = [number(one, "value", default=FEW) for one in options if text(one, "name") == "ndots"]
            outside = text(spec, "dnsPolicy") in DIRECT or at(spec, "hostNetwork") is True
            if not cached and not outside and not any(value <= FEW for value in dots):
                line = f"Deployment {name(deployment)}: no dnsConfig option ndots"
                survey.find(deployment, line, where={"namespace": namespace(deployment)})
    return survey.outcome(nothing=Text(en="The cluster has no Deployments.", ko="클러스터에 디플로이먼트가 없습니다."))
