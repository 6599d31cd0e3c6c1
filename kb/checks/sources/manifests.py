"""The Kubernetes objects of a replay behind the protocol of a live API server."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from kb.checks.card import KubernetesData, SourceName
from kb.checks.contract import KubeObject, Unknown
from kb.checks.sources.kube_forms import refusal, resource_of, selected

#: Our files hold text alone; what has the form of a number or a truth value is one, but in these places of the API.
TEXT_KEYS = frozenset(
    "name namespace value resourceVersion uid generateName key topologyKey message reason image type version".split()
)
TEXT_TREES = frozenset(
    "labels annotations matchLabels nodeSelector selector limits requests capacity allocatable hard used "
    "args command values parameters".split()
)
NUMBER = re.compile(r"-?(0|[1-9]\d*)")
WORDS = {"true": True, "false": False}
EVERY = "*"


class Manifests:
    """Lists what the data holds; a resource of which it holds nothing is there and empty."""

    kind = SourceName.kubernetes

    def __init__(self, data: KubernetesData) -> None:
        self.name = "manifests"
        self._data = data
        # A server lists by namespace and name.
        self._items = sorted((typed(item) for item in data.objects), key=_key)

    def now(self) -> float:
        moment = datetime.fromisoformat(self._data.now)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

    def version(self) -> str:
        errors = self._data.errors
        if EVERY in errors:
            raise refusal(resource_of("v1/version"), errors[EVERY])
        return self._data.version

    def list(self, resource: str, *, fields: str = "", labels: str = "") -> Iterator[KubeObject]:
        asked, errors = resource_of(resource), self._data.errors
        if (status := errors.get(resource, errors.get(EVERY))) is not None:
            raise refusal(asked, status)
        for item in self._items:
            if resource_name(item) == resource and selected(item, fields, labels):
                yield item

    def problems(self) -> tuple[Unknown, ...]:
        return ()


def _key(item: KubeObject) -> tuple[str, str]:
    metadata = item.get("metadata") or {}
    return str(metadata.get("namespace", "")), str(metadata.get("name", ""))


def resource_name(item: KubeObject) -> str:
    """`apps/v1/deployments` of a Deployment: the plural that the API gives to its kind."""
    kind = str(item.get("kind", "")).lower()
    if kind.endswith("y"):
        plural = f"{kind[:-1]}ies"
    elif kind.endswith("s"):
        plural = kind if kind == "endpoints" else f"{kind}es"
    else:
        plural = f"{kind}s"
    return f"{item.get('apiVersion')}/{plural}"


def typed(item: Mapping[str, object]) -> dict[str, object]:
    """The object with numbers and truth values as the API writes them."""
    # At the top `value` is the number of a PriorityClass; further down it is text, that of a variable.
    return {key: _typed("" if key == "value" else key, value) for key, value in item.items()}


def _fields(item: Mapping[str, object]) -> dict[str, object]:
    return {key: _typed(key, value) for key, value in item.items()}


def _typed(key: str, value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value) if key in TEXT_TREES else _fields(value)
    if isinstance(value, list):
        return value if key in TEXT_TREES else [_typed(key, item) for item in value]
    if not isinstance(value, str) or key in TEXT_KEYS:
        return value
    if NUMBER.fullmatch(value):
        return int(value)
    return WORDS.get(value, value)
