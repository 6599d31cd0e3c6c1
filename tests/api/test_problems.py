"""Every error of the API has one shape."""

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from kb.app import create_app
from kb.settings import Settings

API = "/api/v1"

BAD_REQUESTS = [
    ("GET", "/nothing/here", None, 404, "not-found"),
    ("GET", f"{API}/search/", None, 404, "not-found"),
    ("GET", f"{API}/incidents/IL-99999", None, 404, "not-found"),
    ("GET", f"{API}/incidents/not-an-id", None, 422, "invalid-value"),
    ("GET", f"{API}/topics/root_causes/no-such-cause", None, 404, "not-found"),
    ("GET", f"{API}/topics/colours/red", None, 404, "not-found"),
    ("GET", f"{API}/checks/gpu/no_such_check", None, 404, "not-found"),
    ("GET", f"{API}/search", None, 422, "invalid-value"),
    ("GET", f"{API}/search?symptoms=", None, 422, "invalid-value"),
    ("GET", f"{API}/search?symptom=job-hang", None, 422, "invalid-value"),
    ("GET", f"{API}/search?symptoms=x&symptoms=y", None, 422, "invalid-value"),
    ("GET", f"{API}/search?symptoms=x&query=y", None, 422, "invalid-value"),
    ("GET", f"{API}/search?symptoms=x&limit=21", None, 422, "invalid-value"),
    ("GET", f"{API}/search?symptoms=x&limit=many", None, 422, "invalid-value"),
    ("GET", f"{API}/search?symptoms=x&lang=fr", None, 422, "unknown-value"),
    ("GET", f"{API}/search?symptoms=x&cursor=made-up", None, 422, "bad-cursor"),
    ("GET", f"{API}/search?symptoms=%FF", None, 422, "invalid-value"),
    ("GET", f"{API}/search?symptoms=" + "a" * 2001, None, 422, "invalid-value"),
    ("GET", f"{API}/incidents?root_cuase=capacity", None, 422, "unknown-argument"),
    ("GET", f"{API}/incidents?root_cause=no-such-cause", None, 422, "unknown-value"),
    ("GET", f"{API}/incidents?since=yesterday", None, 422, "invalid-value"),
    ("GET", f"{API}/incidents/IL-0477?id=IL-0001", None, 422, "unknown-argument"),
    ("GET", f"{API}/incidents/IL-0477?sections=colour", None, 422, "unknown-value"),
    ("GET", f"{API}/checks?cursor=made-up", None, 422, "bad-cursor"),
    ("GET", f"{API}/checks?limit=0", None, 422, "invalid-value"),
    ("GET", f"{API}/changes?since=0000", None, 422, "invalid-value"),
    ("GET", f"{API}/export?x=1", None, 422, "unknown-argument"),
    ("POST", f"{API}/match/evidence", b'{"text": 0}', 422, "invalid-value"),
    ("POST", f"{API}/incidents:batch", b'{"ids": "IL-0477"}', 422, "invalid-value"),
    ("POST", f"{API}/incidents:batch", b'{"ids": [1]}', 422, "invalid-value"),
    ("GET", f"{API}/status?verbose=1", None, 422, "unknown-argument"),
    ("GET", f"{API}/checks?kind=oracle", None, 422, "unknown-value"),
    ("GET", "/healthz?deep=1", None, 422, "unknown-argument"),
    ("GET", "/openapi.json?lang=ko", None, 422, "unknown-argument"),
    ("DELETE", f"{API}/incidents/IL-0477", None, 405, "method-not-allowed"),
    ("PUT", f"{API}/search", b"{}", 405, "method-not-allowed"),
    ("POST", f"{API}/vocab", b"{}", 405, "method-not-allowed"),
    ("GET", f"{API}/match/evidence", None, 405, "method-not-allowed"),
    ("POST", f"{API}/search", b"not json", 422, "invalid-value"),
    ("POST", f"{API}/search", b"[]", 422, "invalid-value"),
    ("POST", f"{API}/search", b"\xff\xfe", 422, "invalid-value"),
    ("POST", f"{API}/search", b"[" * 100_000, 422, "invalid-value"),
    ("POST", f"{API}/search", b'{"symptoms": "x", "symptoms": "y"}', 422, "invalid-value"),
    ("POST", f"{API}/search", b'{"symptoms": ["x"]}', 422, "invalid-value"),
    ("POST", f"{API}/search", b'{"symptoms": "x", "colour": "red"}', 422, "unknown-argument"),
    ("POST", f"{API}/search?symptoms=x", b"{}", 422, "unknown-argument"),
    ("POST", f"{API}/match/evidence", b"{}", 422, "invalid-value"),
    ("POST", f"{API}/match/evidence", b'{"text": "' + b"a" * 1_000_000 + b'"}', 413, "too-large"),
    ("POST", f"{API}/incidents:batch", b'{"ids": []}', 422, "invalid-value"),
    ("POST", f"{API}/incidents:batch", b'{"ids": ["wrong"]}', 422, "invalid-value"),
    ("POST", f"{API}/incidents:batch", b'{"ids": ["IL-99999"]}', 404, "not-found"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "kind"), BAD_REQUESTS)
