"""Admission webhooks, as the checks of them read them."""

from collections.abc import Collection

from kb.checks.contract import KubeObject
from kb.checks.objects import at, items
from kb.model import Text

RESOURCES = (
    "admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    "admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
)
NO_WEBHOOKS = Text(
    en="No webhook of this kind is registered in the cluster.", ko="클러스터에 이런 웹훅이 등록돼 있지 않습니다."
)
WRITES = frozenset({"*", "CREATE", "UPDATE"})


def asked_about(webhook: KubeObject, resources: Collection[str]) -> bool:
    """Whether a rule of the webhook takes creations or changes of one of these resources."""
    return any(
        WRITES & _said(rule, "operations") and ({"*", "*/*"} | set(resources)) & _said(rule, "resources")
        for rule in items(webhook, "rules")
    )


def _said(rule: KubeObject, field: str) -> set[str]:
    value = at(rule, field)
    return {str(entry) for entry in value} if isinstance(value, list) else set()
