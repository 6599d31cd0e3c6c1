"""Services of type LoadBalancer whose running pods are all on cordoned nodes."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, labels, name, namespace, need, text, words
from kb.model import Text


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    cordoned = {name(node) for node in cluster.list("v1/nodes") if at(node, "spec", "unschedulable") is True}
    running = [pod for pod in cluster.list("v1/pods") if text(pod, "status", "phase") == "Running"]
    for service in cluster.list("v1/services"):
        with survey.judging(service):
            kind, selector = need(service, "spec", "type"), words(service, "spec", "selector")
            if kind != "LoadBalancer" or not selector:
                continue
            own = [p for p in running if namespace(p) == namespace(service) and selector.items() <= labels(p).items()]
            on = {text(pod, "spec", "nodeName") for pod in own}
            if own and on <= cordoned:
                policy = text(service, "spec", "externalTrafficPolicy") or "Cluster"
                line = f"externalTrafficPolicy: {policy}, pods on {', '.join(sorted(on))}"
                survey.find(service, line, value=len(own), unit="pods")
    return survey.outcome(nothing=Text(en="The cluster has no Services.", ko="클러스터에 Service가 없습니다."))
