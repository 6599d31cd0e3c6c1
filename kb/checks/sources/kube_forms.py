"""What the live API server and a replay have in common: names of resources, permissions, refusals, selectors."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kb.checks.contract import KubeObject
from kb.errors import ResourceAbsent, SourceError

#: Never read, whoever asks: their content is what must not leak.
WITHHELD = frozenset({"v1/secrets", "v1/configmaps"})
RESOURCE = re.compile(
    r"(?:(?P<group>[a-z0-9.-]+\.?[a-z0-9.-]*)/)?(?P<version>v\d+(?:(?:alpha|beta)\d+)?)/(?P<plural>[a-z0-9]+)"
)
USER = re.compile(r'User "([^"]*)"')
TIMEOUTS = (408, 504)
EXPIRED, TOO_MANY = 410, 429


@dataclass(frozen=True)
class Resource:
    """A kind of object, as the API server names it; the core group has the empty name."""

    group: str
    version: str
    plural: str

    @property
    def path(self) -> str:
        return (
            f"/apis/{self.group}/{self.version}/{self.plural}" if self.group else f"/api/{self.version}/{self.plural}"
        )

    @property
    def permission(self) -> str:
        return f'list {self.plural} in group "{self.group}"'

    def __str__(self) -> str:
        return "/".join(part for part in (self.group, self.version, self.plural) if part)


def resource_of(text: str) -> Resource:
    """`apps/v1/deployments` taken apart.

    Raises:
        SourceError: another form, or a resource that is never read.
    """
    if text in WITHHELD:
        raise SourceError(f"{text} are never read.", reason_kind="unsupported")
    match = RESOURCE.fullmatch(text)
    if match is None:
        raise SourceError(f"`{text}` is no resource of the form group/version/plural.", reason_kind="unsupported")
    return Resource(match["group"] or "", match["version"], match["plural"])


def refusal(resource: Resource, status: int, message: str = "") -> SourceError:
    """What an HTTP status other than 200 means; `message` is that of the server's Status object."""
    if status == 401:
        return SourceError(
            "The API server does not accept the credentials (401).",
            reason_kind="forbidden",
            next_step="Log in again: the token or certificate has expired, or belongs to another cluster.",
            what_ko="API 서버가 인증 정보를 받아들이지 않습니다(401).",
            next_step_ko="다시 로그인하십시오. 토큰이나 인증서가 만료됐거나 다른 클러스터의 것입니다.",
        )
    if status == 403:
        user = USER.search(message)
        who = f" for {user[1]}" if user and user[1] else ""
        return SourceError(
            f"A permission is missing{who}: {resource.permission}.",
            reason_kind="forbidden",
            next_step="Grant it; deploy/clusterrole.yaml holds all that the checks read.",
            what_ko=f"권한이 없습니다{f'({user[1]})' if user and user[1] else ''}: {resource.permission}.",
            next_step_ko="권한을 주십시오. 검사가 읽는 것은 모두 deploy/clusterrole.yaml에 있습니다.",
        )
    if status == 404:
        return ResourceAbsent(
            f"The API server does not serve {resource}.",
            reason_kind="unsupported",
            next_step="Install what defines it, or check the version of the cluster.",
            what_ko=f"API 서버가 {resource} 리소스를 제공하지 않습니다.",
            next_step_ko="이 리소스를 정의하는 구성 요소를 설치하거나 클러스터 버전을 확인하십시오.",
        )
    return _trouble(resource, status, message)


def _trouble(resource: Resource, status: int, message: str) -> SourceError:
    """The server knows and allows what is asked, and cannot answer now."""
    if status in (EXPIRED, TOO_MANY, *TIMEOUTS):
        why, ko = _LATE.get(status, ("did not answer in time", "제때 답하지 않았습니다"))
        return SourceError(
            f"{resource}: the API server {why} ({status}).",
            reason_kind="timeout",
            next_step="Try again when it is less busy.",
            what_ko=f"{resource}: API 서버가 {ko}({status}).",
            next_step_ko="API 서버가 덜 바쁠 때 다시 시도하십시오.",
        )
    said = f": {message[:200]}" if message else ""
    return SourceError(
        f"{resource}: the API server answered with HTTP {status}{said}.",
        next_step="See the log of the API server, or of the proxy before it.",
        what_ko=f"{resource}: API 서버가 HTTP {status}로 답했습니다{said}.",
        next_step_ko="API 서버나 그 앞에 있는 프록시의 로그를 보십시오.",
    )


_LATE = {
    EXPIRED: (
        "let the list expire again and again while it was read",
        "목록을 다 읽기 전에 번번이 만료시켰습니다",
    ),
    TOO_MANY: ("is overloaded and asks to come back later", "과부하라 나중에 다시 오라고 합니다"),
}


def bad_config(why: str) -> SourceError:
    return SourceError(
        f"No connection to a cluster: {why}.",
        next_step="Name a context that works with --kube CONTEXT (`kubectl config get-contexts` lists them).",
        what_ko=f"클러스터에 연결할 수 없습니다: {why}.",
        next_step_ko="동작하는 컨텍스트를 --kube CONTEXT로 주십시오. `kubectl config get-contexts`로 볼 수 있습니다.",
    )


def unreachable(name: str, why: str, *, late: bool) -> SourceError:
    what = "did not answer in time" if late else f"cannot be reached ({why})"
    return SourceError(
        f"{name} {what}.",
        reason_kind="timeout" if late else "crash",
        next_step="Check the address of the context, its certificate, and that this machine may reach it.",
        next_step_ko="컨텍스트의 주소와 인증서, 이 머신에서 접속할 수 있는지를 확인하십시오.",
    )


def no_api_server(name: str) -> SourceError:
    return SourceError(
        f"{name} does not answer as a Kubernetes API server does; most likely a login page or a proxy.",
        reason_kind="forbidden",
        next_step="Check the address of the context, and log in.",
        next_step_ko="컨텍스트의 주소를 확인하고 로그인하십시오.",
    )


def selected(item: KubeObject, fields: str, labels: str) -> bool:
    """Whether the selectors choose the object: `a.b=c,d.e!=f`, as many as are given."""
    own = item.get("metadata", {}).get("labels") or {}
    return all(_holds(term, _dotted(item, _name(term))) for term in _terms(fields)) and all(
        _holds(term, own.get(_name(term))) for term in _terms(labels)
    )


def _terms(selector: str) -> list[str]:
    return [term for term in selector.split(",") if term]


def _name(term: str) -> str:
    return re.split(r"!?==?", term, maxsplit=1)[0]


def _holds(term: str, value: object) -> bool:
    name = _name(term)
    if name == term:
        return value is not None
    wanted = term[len(name) :].lstrip("!=")
    return (("" if value is None else str(value)) == wanted) is not term[len(name) :].startswith("!")


def _dotted(item: KubeObject, name: str) -> object:
    value: object = item
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
