"""Each operation answers its question, and the same question asked two ways gets the same answer."""

import pytest
from starlette.testclient import TestClient

from kb.answers import SearchAnswer
from kb.api.batch import BatchAnswer
from kb.api.operations import OPERATIONS
from kb.api.render import body
from kb.library import Library
from kb.questions import GetIncident, ListChecks, ListIncidents, SearchIncidents

API = "/api/v1"


def test_search_answers_as_the_library_does(client: TestClient, library: Library) -> None:
    answer = client.get(f"{API}/search", params={"symptoms": "pods stuck in Pending", "limit": "3"})

    asked = library.search_incidents(SearchIncidents(symptoms="pods stuck in Pending", limit=3))
    assert SearchAnswer.model_validate_json(answer.text) == asked


@pytest.mark.parametrize("name", ["symptoms", "query"])
def test_search_takes_json_as_it_takes_a_query(client: TestClient, name: str) -> None:
    question = {name: "학습이 멈춘 채 로그가 없습니다", "lang": "ko", "limit": 3}

    posted = client.post(f"{API}/search", json=question)
    got = client.get(f"{API}/search", params=question)

    assert posted.status_code == got.status_code == 200
    assert posted.json() == got.json()


def test_null_and_empty_mean_absent(client: TestClient) -> None:
    bare = client.post(f"{API}/search", json={"symptoms": "pods pending"})
    padded = client.post(f"{API}/search", json={"symptoms": "pods pending", "component": None, "org": ""})

    assert padded.json() == bare.json()
    assert client.get(f"{API}/incidents?component=").json() == client.get(f"{API}/incidents").json()


def test_a_case_is_served_whole_with_the_page_for_people(client: TestClient, library: Library, case_id: str) -> None:
    answer = client.get(f"{API}/incidents/{case_id}", params={"lang": "ko"})

    assert answer.text == library.get_incident(GetIncident(id=case_id, lang="ko")).model_dump_json()
    assert answer.headers["link"] == f'</ko/incidents/{case_id}>; rel="alternate"; type="text/html"'
    assert "\\u" not in answer.text


def test_any_other_spelling_of_an_address_is_sent_to_the_one(client: TestClient, case_id: str) -> None:
    answer = client.get(f"{API}/incidents/{case_id.lower()}?lang=ko&sections=summary")
    topic = client.get(f"{API}/topics/root_causes/Certificate-Expiry")

    assert answer.status_code == 308
    assert answer.headers["location"] == f"{API}/incidents/{case_id}?lang=ko&sections=summary"
    assert (topic.status_code, topic.headers["location"]) == (308, f"{API}/topics/root_causes/certificate-expiry")


def test_a_list_is_paged_to_its_end_without_gap_or_repeat(client: TestClient, library: Library) -> None:
    seen: list[str] = []
    params = {"limit": "7"}
    while True:
        page = client.get(f"{API}/incidents", params=params).json()
        seen += [case["id"] for case in page["cases"]]
        if page["next_cursor"] is None:
            break
        params["cursor"] = page["next_cursor"]

    assert len(seen) == len(set(seen)) == page["count"]
    assert set(seen) == set(library.complete("id", "")) or len(seen) > 100


def test_a_batch_gives_what_exists_and_names_what_does_not(client: TestClient, library: Library) -> None:
    cases = [case.id for case in library.list_incidents(ListIncidents(limit=2)).cases]

    answer = client.post(f"{API}/incidents:batch", json={"ids": [*cases, cases[0].lower(), "IL-99999"]})

    batch = BatchAnswer.model_validate_json(answer.text)
    assert [case.id for case in batch.cases] == cases
    assert (batch.count, batch.not_found) == (2, ("IL-99999",))


def test_a_batch_takes_fifty_and_no_more(client: TestClient) -> None:
    ids = [f"IL-{number:04d}" for number in range(51)]

    assert client.post(f"{API}/incidents:batch", json={"ids": ids}).status_code == 422
    assert client.post(f"{API}/incidents:batch", json={"ids": ["IL-0477", *ids[:49]]}).status_code == 200


def test_every_listed_check_is_there(client: TestClient, library: Library) -> None:
    checks = client.get(f"{API}/checks").json()["checks"]

    assert [check["id"] for check in checks] == [c.id for c in library.list_checks(ListChecks()).checks]
    for check in checks:
        answer = client.get(f"{API}/checks/{check['id']}")
        assert answer.json()["id"] == check["id"]
        assert answer.headers["link"].startswith(f"</en/checks/{check['id']}>")


def test_pasted_output_is_matched_and_not_cached(client: TestClient) -> None:
    text = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."

    answer = client.post(f"{API}/match/evidence", json={"text": text})

    assert answer.status_code == 200
    assert ("xid", "79") in {(key["kind"], key["value"]) for key in answer.json()["keys"]}
    assert answer.headers["cache-control"] == "no-store"


def test_pages_are_absolute_where_the_public_address_is_known(library: Library, case_id: str) -> None:
    text = body(library.get_incident(GetIncident(id=case_id)), "https://cases.example")

    assert f'"page":"https://cases.example/en/incidents/{case_id}"' in text
    assert '"page":"/' not in text


def test_operation_names_are_unique() -> None:
    names = [operation.name for operation in OPERATIONS]

    assert len(names) == len(set(names))
