"""What Kubernetes checks share: fields of objects, places, ages, quantities, and how an outcome is put together.

A field that the API server always fills in and that is absent nevertheless makes that one object unknown
(`MissingFieldError`), never healthy.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from kb.checks.contract import Evidence, Finding, KubeObject, KubernetesSource, Outcome, ReasonKind, Unknown
from kb.model import Text

SHOWN = 20
MAX_EVIDENCE_CHARS = 500
#: Unit, its seconds, and how long it is used.
SPANS = (("min", 60.0, 7200.0), ("h", 3600.0, 172_800.0), ("d", 86_400.0, float("inf")))
QUANTITY = re.compile(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E)?")
FACTORS = {
    "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60,
}  # fmt: skip


class MissingFieldError(Exception):
    """A field without which an object cannot be judged; `str()` is its path."""


def at(item: object, *path: str) -> object:
    """The value below `path`, or nothing."""
    for key in path:
        item = item.get(key) if isinstance(item, Mapping) else None
    return item


def need(item: object, *path: str) -> object:
    """
    Raises:
        MissingFieldError: nothing is there.
    """
    value = at(item, *path)
    if value is None:
        raise MissingFieldError(".".join(path))
    return value


def text(item: object, *path: str) -> str:
    """The text below `path`; empty where there is none."""
    value = at(item, *path)
    return value if isinstance(value, str) else "" if value is None else str(value)


def number(item: object, *path: str, default: float | None = None) -> float:
    """A number, or a quantity such as `500m` and `64Gi`, in its base unit.

    Raises:
        MissingFieldError: nothing is there and there is no default, or it is no number.
    """
    value = at(item, *path)
    if isinstance(value, (int, float)):
        return float(value)
    match = QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match:
        return float(match[1]) * FACTORS[match[2] or ""]
    if value is None and default is not None:
        return default
    raise MissingFieldError(".".join(path))


def items(item: object, *path: str) -> list[KubeObject]:
    """The objects of a list below `path`; none where there is no list."""
    value = at(item, *path)
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def words(item: object, *path: str) -> Mapping[str, str]:
    """Labels, annotations, selectors: a mapping of text; empty where there is none."""
    value = at(item, *path)
    return {str(key): str(word) for key, word in value.items()} if isinstance(value, Mapping) else {}


def labels(item: KubeObject) -> Mapping[str, str]:
    return words(item, "metadata", "labels")


def name(item: KubeObject) -> str:
    return text(item, "metadata", "name")


def namespace(item: KubeObject) -> str:
    return text(item, "metadata", "namespace")


def key(item: KubeObject) -> tuple[str, str]:
    return namespace(item), name(item)


def title(item: KubeObject) -> str:
    """`Pod default/web-0`."""
    return f"{text(item, 'kind')} {'/'.join(part for part in key(item) if part)}"


def place(item: KubeObject) -> dict[str, str]:
    """Labels of a finding: `{namespace: default, pod: web-0}`."""
    inside = {"namespace": namespace(item)} if namespace(item) else {}
    return {**inside, text(item, "kind").lower(): name(item)}


def condition(item: KubeObject, kind: str) -> KubeObject | None:
    """The condition of that type in the status, if it is there."""
    return next((entry for entry in items(item, "status", "conditions") if entry.get("type") == kind), None)


def moment(item: object, *path: str) -> float:
    """A time of the API, in Unix seconds.

    Raises:
        MissingFieldError: none is there, or it cannot be read.
    """
    try:
        read = datetime.fromisoformat(text(item, *path))
    except ValueError as error:
        raise MissingFieldError(".".join(path)) from error
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def chosen(selector: object, own: Mapping[str, str]) -> bool:
    """Whether a label selector (`matchLabels`, `matchExpressions`) takes these labels; an empty one takes all."""
    wanted = words(selector, "matchLabels").items() <= own.items()
    return wanted and all(_holds(term, own) for term in items(selector, "matchExpressions"))


def _holds(term: KubeObject, own: Mapping[str, str]) -> bool:
    value, given = own.get(text(term, "key")), term.get("values") or ()
    match text(term, "operator"):
        case "In":
            return value in given
        case "NotIn":
            return value not in given
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    raise MissingFieldError("operator")


class Survey:
    """Looks at objects one by one and collects what is found, what could not be judged, and how many were.

    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            if …:
                survey.find(pod, "what it says")
    return survey.outcome()
    """

    def __init__(self, cluster: KubernetesSource) -> None:
        self._cluster = cluster
        self._looked_at = 0
        self._findings: dict[tuple[tuple[str, str], ...], Finding] = {}
        self._blind: list[tuple[dict[str, str], str]] = []
        self._unknown: list[Unknown] = []

    @contextmanager
    def judging(self, item: KubeObject) -> Iterator[None]:
        """Counts the object as looked at, or as unknown where a field is missing."""
        try:
            yield
        except MissingFieldError as error:
            self.blind(item, str(error))
        else:
            self._looked_at += 1

    def age(self, item: object, *path: str) -> float:
        """Seconds from the time below `path` to the server's now."""
        return self._cluster.now() - moment(item, *path)

    def find(
        self,
        item: KubeObject,
        line: str,
        *,
        value: float | None = None,
        unit: str = "",
        threshold: str = "",
        lasted: float | None = None,
        limit: float = 0.0,
        since: str = "",
        where: Mapping[str, str] | None = None,
    ) -> None:
        """Something is found at an object; `line` is what the object says.

        lasted, limit: seconds, instead of value, unit and threshold.
        where: the place, if it is not the object itself; what is found there again is counted.
        """
        if lasted is not None:
            unit, size = next((name, size) for name, size, most in SPANS if lasted < most)
            value, threshold = round(lasted / size, 1), f"> {limit / size:.3g} {unit}"
        labels_of_place = dict(place(item) if where is None else where)
        evidence = Evidence(
            value=value, unit=unit, threshold=threshold, object=title(item), line=line[:MAX_EVIDENCE_CHARS]
        )
        identity = tuple(sorted(labels_of_place.items()))
        if identity in self._findings:
            known = self._findings[identity]
            evidence = replace(known.evidence, count=known.evidence.count + 1)
            self._findings[identity] = replace(known, evidence=evidence)
        else:
            self._findings[identity] = Finding(labels_of_place, evidence, since or None)

    def blind(self, item: KubeObject, field: str) -> None:
        """An object that cannot be judged for lack of a field."""
        self._blind.append((place(item), field))

    def remark(self, remark: Unknown) -> None:
        """Something else that could not be judged."""
        self._unknown.append(remark)

    def outcome(self, nothing: Text | None = None) -> Outcome:
        """What all came to.

        nothing: why a cluster may well have none of the objects; without it their absence is unknown.
        """
        findings = tuple(self._findings[identity] for identity in sorted(self._findings))
        remarks = (*self._remarks(), *self._unknown)
        if not findings and not remarks and not self._looked_at:
            if nothing is not None:
                return Outcome(not_applicable=nothing)
            remarks = (NOTHING_LISTED,)
        return Outcome(self._looked_at, findings, remarks)

    def _remarks(self) -> Iterable[Unknown]:
        fields = sorted({field for _, field in self._blind})
        if not fields:
            return
        said = ", ".join(fields[:3])
        places = sorted((found for found, _ in self._blind), key=lambda found: sorted(found.items()))
        yield Unknown(
            Text(
                en=f"{len(places)} objects cannot be judged without {said}.",
                ko=f"{said} 값이 없어 오브젝트 {len(places)}개를 판단할 수 없습니다.",
            ),
            ReasonKind.no_series,
            Text(
                en="See why the component that writes this field does not: the kubelet, a controller or an exporter.",
                ko="이 필드를 쓰는 kubelet, 컨트롤러, 익스포터가 왜 쓰지 않는지 확인하십시오.",
            ),
            tuple(places[:SHOWN]),
            len(places),
        )


NOTHING_LISTED = Unknown(
    Text(
        en="The API server lists nothing that this check could judge.",
        ko="API 서버가 준 목록에 이 검사가 볼 오브젝트가 하나도 없습니다.",
    ),
    ReasonKind.no_series,
    Text(
        en="Make sure that this is the right cluster; a working one has such objects.",
        ko="올바른 클러스터인지 확인하십시오. 동작하는 클러스터라면 이런 오브젝트가 있습니다.",
    ),
)
