"""Webhooks that refuse on failure and cover kube-system or the namespace they run in."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, chosen, items, labels, name, need, place, text
from kb.checks.webhooks import NO_WEBHOOKS, RESOURCES, asked_about
from kb.checks.workloads import each

#: What a node, the network and the control plane must be able to write to come up.
VITAL = frozenset({"pods", "configmaps", "leases", "nodes"})


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    namespaces = {name(item): labels(item) for item in cluster.list("v1/namespaces")}
    for configuration in each(cluster, *RESOURCES):
        for webhook in items(configuration, "webhooks"):
            if not asked_about(webhook, VITAL):
                continue
            with survey.judging(configuration):
                selector, own = (
                    need(webhook, "namespaceSelector"),
                    text(webhook, "clientConfig", "service", "namespace"),
                )
                if (
                    need(webhook, "failurePolicy") != "Fail"
                    or at(webhook, "objectSelector")
                    or at(webhook, "matchConditions")
                ):
                    continue
                for guarded in dict.fromkeys(("kube-system", own)):
                    if guarded in namespaces and chosen(selector, namespaces[guarded]):
                        survey.find(
                            configuration,
                            f"failurePolicy: Fail, namespaceSelector takes {guarded}",
                            where={**place(configuration), "webhook": text(webhook, "name"), "guards": guarded},
                        )
    return survey.outcome(nothing=NO_WEBHOOKS)
