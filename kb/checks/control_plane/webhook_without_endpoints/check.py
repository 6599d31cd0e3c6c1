"""Webhooks that refuse on failure and whose Service has no ready address."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, items, labels, namespace, need, place, text
from kb.checks.webhooks import NO_WEBHOOKS, RESOURCES
from kb.checks.workloads import each


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    ready: dict[tuple[str, str], int] = {}
    for piece in cluster.list("discovery.k8s.io/v1/endpointslices"):
        service = namespace(piece), labels(piece).get("kubernetes.io/service-name", "")
        # An absent condition means ready, by the definition of the field.
        up = [e for e in items(piece, "endpoints") if at(e, "conditions", "ready") is not False]
        ready[service] = ready.get(service, 0) + len(up)
    for configuration in each(cluster, *RESOURCES):
        for webhook in items(configuration, "webhooks"):
            called = at(webhook, "clientConfig", "service")
            service = text(called, "namespace"), text(called, "name")
            if not service[1]:
                continue
            with survey.judging(configuration):
                if need(webhook, "failurePolicy") == "Fail" and not ready.get(service):
                    survey.find(
                        configuration,
                        f"failurePolicy: Fail, 0 ready addresses of Service {'/'.join(service)}",
                        value=0, threshold="< 1",
                        where={**place(configuration), "webhook": text(webhook, "name"), "service": "/".join(service)},
                    )  # fmt: skip
    return survey.outcome(nothing=NO_WEBHOOKS)
