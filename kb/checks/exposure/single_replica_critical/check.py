"""Deployments of one replica behind DNS, a fail-closed webhook or a load balancer."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, items, key, labels, namespace, number, place, text, words
from kb.checks.webhooks import RESOURCES
from kb.checks.workloads import DEPLOYMENTS, each
from kb.model import Text

DNS = ("k8s-app", "kube-dns")


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey, guarding = Survey(cluster), set[tuple[str, str]]()
    for configuration in each(cluster, *RESOURCES):
        for webhook in items(configuration, "webhooks"):
            called = at(webhook, "clientConfig", "service")
            if text(webhook, "failurePolicy") == "Fail":
                guarding.add((text(called, "namespace"), text(called, "name")))
    roles = []
    for service in cluster.list("v1/services"):
        role = ""
        if key(service) in guarding:
            role = "a fail-closed webhook"
        elif DNS in labels(service).items() and namespace(service) == "kube-system":
            role = "cluster DNS"
        elif text(service, "spec", "type") == "LoadBalancer":
            role = "behind a load balancer"
        if role and words(service, "spec", "selector"):
            roles.append((namespace(service), words(service, "spec", "selector"), role))
    for deployment in cluster.list(DEPLOYMENTS):
        with survey.judging(deployment):
            replicas, own = (
                number(deployment, "spec", "replicas"),
                words(deployment, "spec", "template", "metadata", "labels"),
            )
            for inside, selector, role in roles:
                if replicas == 1 and inside == namespace(deployment) and selector.items() <= own.items():
                    survey.find(
                        deployment,
                        f"replicas: 1, {role}",
                        value=1,
                        threshold="< 2",
                        where={**place(deployment), "role": role},
                    )
    return survey.outcome(nothing=Text(en="The cluster has no Deployments.", ko="클러스터에 디플로이먼트가 없습니다."))
