"""A Kubernetes API server for tests: real HTTP, real forms of answers, filled with manifests.

It answers as kube-apiserver does: lists by page with `continue`, `Status` objects for refusals, plain text for paths
nobody serves and for overload, legacy and aggregated discovery, tables, field selectors per resource. It is held
against the models of the official client and against kubectl in `test_kubernetes_api.py`.
"""

import base64
import contextlib
import gzip
import json
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.kubernetes_kinds import BUILT_IN, FIELDS, Kind, discovery_v1, discovery_v2, kind_of

Json = dict[str, object]
USER = "system:serviceaccount:kb:kb"
GZIP_FROM = 128 * 1024
EXPIRED = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results."
)


class Refused(Exception):
    def __init__(self, code: int, reason: str, message: str, **details: object) -> None:
        self.status = status(code, reason, message, **details)
        self.code = code


def status(code: int, reason: str, message: str, *, metadata: Json | None = None, **details: object) -> Json:
    body: Json = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": metadata or {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    return {**body, "details": details} if details else body


class Cluster:
    """What the server knows, and how it behaves. Tests turn the attributes while it runs."""

    def __init__(self, objects: Sequence[Mapping[str, object]] = (), *, version: str = "v1.34.2") -> None:
        self.objects = [dict(item) for item in objects]
        self.kinds: dict[str, Kind] = {str(kind): kind for kind in BUILT_IN}
        for item in self.objects:
            kind = kind_of(item)
            self.kinds.setdefault(str(kind), kind)
        self.version = version
        self.token: str | None = None
        self.forbidden: set[str] = set()
        """Resources (`v1/pods`), or `*`, that the user may not list."""
        self.overloaded = 0
        """How many of the next requests are turned away with 429."""
        self.broken: int | None = None
        self.login_page = False
        self.redirect = False
        self.revision = 1000
        self.oldest = 0
        """Lists of an older revision have expired; `expire_after` pages it happens by itself."""
        self.expire_after: int | None = None
        self.clock: float | None = None
        self.asked: list[tuple[str, str]] = []
        """Method and path with query of every request."""

    def delete(self, resource: str) -> None:
        """No longer serve a resource, as when its CustomResourceDefinition is gone."""
        del self.kinds[resource]

    def items(self, kind: Kind) -> list[Json]:
        own = [item for item in self.objects if str(kind_of(item)) == str(kind)]
        return sorted(own, key=_key)


def _key(item: Mapping[str, object]) -> str:
    metadata = item["metadata"]
    assert isinstance(metadata, dict)
    return f"{metadata.get('namespace', '')}/{metadata['name']}"


