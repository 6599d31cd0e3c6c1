"""Prometheus, or anything that speaks its HTTP API. Only instant queries are asked; nothing is written.

An empty answer is an empty answer, never health: the rule decides what it means.
"""

import ssl
import threading
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

import httpx

from kb.checks.card import SourceName
from kb.checks.contract import Ask, Sample
from kb.errors import InvalidValue, SourceError

TIMEOUT_SECONDS = 20.0
#: Error types of the API, and what they mean here; anything else is a crash.
ERROR_TYPES = {
    "timeout": "timeout",
    "canceled": "timeout",
    "bad_data": "unsupported",
    "execution": "unsupported",
}
#: Newer servers put remarks on the expression itself among the warnings; they do not mean missing data.
ON_EXPRESSION = ("PromQL info", "PromQL warning")


class PrometheusHttp:
    """One server. Its clock is asked once, so that every check of a run judges the same moment.

    Raises (constructor):
        InvalidValue: an address that is not http or https.
    """

    kind = SourceName.prometheus

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        timeout: float = TIMEOUT_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        parts = _server(url)
        if parts is None:
            raise InvalidValue(
                f"`{shown(url)}` is not the address of a Prometheus server.",
                field="prometheus",
                next_step="Give it as http://host:9090, or https://host/prefix.",
            )
        self.name = shown(url)
        self._api = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + "/api/v1/query", "", ""))
        self._timeout = timeout
        # Proxies are taken from the environment, as every other client takes them.
        self._client = httpx.Client(
            timeout=timeout, headers=dict(headers or {}), auth=auth, verify=tls or True, transport=transport
        )
        self._lock = threading.Lock()
        self._now: float | SourceError | None = None

    def close(self) -> None:
        self._client.close()

    def now(self) -> float:
        """The server's clock when first asked.

        Raises:
            SourceError: it cannot be reached; said again at once, without a second attempt.
        """
        with self._lock:
            if self._now is None:
                try:
                    self._now = self._samples({"query": "time()"})[0].value
                except SourceError as error:
                    self._now = error
                except IndexError:
                    self._now = SourceError(f"{self.name} does not tell the time.", reason_kind="unsupported")
            if isinstance(self._now, SourceError):
                raise self._now
            return self._now

    def query(self, expr: str, at: float) -> list[Sample]:
        return self._samples({"query": expr, "time": f"{at:.3f}", "timeout": f"{self._timeout:.0f}s"})

    def query_many(self, asks: Sequence[Ask]) -> list[list[Sample]]:
        return [self.query(ask.expr, ask.at) for ask in asks]

    def _samples(self, form: Mapping[str, str]) -> list[Sample]:
        return samples_of(self._body(form), self.name)

    def _body(self, form: Mapping[str, str]) -> Any:
        try:
            answer = self._client.post(self._api, data=dict(form))
            if answer.status_code == httpx.codes.METHOD_NOT_ALLOWED:
                answer = self._client.get(self._api, params=dict(form))
        except httpx.TimeoutException as error:
            raise SourceError(
                f"{self.name} did not answer within {self._timeout:g} s.",
                reason_kind="timeout",
                next_step="Try again, or ask a server with fewer series.",
            ) from error
        except httpx.HTTPError as error:
            raise SourceError(
                f"{self.name} cannot be reached ({type(error).__name__}).",
                next_step="Check the address, and that this machine may reach it.",
            ) from error
        return _json(answer, self.name)


def samples_of(body: Any, name: str) -> list[Sample]:
    """The samples of an answer of `/api/v1/query`.

    Raises:
        SourceError: the answer reports an error, is partial, or is no vector.
    """
    if not isinstance(body, dict) or body.get("status") not in ("success", "error"):
        raise _not_prometheus(name)
    if body["status"] == "error":
        kind = str(body.get("errorType", ""))
        raise SourceError(
            f"{name} refused the query: {str(body.get('error', kind))[:300]}.",
            reason_kind=ERROR_TYPES.get(kind, "crash"),
        )
    partial = [str(w) for w in body.get("warnings") or () if not str(w).startswith(ON_EXPRESSION)]
    if partial:
        raise SourceError(
            f"{name} answered with only part of the data: {partial[0][:300]}.",
            next_step="Repair the store it names; a partial answer cannot show that all is well.",
        )
    try:
        data = body["data"]
        if data["resultType"] == "scalar":
            return [Sample({}, float(data["result"][1]), float(data["result"][0]))]
        if data["resultType"] != "vector":
            raise SourceError(f"{name} answered with a {data['resultType']}.", reason_kind="unsupported")
        return [
            Sample(dict(item["metric"]), float(item["value"][1]), float(item["value"][0])) for item in data["result"]
        ]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise _not_prometheus(name) from error


def _json(answer: httpx.Response, name: str) -> Any:
    status = answer.status_code
    if status in (401, 403) or answer.is_redirect:
        what = f"HTTP {status}" if not answer.is_redirect else f"a redirect (HTTP {status})"
        raise SourceError(
            f"{name} refused access with {what}.",
            reason_kind="forbidden",
            next_step="Pass the credentials it wants, or its address behind the login.",
        )
    try:
        body = answer.json()
    except ValueError as error:
        if status == httpx.codes.OK:
            raise SourceError(
                f"{name} answered with a page instead of data, most likely a login page.",
                reason_kind="forbidden",
                next_step="Pass the credentials it wants, or its address behind the login.",
            ) from error
        raise _bad_status(name, status) from error
    if status >= 400 and not (isinstance(body, dict) and body.get("status") == "error"):
        raise _bad_status(name, status)
    return body


def _bad_status(name: str, status: int) -> SourceError:
    if status in (404, 405):
        return _not_prometheus(name)
    kind = "timeout" if status in (408, 504) else "crash"
    return SourceError(f"{name} answered with HTTP {status}.", reason_kind=kind, next_step="See its log.")


def _not_prometheus(name: str) -> SourceError:
    return SourceError(
        f"{name} does not answer as Prometheus does.",
        reason_kind="unsupported",
        next_step="Give the address under which /api/v1/query is found, with its path prefix if it has one.",
    )


def _server(url: str) -> SplitResult | None:
    """The parts of a server's address; nothing where it is none, such as one whose port is no number."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return None
    return parts if usable else None


def shown(url: str) -> str:
    """The address without user name, password, query and fragment; what is no address, without what an `@` ends."""
    parts = _server(url)
    if parts is None:
        return url.rpartition("@")[2]
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
