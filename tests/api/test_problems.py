"""Every error of the API has one shape."""

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from kb.api import describing
from kb.api.operations import OPERATIONS, Operation
from kb.app import create_app
from kb.parameters import required
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


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_names_what_it_does_not_know_before_what_is_missing(
    client: TestClient, operation: Operation
) -> None:
    path = operation.path.format(id="IL-0477", kind="symptoms", slug="job-hang", family="gpu", name="fell_off_bus_log")
    in_body = operation.method == "POST" and operation.body is None
    query = [] if operation.question is None or in_body else sent(operation)
    members = list(operation.question.model_fields) if operation.question and in_body else []
    needed = [name for name in required(operation.question) if name in (*query, *members)] if operation.question else []
    for name in (*query, *members, "no-such-argument"):
        misspelt = name[:1] + name
        body = {misspelt: "x"} if in_body else {}
        address = path if in_body else f"{path}?{misspelt}=x"
        answer = client.request(operation.method, address, json=body if operation.method == "POST" else None)

        problem = answer.json()
        assert (answer.status_code, problem["title"], problem["field"]) == (422, "Unknown argument", misspelt), address
        assert problem["allowed"] == (query or members) if query or members else "allowed" not in problem
        assert set(problem.get("nearest", [])) - set(needed) <= {name}
        assert (name in problem.get("nearest", [])) == (name in (*query, *members))
        assert all(f"`{missing}`" in problem["detail"] for missing in needed)
        assert ("required" in problem["detail"]) == bool(needed)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_error_offers_the_choices_that_the_document_lists(client: TestClient, operation: Operation) -> None:
    path = operation.path.format(id="IL-0477", kind="symptoms", slug="job-hang", family="gpu", name="fell_off_bus_log")
    described = describing.arguments(operation)
    fields = {one["name"]: one["schema"] for one in described.get("parameters", ()) if one["in"] == "query"}
    if "requestBody" in described and operation.body is None:
        fields = described["requestBody"]["content"]["application/json"]["schema"]["properties"]
    examples = {"symptoms": "x", "text": "x", "ids": ["IL-0477"]}
    needed = {name: examples[name] for name in fields if name in examples}
    for name, field in fields.items():
        if "enum" not in field:
            continue
        choices = [value for value in field["enum"] if value]
        if operation.method == "POST" and operation.body is None:
            answer = client.post(path, json={**needed, name: f"{choices[-1]}x"})
        else:
            answer = client.request(operation.method, path, params={**needed, name: f"{choices[-1]}x"}, json={})
        problem = answer.json()
        assert (problem["field"], problem["allowed"], problem["nearest"]) == (name, choices, [choices[-1]]), name


def test_the_sections_that_an_error_offers_are_those_of_the_document(client: TestClient) -> None:
    allowed = client.get(f"{API}/incidents/IL-0477?sections=colour").json()["allowed"]
    listed = client.get("/openapi.json").json()["paths"][f"{API}/incidents/{{id}}"]["get"]["parameters"]

    (text,) = (one["description"] for one in listed if one["name"] == "sections")
    assert text.endswith(f"One or more of {', '.join(allowed)}.")


def sent(operation: Operation) -> list[str]:
    """The arguments of the query as the OpenAPI document lists them, in the order of the question."""
    listed = {one["name"] for one in describing.arguments(operation)["parameters"] if one["in"] == "query"}
    return [name for name in operation.question.model_fields if name in listed]


def test_a_name_that_nobody_knows_comes_before_how_often_it_is_given(client: TestClient) -> None:
    assert client.get(f"{API}/incidents?colour=1&colour=2").json()["title"] == "Unknown argument"


def test_where_arguments_belong_into_the_body_a_query_is_told_so(client: TestClient) -> None:
    problem = client.post(f"{API}/search?symptoms=x", content=b"not json").json()

    assert problem["field"] == "symptoms"
    assert problem["next_step"].startswith("This address takes its arguments as members of a JSON object")


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
