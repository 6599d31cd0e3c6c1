"""Against a server on a loopback socket: what goes over the wire, and what is made of each answer."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from kb.checks.contract import Ask
from kb.checks.sources.prometheus import PrometheusHttp
from kb.errors import InvalidValue, SourceError


def vector(*results: dict) -> dict:
    return {"status": "success", "data": {"resultType": "vector", "result": list(results)}}


CLOCK = {"status": "success", "data": {"resultType": "scalar", "result": [1700000000.5, "1700000000.5"]}}


@dataclass
class Server:
    """Answers everything with `status` and `body`; `asked` keeps method, path and form of each request."""

    url: str = ""
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    only_get: bool = False
    hold: threading.Event = field(default_factory=threading.Event)
    hang: bool = False
    asked: list[tuple[str, str, dict[str, list[str]]]] = field(default_factory=list)

    def says(self, body: object, status: int = 200) -> PrometheusHttp:
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        return PrometheusHttp(self.url, timeout=5)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def respond(self, form: str) -> None:
            state.asked.append((self.command, urlsplit(self.path).path, parse_qs(form)))
            if state.hang:
                state.hold.wait(30)
            status = 405 if state.only_get and self.command == "POST" else state.status
            self.send_response(status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(state.body)))
            self.end_headers()
            self.wfile.write(state.body)

        def do_POST(self) -> None:
            self.respond(self.rfile.read(int(self.headers["Content-Length"])).decode())

        def do_GET(self) -> None:
            self.respond(urlsplit(self.path).query)

        def log_message(self, *args: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield state
    state.hold.set()
    httpd.shutdown()
    httpd.server_close()
    thread.join()


def error_of(source: PrometheusHttp) -> SourceError:
    with pytest.raises(SourceError) as caught:
        source.query("up", 1.0)
    return caught.value


def test_an_instant_query_is_posted_with_its_time_and_the_samples_come_back(server: Server) -> None:
    source = server.says(vector({"metric": {"__name__": "up", "job": "a"}, "value": [12.5, "1"]}))
    [sample] = source.query('up{job=~"a|b"}', 12.5)
    assert (dict(sample.labels), sample.value, sample.timestamp) == ({"__name__": "up", "job": "a"}, 1.0, 12.5)
    [(method, path, form)] = server.asked
    assert (method, path) == ("POST", "/api/v1/query")
    assert form == {"query": ['up{job=~"a|b"}'], "time": ["12.500"], "timeout": ["5s"]}


def test_an_empty_answer_is_empty_and_several_are_in_order(server: Server) -> None:
    source = server.says(vector())
    assert source.query_many([Ask("a", 1), Ask("b", 2)]) == [[], []]
    assert [form["query"] for _, _, form in server.asked] == [["a"], ["b"]]


def test_special_values_are_numbers(server: Server) -> None:
    source = server.says(vector({"metric": {}, "value": [1, "+Inf"]}, {"metric": {}, "value": [1, "NaN"]}))
    first, second = source.query("x", 1)
    assert first.value == float("inf")
    assert second.value != second.value


def test_the_clock_is_asked_once_and_stays(server: Server) -> None:
    source = server.says(CLOCK)
    assert source.now() == source.now() == 1700000000.5
    assert [form for _, _, form in server.asked] == [{"query": ["time()"]}]


def test_a_server_that_is_down_is_asked_for_its_clock_only_once(server: Server) -> None:
    source = server.says(b"", 503)
    for _ in range(3):
        with pytest.raises(SourceError, match="HTTP 503"):
            source.now()
    assert len(server.asked) == 1


def test_a_proxy_that_lets_only_get_through_is_asked_that_way(server: Server) -> None:
    server.only_get = True
    assert server.says(vector()).query("up", 1.0) == []
    assert [method for method, _, _ in server.asked] == ["POST", "GET"]
    assert server.asked[1][2]["query"] == ["up"]


def test_a_path_prefix_is_kept_and_credentials_are_never_shown(server: Server) -> None:
    server.says(vector())
    host = server.url.removeprefix("http://")
    source = PrometheusHttp(f"http://user:secret@{host}/prom/?token=secret")
    source.query("up", 1.0)
    assert server.asked[0][1] == "/prom/api/v1/query"
    assert source.name == f"{server.url}/prom"
    server.status = 500
    assert "secret" not in str(error_of(source))


@pytest.mark.parametrize("status", [401, 403])
def test_refused_access_is_forbidden(server: Server, status: int) -> None:
    assert error_of(server.says(b"no", status)).reason_kind == "forbidden"


def test_a_login_page_with_status_200_is_forbidden_and_never_an_empty_answer(server: Server) -> None:
    error = error_of(server.says(b"<html>Sign in</html>"))
    assert error.reason_kind == "forbidden"
    assert "login" in error.what


def test_a_redirect_to_a_login_is_not_followed(server: Server) -> None:
    server.headers["Location"] = "/login"
    error = error_of(server.says(b"", 302))
    assert error.reason_kind == "forbidden"
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("error_type", "kind"),
    [("bad_data", "unsupported"), ("execution", "unsupported"), ("timeout", "timeout"), ("internal", "crash")],
)
def test_an_error_of_the_engine_is_said_with_its_kind(server: Server, error_type: str, kind: str) -> None:
    source = server.says({"status": "error", "errorType": error_type, "error": "too many samples"}, 422)
    error = error_of(source)
    assert (error.reason_kind, "too many samples" in error.what) == (kind, True)


def test_a_partial_answer_is_no_answer(server: Server) -> None:
    error = error_of(server.says({**vector(), "warnings": ["store 10.0.0.3: deadline exceeded"]}))
    assert "only part of the data" in error.what


def test_a_remark_on_the_expression_is_not_a_partial_answer(server: Server) -> None:
    body = {**vector(), "warnings": ["PromQL warning: bucket label missing"], "infos": ["PromQL info: no counter"]}
    assert server.says(body).query("up", 1.0) == []


@pytest.mark.parametrize(
    "body",
    [
        {"hello": 1},
        [],
        {"status": "success"},
        {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {}}]}},
        {"status": "success", "data": {"resultType": "matrix", "result": []}},
        {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {}, "value": [1, "x"]}]}},
        {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {}, "histogram": [1, {}]}]}},
    ],
)
def test_what_is_not_the_answer_of_prometheus_is_unsupported(server: Server, body: object) -> None:
    assert error_of(server.says(body)).reason_kind == "unsupported"


def test_a_path_that_is_not_there_says_what_address_to_give(server: Server) -> None:
    error = error_of(server.says(b"not found", 404))
    assert error.reason_kind == "unsupported"
    assert "/api/v1/query" in error.next_step


def test_no_answer_in_time_is_a_timeout(server: Server) -> None:
    server.hang = True
    error = error_of(PrometheusHttp(server.url, timeout=0.05))
    assert (error.reason_kind, "0.05 s" in error.what) == ("timeout", True)


def test_nobody_listening_is_a_crash_of_the_source() -> None:
    error = error_of(PrometheusHttp("http://127.0.0.1:1", timeout=5))
    assert (error.reason_kind, "cannot be reached" in error.what) == ("crash", True)


@pytest.mark.parametrize(
    "url", ["", "prometheus:9090", "ftp://host/", "http://", "file:///etc/passwd", "http://[::1", "http://host:port"]
)
def test_what_is_no_http_address_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(InvalidValue, match="http://host:9090"):
        PrometheusHttp(url)
