"""A live Kubernetes API server, read by GET alone; the only importer of the official client.

The client finds the server and the credentials (kubeconfig contexts, exec plug-ins, the account of a pod); answers
are taken as the JSON they are, so that nothing the client's models do not know is lost. Each list is read once in
a run, page by page, and kept in a compressed temporary file for every check that asks for it.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

import urllib3
from kubernetes.client.api_client import ApiClient
from kubernetes.client.configuration import Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.config import ConfigException, incluster_config, kube_config

from kb.checks.card import SourceName
from kb.checks.contract import KubeObject, Unknown
from kb.checks.sources.kube_forms import (
    EXPIRED,
    TOO_MANY,
    Resource,
    bad_config,
    no_api_server,
    refusal,
    resource_of,
    unreachable,
)
from kb.checks.sources.spool import Spool
from kb.errors import SourceError

PAGE = 500
TIMEOUT_SECONDS = 30.0
#: A page of 500 objects has a few megabytes; what is larger is no list of a healthy cluster.
MAX_PAGE_BYTES = 256 << 20
MAX_OBJECTS = 1_000_000
#: How often a list that expired while it was read is begun anew, and an overloaded server asked again.
RESTARTS, TRIES = 3, 4
LONGEST_WAIT = 10.0
CHUNK = 1 << 20
TIMEOUTS = (urllib3.exceptions.TimeoutError, TimeoutError)


class _ExpiredError(Exception):
    """The server no longer knows the place where the list was left off."""


@dataclass
class _Slot:
    """One list, or why it could not be had."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    result: Spool | SourceError | None = None