def test_a_bad_request_gets_a_problem_document(
    client: TestClient, method: str, path: str, body: bytes | None, status: int, kind: str
) -> None:
    headers = {"Content-Type": "application/json"} if body is not None else {}

    answer = client.request(method, path, content=body, headers=headers)

    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (answer.status_code, problem["status"]) == (status, status)
    assert problem["type"] == f"/en/api#{kind}"
    assert problem["title"] == kind.replace("-", " ").capitalize()
    assert problem["detail"].endswith((".", "?"))
    assert problem["instance"] == path.partition("?")[0]
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-schema-version"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"ids": []}, "`ids` holds too little; at least 1 entry is needed."),
        ({"ids": ["IL-0001"] * 51}, "`ids` has 51 entries; at most 50 are taken. Ask for them in several requests."),
        ({"ids": "IL-0477"}, "`ids` must be a list, not `IL-0477`."),
        ({"ids": [7]}, "Each of `ids` must be text, not `7`."),
        ({"ids": [["IL-0477"]]}, "Each of `ids` must be text, not `['IL-0477']`."),
        ({"ids": {}}, "`ids` must be a list, not `{}`."),
        ({"ids": ["x"]}, "`X` is not a valid `id`. Write it like IL-0001."),
    ],
)
def test_no_word_of_the_validator_comes_through(client: TestClient, body: object, said: str) -> None:
    assert client.post(f"{API}/incidents:batch", json=body).json()["detail"] == said


def test_an_unknown_section_is_answered_with_all_that_exist(client: TestClient) -> None:
    problem = client.get(f"{API}/incidents/IL-0477?sections=summary,narative").json()

    assert problem["nearest"][0] == "narrative"
    assert {"narrative", "timeline", "claims"} <= set(problem["allowed"])
    for name in problem["allowed"]:
        assert client.get(f"{API}/incidents/IL-0477?sections={name}").status_code == 200


def test_an_unknown_argument_is_answered_with_the_nearest_and_all_that_exist(client: TestClient) -> None:
    problem = client.get(f"{API}/incidents", params={"root_cuase": "capacity"}).json()

    assert problem["field"] == "root_cuase"
    assert problem["nearest"] == ["root_cause"]
    assert "component" in problem["allowed"]


def test_an_unknown_slug_names_slugs_that_exist(client: TestClient, library: object) -> None:
    problem = client.get(f"{API}/topics/root_causes/certificate-expire").json()

    assert problem["nearest"][0] == "certificate-expiry"
    assert client.get(f"{API}/topics/root_causes/{problem['nearest'][0]}").status_code == 200


def test_a_wrong_method_is_told_all_methods_of_the_address(client: TestClient) -> None:
    answer = client.delete(f"{API}/search")

    assert answer.headers["allow"] == "GET, HEAD, POST"


def test_a_body_of_another_kind_is_refused(client: TestClient) -> None:
    answer = client.post(f"{API}/search", content=b"symptoms=x", headers={"Content-Type": "text/plain"})

    assert (answer.status_code, answer.json()["title"]) == (415, "Unsupported media type")


def test_a_body_that_lies_about_its_length_is_still_counted(client: TestClient) -> None:
    def pieces() -> object:
        yield from (b"x" * 100_000 for _ in range(11))

    answer = client.post(f"{API}/search", content=pieces(), headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["title"]) == (413, "Too large")


def test_a_crash_is_logged_and_shows_nothing(
    client: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr("kb.library.Library.status", crash)

    answer = client.get(f"{API}/status")

    assert (answer.status_code, answer.json()["title"]) == (500, "Internal")
    assert "secret" not in answer.text
    assert "secret of the house" in caplog.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_without_a_build_every_operation_says_when_to_come_back(tmp_path: object) -> None:
    bare = create_app(Settings(cache=tmp_path, vectors=False))
    with TestClient(bare, raise_server_exceptions=False) as client:
        for path in (f"{API}/status", f"{API}/search?symptoms=x", "/readyz", "/llms.txt"):
            answer = client.get(path)
            assert (answer.status_code, answer.json()["title"]) == (503, "No build"), path
            assert answer.headers["retry-after"] == "5"
        assert client.get("/healthz").status_code == 200
        assert client.get("/metrics").status_code == 200