def _dotted(item: object, path: str) -> str:
    for part in path.split("."):
        item = item.get(part, "") if isinstance(item, dict) else ""
    return {True: "true", False: "false"}.get(item, str(item)) if isinstance(item, bool) else str(item)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    cluster: Cluster

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def date_time_string(self, timestamp: float | None = None) -> str:
        return formatdate(self.cluster.clock, usegmt=True) if self.cluster.clock else super().date_time_string()

    def do_GET(self) -> None:
        cluster, parts = self.cluster, urlsplit(self.path)
        cluster.asked.append(("GET", self.path))
        query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        if cluster.login_page:
            return self.send(200, b"<!doctype html><title>Log in</title>", "text/html")
        if cluster.redirect:
            return self.send(302, b"", "text/html", {"Location": "https://login.example.org/"})
        if cluster.overloaded:
            cluster.overloaded -= 1
            text = b"Too many requests, please try again later."
            return self.send(429, text, "text/plain; charset=utf-8", {"Retry-After": "2"})
        try:
            if cluster.broken:
                raise Refused(cluster.broken, "InternalError", "etcdserver: request timed out")  # noqa: TRY301
            self.authenticate(parts.path)
            body = self.answer(parts.path.rstrip("/"), query)
        except Refused as refused:
            return self.json(refused.status, refused.code)
        if body is None:
            return self.send(404, b"404 page not found\n", "text/plain; charset=utf-8")
        return self.json(body)

    def write_refused(self) -> None:
        self.cluster.asked.append((self.command, self.path))
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.json(status(403, "Forbidden", f'User "{USER}" may only read'), 403)

    do_POST = do_PUT = do_PATCH = do_DELETE = write_refused

    def authenticate(self, path: str) -> None:
        given = self.headers.get("Authorization", "")
        if self.cluster.token and given != f"Bearer {self.cluster.token}":
            if not given and path == "/version":
                return
            raise Refused(401, "Unauthorized", "Unauthorized")

    def answer(self, path: str, query: Mapping[str, str]) -> Json | None:
        cluster = self.cluster
        if path == "/version":
            major, minor = cluster.version.lstrip("v").split(".")[:2]
            return {
                "major": major, "minor": minor, "gitVersion": cluster.version, "gitCommit": "0" * 40,
                "gitTreeState": "clean", "buildDate": "2026-09-09T00:00:00Z", "goVersion": "go1.25.1",
                "compiler": "gc", "platform": "linux/amd64",
            }  # fmt: skip
        if path in ("/api", "/apis") and "as=APIGroupDiscoveryList" in self.headers.get("Accept", ""):
            return discovery_v2(cluster.kinds.values(), core=path == "/api", accept=self.headers["Accept"])
        if path.count("/") <= 3 and (found := discovery_v1(path, cluster.kinds.values())):
            return found
        return self.resource(path.split("/")[1:], query)

    def resource(self, parts: list[str], query: Mapping[str, str]) -> Json | None:
        """`api/v1/…` or `apis/group/v1/…`, then `[namespaces/NAME/]plural[/name]`."""
        root, rest = ("/".join(parts[1:2]), parts[2:]) if parts[0] == "api" else ("/".join(parts[1:3]), parts[3:])
        namespace = None
        if len(rest) >= 3 and rest[0] == "namespaces":
            namespace, rest = rest[1], rest[2:]
        if not rest or len(rest) > 2:
            return None
        verb = "get" if len(rest) == 2 else ("watch" if query.get("watch") in ("true", "1") else "list")
        # Who may not ask is told so before anybody looks whether the resource exists.
        if verb == "watch" or {f"{root}/{rest[0]}", "*"} & self.cluster.forbidden:
            where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
            what = f'cannot {verb} resource "{rest[0]}" in API group "{root.rpartition("/")[0]}" {where}'
            raise Refused(403, "Forbidden", f'{rest[0]} is forbidden: User "{USER}" {what}', kind=rest[0])
        kind = self.cluster.kinds.get(f"{root}/{rest[0]}")
        if kind is None:
            return None
        items = [item for item in self.cluster.items(kind) if namespace in (None, _dotted(item, "metadata.namespace"))]
        if verb == "get":
            return self.one(kind, items, rest[1])
        return self.page(kind, items, query)

    def one(self, kind: Kind, items: list[Json], name: str) -> Json:
        for item in items:
            if _dotted(item, "metadata.name") == name:
                return self.table(kind, [item], {}) if self.wants_table() else item
        raise Refused(404, "NotFound", f'{kind.plural} "{name}" not found', name=name, kind=kind.plural)

    def page(self, kind: Kind, items: list[Json], query: Mapping[str, str]) -> Json:
        cluster = self.cluster
        chosen = [item for item in items if self.chosen(kind, item, query)]
        revision, after = cluster.revision, ""
        if token := query.get("continue"):
            try:
                held = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
            except ValueError as error:
                raise Refused(400, "BadRequest", "continue key is not valid") from error
            revision, after = held["rv"], held["start"]
            if cluster.expire_after is not None:
                cluster.expire_after -= 1
                if cluster.expire_after < 0:
                    cluster.oldest, cluster.expire_after = cluster.revision + 1, None
                    cluster.revision += 10
            if revision < cluster.oldest:
                raise Refused(410, "Expired", EXPIRED, metadata={"continue": self.token_of(-1, after)})
        left = [item for item in chosen if _key(item) > after]
        limit = int(query.get("limit") or 0) or len(left) or 1
        metadata: Json = {"resourceVersion": str(revision)}
        if len(left) > limit:
            metadata["continue"] = self.token_of(revision, _key(left[limit - 1]))
            if not (query.get("fieldSelector") or query.get("labelSelector")):
                metadata["remainingItemCount"] = len(left) - limit
        if self.wants_table():
            return self.table(kind, left[:limit], metadata)
        bare = left[:limit] if kind.custom else [_without_kind(item) for item in left[:limit]]
        return {"kind": f"{kind.kind}List", "apiVersion": kind.group_version, "metadata": metadata, "items": bare}

    def chosen(self, kind: Kind, item: Json, query: Mapping[str, str]) -> bool:
        supported = {"metadata.name", "metadata.namespace", *FIELDS.get(kind.plural, ())}
        for term in filter(None, query.get("fieldSelector", "").split(",")):
            name, equal, value = term.partition("=")
            if name.rstrip("!") not in supported:
                raise Refused(400, "BadRequest", f"field label not supported: {name.rstrip('!')}")
            if (_dotted(item, name.rstrip("!")) == value.lstrip("=")) is name.endswith("!") or not equal:
                return False
        labels = item["metadata"].get("labels") or {}  # type: ignore[attr-defined]
        terms = [term.partition("=") for term in query.get("labelSelector", "").split(",") if term]
        return all(labels.get(name) == value.lstrip("=") for name, _, value in terms)

    def wants_table(self) -> bool:
        return "as=Table" in self.headers.get("Accept", "")

    def table(self, kind: Kind, items: list[Json], metadata: Json) -> Json:
        columns = [
            {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0},
            {"name": "Age", "type": "string", "format": "", "description": "", "priority": 0},
        ]
        rows = [
            {
                "cells": [_dotted(item, "metadata.name"), "3d"],
                "object": {
                    "kind": "PartialObjectMetadata",
                    "apiVersion": "meta.k8s.io/v1",
                    "metadata": item["metadata"],
                },
            }
            for item in items
        ]
        head = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata}
        return {**head, "columnDefinitions": columns, "rows": rows}

    def token_of(self, revision: int, start: str) -> str:
        text = json.dumps({"v": "meta.k8s.io/v1", "rv": revision, "start": start})
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    def json(self, body: Json, code: int = 200) -> None:
        kind = "application/json"
        if str(body.get("kind")) == "APIGroupDiscoveryList":
            version = str(body["apiVersion"]).split("/")[1]
            kind = f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
        self.send(code, json.dumps(body).encode() + b"\n", kind)

    def send(self, code: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        packed = len(body) > GZIP_FROM and "gzip" in self.headers.get("Accept-Encoding", "")
        body = gzip.compress(body, 1) if packed else body
        self.send_response(code)
        more = {"Audit-Id": "00000000-0000-0000-0000-000000000000", "Cache-Control": "no-cache, private"}
        more |= {"Content-Encoding": "gzip"} if packed else {}
        for name, value in {**more, **(headers or {}), "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body)


def _without_kind(item: Json) -> Json:
    return {key: value for key, value in item.items() if key not in ("kind", "apiVersion")}


@contextlib.contextmanager
def serving(cluster: Cluster, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address under which the cluster is served meanwhile."""
    handler = type("BoundHandler", (Handler,), {"cluster": cluster})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
