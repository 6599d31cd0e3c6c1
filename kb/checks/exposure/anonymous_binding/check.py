"""Bindings that give rights to people who have not logged in."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, items, need, text, title
from kb.checks.workloads import each

RESOURCES = ("rbac.authorization.k8s.io/v1/clusterrolebindings", "rbac.authorization.k8s.io/v1/rolebindings")
ANYBODY = ("system:anonymous", "system:unauthenticated")
#: What Kubernetes and kubeadm bind themselves, by the name of the role.
HARMLESS = frozenset(
    {"system:public-info-viewer", "system:discovery", "system:basic-user", "kubeadm:bootstrap-signer-clusterinfo"}
)


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for binding in each(cluster, *RESOURCES):
        with survey.judging(binding):
            role = str(need(binding, "roleRef", "name"))
            for subject in items(binding, "subjects"):
                who = text(subject, "name")
                given_away = who in ANYBODY and role not in HARMLESS
                if given_away or (who == "system:authenticated" and role == "cluster-admin"):
                    where = {"binding": title(binding), "role": role, "subject": who}
                    survey.find(binding, f"roleRef {role}, subject {who}", where=where)
    return survey.outcome()