@dataclass(frozen=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def parsed(self) -> Any:
        """The JSON of the body, or nothing where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class KubernetesApi:
    """One cluster. Nothing is opened before the first question, and whatever fails then is a `SourceError`.

    context: of the kubeconfig; empty for the current one, or for the account of the pod where there is no
        kubeconfig.
    kubeconfig: paths as in KUBECONFIG; default: that variable, else `~/.kube/config`.
    """

    kind = SourceName.kubernetes

    def __init__(
        self,
        context: str = "",
        *,
        kubeconfig: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        page: int = PAGE,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._context = context
        self._kubeconfig = kubeconfig
        self._timeout = timeout
        self._page = page
        self._wait = wait
        self._lock = threading.Lock()
        self._client: ApiClient | SourceError | None = None
        self._slots: dict[tuple[str, str, str], _Slot] = {}
        self._greet = threading.Lock()
        self._hello: _Answer | SourceError | None = None
        self.name = context or "current context"

    def close(self) -> None:
        for slot in self._slots.values():
            if isinstance(slot.result, Spool):
                slot.result.close()
        if isinstance(self._client, ApiClient):
            self._client.rest_client.close()

    def problems(self) -> tuple[Unknown, ...]:
        return ()

    def now(self) -> float:
        """The clock of the server when first asked; it stands in every answer, a refused one too."""
        date = self._greeting().headers.get("Date")
        return parsedate_to_datetime(date).timestamp() if date else time.time()

    def version(self) -> str:
        answer = self._greeting()
        body = answer.parsed()
        if answer.status == 200 and isinstance(body, dict) and isinstance(body.get("gitVersion"), str):
            return str(body["gitVersion"])
        if answer.status in (401, 403):
            raise refusal(Resource("", "v1", "version"), answer.status, _message(body))
        raise no_api_server(self.name)

    def list(self, resource: str, *, fields: str = "", labels: str = "") -> Iterator[KubeObject]:
        asked = resource_of(resource)
        with self._lock:
            slot = self._slots.setdefault((resource, fields, labels), _Slot())
        with slot.lock:
            if slot.result is None:
                try:
                    slot.result = self._whole(asked, {"fieldSelector": fields, "labelSelector": labels})
                except SourceError as error:
                    slot.result = error
        if isinstance(slot.result, SourceError):
            raise slot.result
        yield from slot.result

    def _whole(self, asked: Resource, selectors: Mapping[str, str]) -> Spool:
        for _ in range(RESTARTS):
            try:
                return Spool(self._pages(asked, selectors))
            except _ExpiredError:
                continue
            except OSError as error:
                raise SourceError(f"No room to keep the list of {asked}: {error.strerror}.") from error
        raise refusal(asked, EXPIRED)

    def _pages(self, asked: Resource, selectors: Mapping[str, str]) -> Iterator[KubeObject]:
        """Every page of one list, which is one state of the cluster: the server sees to that."""
        query = {"limit": str(self._page), **{name: text for name, text in selectors.items() if text}}
        count = 0
        while True:
            body = self._page_of(asked, query)
            kind, version = str(body["kind"]).removesuffix("List"), body.get("apiVersion", "")
            for item in body["items"] or ():
                yield {"kind": kind, "apiVersion": version, **item}
                count += 1
            token = (body.get("metadata") or {}).get("continue")
            if not token:
                return
            if count > MAX_OBJECTS or token == query.get("continue"):
                raise SourceError(f"The list of {asked} does not end.", reason_kind="timeout")
            query["continue"] = token

    def _page_of(self, asked: Resource, query: Mapping[str, str]) -> Mapping[str, Any]:
        answer = self._get(asked.path, query)
        body = answer.parsed()
        if answer.status == EXPIRED and "continue" in query:
            raise _ExpiredError
        if answer.status == 404:
            self.version()
        if answer.status == 200 or 300 <= answer.status < 400:
            if isinstance(body, dict) and str(body.get("kind")).endswith("List") and "items" in body:
                return body
            raise no_api_server(self.name)
        raise refusal(asked, answer.status, _message(body))

    def _greeting(self) -> _Answer:
        with self._greet:
            if self._hello is None:
                try:
                    self._hello = self._get("/version", {})
                except SourceError as error:
                    self._hello = error
        if isinstance(self._hello, SourceError):
            raise self._hello
        return self._hello

    def _get(self, path: str, query: Mapping[str, str]) -> _Answer:
        """The one place that speaks to the server: GET. An overloaded server is asked again as it wishes."""
        client = self._connected()
        for left in reversed(range(TRIES)):
            call = client.param_serialize(
                "GET", path, query_params=list(query.items()), auth_settings=["BearerToken"],
                header_params={"Accept": "application/json", "Accept-Encoding": "gzip"},
            )  # fmt: skip
            try:
                answer = _read(client.call_api(*call, _request_timeout=self._timeout), self.name, self._timeout)
            except (ApiException, urllib3.exceptions.HTTPError, OSError) as error:
                late = isinstance(error, TIMEOUTS) and not isinstance(error, urllib3.exceptions.NewConnectionError)
                raise unreachable(self.name, type(error).__name__, late=late) from error
            if answer.status != TOO_MANY or not left:
                break
            self._wait(_seconds(answer.headers.get("Retry-After")))
        return answer

    def _connected(self) -> ApiClient:
        with self._lock:
            if self._client is None:
                try:
                    configuration, self.name = configured(self._context, self._kubeconfig)
                    self._client = ApiClient(configuration)
                except SourceError as error:
                    self._client = error
            if isinstance(self._client, SourceError):
                raise self._client
            return self._client


def _read(response: Any, name: str, limit: float) -> _Answer:
    """Status, headers and body of an answer, within bounds of size and time (seconds)."""
    raw, parts, size = response.response, [], 0
    until = time.monotonic() + limit
    try:
        for part in raw.stream(CHUNK, decode_content=True):
            parts.append(part)
            size += len(part)
            if size > MAX_PAGE_BYTES or time.monotonic() > until:
                raise SourceError(f"{name} sends an answer without end.", reason_kind="timeout")
    finally:
        raw.release_conn()
    return _Answer(int(response.status), response.headers, b"".join(parts))


def configured(context: str, kubeconfig: str | None) -> tuple[Configuration, str]:
    """Where the server is and who asks, with a name for both.

    Raises:
        SourceError: no configuration, one that cannot be read, or a context that is broken.
    """
    configuration = Configuration()
    # An answer is judged here and not by the transport.
    configuration.retries = False
    try:
        merged = kube_config.KubeConfigMerger(kubeconfig or kube_config.KUBE_CONFIG_DEFAULT_LOCATION).config
        if merged is None:
            incluster_config.load_incluster_config(configuration)
            return configuration, "in-cluster"
        chosen = context or merged.safe_get("current-context") or ""
        user = _user(merged.value, chosen)
        kube_config.KubeConfigLoader(config_dict=merged, active_context=chosen).load_and_set(configuration)
    except ConfigException as error:
        raise bad_config(str(error).rstrip(".")) from error
    except SourceError:
        raise
    except Exception as error:  # whatever stands in the file, it is not a crash of the run
        raise bad_config(f"the kubeconfig cannot be read ({type(error).__name__})") from error
    if "exec" in user and not configuration.api_key and not configuration.cert_file:
        # The client only logs that its plug-in failed, and would go on as nobody.
        raise bad_config(f"the plug-in `{user['exec'].get('command')}` of context `{chosen}` gave no credentials")
    return configuration, f"{chosen} ({configuration.host})"


def _user(kubeconfig: Mapping[str, Any], chosen: str) -> Mapping[str, Any]:
    """The user of a context; one that is not there would silently be nobody."""
    contexts = {entry["name"]: entry.get("context") or {} for entry in map(_value, kubeconfig["contexts"])}
    users = {entry["name"]: entry.get("user") or {} for entry in map(_value, kubeconfig["users"])}
    if chosen not in contexts:
        named = f"there is no context `{chosen}`" if chosen else "no context is chosen"
        raise bad_config(f"{named} in the kubeconfig; it has {', '.join(contexts) or 'none'}")
    name = contexts[chosen].get("user")
    if name and name not in users:
        raise bad_config(f"context `{chosen}` names the user `{name}`, which the kubeconfig does not have")
    found: Mapping[str, Any] = users.get(name, {})
    return found


def _value(entry: Any) -> Mapping[str, Any]:
    value: Mapping[str, Any] = getattr(entry, "value", entry)
    return value


def _message(body: Any) -> str:
    return str(body.get("message", "")) if isinstance(body, dict) else ""


def _seconds(retry_after: str | None) -> float:
    wanted = float(retry_after) if retry_after and retry_after.isdigit() else 1.0
    return min(max(wanted, 1.0), LONGEST_WAIT)
