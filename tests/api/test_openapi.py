"""The OpenAPI document is whole, and the answers are what it says."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from kb.api.documents import DOCUMENTS
from kb.api.operations import OPERATIONS
from kb.model import Incident


@pytest.fixture(scope="module")
def document(client: TestClient) -> Any:
    return client.get("/openapi.json").json()


def operations(document: Any) -> list[tuple[str, str, Any]]:
    return [(path, verb, body) for path, item in document["paths"].items() for verb, body in item.items()]


def test_it_is_3_1_and_lists_exactly_the_operations(document: Any) -> None:
    assert document["openapi"].startswith("3.1")
    listed = {body["operationId"] for _, _, body in operations(document)}
    assert listed == {operation.name for operation in (*OPERATIONS, *DOCUMENTS)}


def test_every_parameter_is_described_and_every_error_is_a_problem(document: Any) -> None:
    for path, verb, body in operations(document):
        for parameter in body.get("parameters", ()):
            assert parameter["description"].endswith("."), (path, parameter["name"])
            assert "anyOf" not in parameter["schema"]
        for status, response in body["responses"].items():
            if int(status) >= 400:
                assert "application/problem+json" in response["content"], (path, verb, status)
        assert {"200", "422", "500", "503"} <= set(body["responses"])


def test_path_parameters_are_those_of_the_path(document: Any) -> None:
    for path, _, body in operations(document):
        declared = [p["name"] for p in body.get("parameters", ()) if p["in"] == "path"]
        assert declared == [part[1:].partition("}")[0] for part in path.split("/") if part.startswith("{")]


def test_no_error_shape_of_the_framework_is_left(document: Any) -> None:
    assert "HTTPValidationError" not in document["components"]["schemas"]


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/api/v1/search", "/api/v1/search?symptoms=training+hangs&detail=full"),
        ("/api/v1/incidents", "/api/v1/incidents?limit=100"),
        ("/api/v1/incidents/{id}", "/api/v1/incidents/IL-0477"),
        ("/api/v1/topics/{kind}/{slug}", "/api/v1/topics/symptoms/job-hang?symptoms=training+hangs"),
        ("/api/v1/vocab", "/api/v1/vocab?query=certificate"),
        ("/api/v1/checks", "/api/v1/checks"),
        ("/api/v1/checks/{family}/{name}", "/api/v1/checks/gpu/xid_fatal_counted"),
        ("/api/v1/holes", "/api/v1/holes?show=case-without-check&kind=components&lang=ko"),
        ("/api/v1/status", "/api/v1/status"),
    ],
)
def test_answers_fit_their_published_schema(client: TestClient, document: Any, path: str, address: str) -> None:
    schema = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    whole = {**schema, "components": document["components"]}

    Draft202012Validator(whole).validate(client.get(address).json())


def test_problems_fit_their_published_schema(client: TestClient, document: Any) -> None:
    schema = document["components"]["schemas"]["Problem"]

    Draft202012Validator(schema).validate(client.get("/api/v1/search?symptoms=x&colour=red").json())


def test_the_case_schema_is_that_of_the_model(client: TestClient) -> None:
    answer = client.get("/api/v1/schemas/case.json")

    assert answer.headers["content-type"] == "application/schema+json"
    Draft202012Validator.check_schema(answer.json())
    assert answer.json()["properties"].keys() == Incident.model_fields.keys()
