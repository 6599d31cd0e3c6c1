"""Deployments behind an Ingress whose containers get no time between removal and SIGTERM."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, at, items, key, name, namespace, need, number, place, text, words
from kb.checks.workloads import DEPLOYMENTS, containers, pod_spec
from kb.model import Text


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey, served = Survey(cluster), dict[tuple[str, str], str]()
    for ingress in cluster.list("networking.k8s.io/v1/ingresses"):
        paths = [path for rule in items(ingress, "spec", "rules") for path in items(rule, "http", "paths")]
        backends = [at(path, "backend") for path in paths] + [at(ingress, "spec", "defaultBackend")]
        for backend in backends:
            served.setdefault((namespace(ingress), text(backend, "service", "name")), name(ingress))
    selectors = [
        (namespace(service), words(service, "spec", "selector"), served[key(service)])
        for service in cluster.list("v1/services")
        if key(service) in served and words(service, "spec", "selector")
    ]
    for deployment in cluster.list(DEPLOYMENTS):
        with survey.judging(deployment):
            need(pod_spec(deployment), "containers")
            own = words(deployment, "spec", "template", "metadata", "labels")
            hooked = any(at(one, "lifecycle", "preStop") for one in containers(pod_spec(deployment)))
            if number(deployment, "spec", "replicas") < 2 or hooked:
                continue
            for inside, selector, ingress_name in selectors:
                if inside == namespace(deployment) and selector.items() <= own.items():
                    survey.find(
                        deployment, "no lifecycle.preStop", where={**place(deployment), "ingress": ingress_name}
                    )
    return survey.outcome(nothing=Text(en="The cluster has no Deployments.", ko="클러스터에 디플로이먼트가 없습니다."))
