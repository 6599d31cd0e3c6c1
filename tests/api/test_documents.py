"""Files, feeds, schemas and what robots look for first."""

import gzip
import hashlib
import json
import re
from datetime import datetime
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from kb.api.documents import DOCUMENTS
from kb.library import Library
from kb.model import Incident, Lang
from kb.questions import Feed, GetIncident

EXPORT = "/api/v1/export/all.csv"
ATOM = "{http://www.w3.org/2005/Atom}"
PLAIN = {"Accept-Encoding": "identity"}


def test_the_list_of_exports_names_files_that_are_there(client: TestClient, library: Library) -> None:
    listed = client.get("/api/v1/export").json()

    assert (listed["licence"], listed["data_version"]) == ("CC-BY-4.0", library.data_version)
    for file in listed["files"]:
        answer = client.get(f"/api/v1/export/{file['name']}", headers=PLAIN)
        assert answer.status_code == 200
        assert answer.headers["content-type"].partition(";")[0] == file["media_type"].partition(";")[0]
        assert answer.headers["content-length"] == str(file["bytes"])
        assert hashlib.sha256(answer.content).hexdigest() == file["sha256"]


def test_an_export_has_a_validator_for_each_coding(client: TestClient) -> None:
    plain = client.get(EXPORT, headers=PLAIN)
    with client.stream("GET", EXPORT, headers={"Accept-Encoding": "gzip"}) as packed:
        raw = b"".join(packed.iter_raw())

    assert (packed.headers["content-encoding"], gzip.decompress(raw)) == ("gzip", plain.content)
    assert packed.headers["etag"] == plain.headers["etag"][:-1] + '-gzip"'
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    for headers, answer in ((PLAIN, plain), ({"Accept-Encoding": "gzip"}, packed)):
        again = client.get(EXPORT, headers={**headers, "If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", answer.headers["etag"])
    assert client.get(EXPORT, headers={**PLAIN, "If-None-Match": packed.headers["etag"]}).status_code == 200


def test_head_of_an_export_is_get_without_the_body(client: TestClient) -> None:
    head, whole = client.head(EXPORT, headers=PLAIN), client.get(EXPORT, headers=PLAIN)

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(whole.content))
    assert head.headers["etag"] == whole.headers["etag"]


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("bytes=0-99", 0, 99), ("bytes=100-", 100, -1), ("bytes=-50", -50, -1), ("bytes=5-99999999", 5, -1)],
)
def test_a_part_of_an_export_can_be_fetched(client: TestClient, asked: str, first: int, last: int) -> None:
    whole = client.get(EXPORT, headers=PLAIN)
    size = len(whole.content)
    first, last = first % size, last % size

    part = client.get(EXPORT, headers={**PLAIN, "Range": asked, "If-Range": whole.headers["etag"]})

    assert (part.status_code, part.content) == (206, whole.content[first : last + 1])
    assert part.headers["content-range"] == f"bytes {first}-{last}/{size}"
    assert part.headers["etag"] == whole.headers["etag"]


@pytest.mark.parametrize(
    "headers",
    [{"Range": "lines=1-2"}, {"Range": "bytes=0-1,5-6"}, {"Range": "bytes=9-3"}, {"Range": "bytes=-"},
     {"Range": "bytes=" + "9" * 5000 + "-"}, {"Range": "bytes=0-9", "If-Range": '"of another build"'}],
)  # fmt: skip
def test_what_is_no_range_of_this_file_gets_the_whole_of_it(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get(EXPORT, headers={**PLAIN, **headers}).status_code == 200


@pytest.mark.parametrize("asked", ["bytes=99999999-", "bytes=-0"])
def test_a_range_outside_the_file_is_told_its_size(client: TestClient, asked: str) -> None:
    answer = client.get(EXPORT, headers={**PLAIN, "Range": asked})

    assert (answer.status_code, answer.json()["title"]) == (416, "Range not satisfiable")
    assert re.fullmatch(r"bytes \*/\d+", answer.headers["content-range"])


@pytest.mark.parametrize("name", ["all.xlsx", "manifest.json", "all.csv.gz", "..", "%2e%2e%2fstamp.json"])
def test_no_other_file_can_be_fetched(client: TestClient, name: str) -> None:
    answer = client.get(f"/api/v1/export/{name}")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("lang", list(Lang))
def test_both_feeds_say_what_the_library_says(client: TestClient, library: Library, lang: Lang) -> None:
    entries = library.feed(Feed(lang=lang)).entries
    atom = ElementTree.fromstring(client.get(f"/feed.atom?lang={lang}").content)
    feed = client.get(f"/feed.json?lang={lang}").json()

    said = [f"{entry.id}: {entry.title}" for entry in entries]
    assert [entry.findtext(f"{ATOM}title") for entry in atom.iter(f"{ATOM}entry")] == said
    assert [item["title"] for item in feed["items"]] == said
    assert [entry.findtext(f"{ATOM}id") for entry in atom.iter(f"{ATOM}entry")] == [i["id"] for i in feed["items"]]
    assert len({item["id"] for item in feed["items"]}) == len(said)
    assert feed["language"] == atom.get("{http://www.w3.org/XML/1998/namespace}lang") == lang
    assert (feed["version"], feed["feed_url"]) == (
        "https://jsonfeed.org/version/1.1",
        f"http://testserver/feed.json?lang={lang}",
    )
    for needed in ("id", "title", "updated"):
        assert atom.findtext(f"{ATOM}{needed}")
    moments = [str(entry.findtext(f"{ATOM}updated")) for entry in atom.iter(f"{ATOM}entry")]
    assert moments == sorted(moments, reverse=True)
    assert all(datetime.fromisoformat(moment).tzinfo for moment in moments)
    assert client.get(feed["items"][0]["url"]).status_code == 200


def test_a_feed_of_a_value_holds_the_cases_that_carry_it(client: TestClient, library: Library) -> None:
    feed = client.get("/feeds/symptoms/straggler.json").json()
    domain = client.get("/feeds/domains/kubernetes.json?limit=100").json()

    ids = [item["title"].partition(":")[0] for item in feed["items"]]
    assert ids
    assert all("straggler" in library.get_incident(GetIncident(id=i)).symptoms for i in ids)
    assert feed["home_page_url"] == "http://testserver/en/symptoms/straggler"
    assert len(domain["items"]) == client.get("/api/v1/incidents?domain=kubernetes").json()["count"]
    assert client.get("/feeds/symptoms/straggler.atom").headers["content-type"].startswith("application/atom+xml")
    assert client.get("/feed.json?component=gpu&domain=ai-infra").status_code == 200


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/feeds/colours/red.atom", 404),
        ("/feeds/symptoms/no-such-thing.json", 404),
        ("/feeds/domains/space.json", 404),
        ("/feeds/symptoms/straggler.rss", 404),
        ("/feeds/symptoms/straggler.json?symptom=straggler", 422),
        ("/feed.atom?page=2", 422),
        ("/feed.atom?component=no-such-thing", 422),
        ("/llms-full.txt?x=1", 422),
        ("/api/v1/schemas/colour.json", 404),
    ],
)
def test_what_is_not_there_is_a_problem_document(client: TestClient, address: str, status: int) -> None:
    answer = client.get(address)

    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


@pytest.mark.parametrize("name", ["case", "check", "replay"])
def test_the_schemas_of_the_files_are_served(client: TestClient, name: str) -> None:
    answer = client.get(f"/api/v1/schemas/{name}.json")

    assert answer.headers["content-type"] == "application/schema+json"
    Draft202012Validator.check_schema(answer.json())


def test_an_exported_case_fits_the_served_schema(client: TestClient) -> None:
    schema = Draft202012Validator(client.get("/api/v1/schemas/case.json").json())

    for line in client.get("/api/v1/export/all.ndjson").text.splitlines():
        schema.validate(json.loads(line))
        assert Incident.model_validate_json(line)


def test_every_address_of_the_api_catalog_answers(client: TestClient) -> None:
    answer = client.get("/.well-known/api-catalog")

    assert answer.headers["content-type"].startswith("application/linkset+json; profile=")
    assert 'rel="api-catalog"' in client.head("/.well-known/api-catalog").headers["link"]
    rest, mcp, search_fetch = answer.json()["linkset"]
    assert search_fetch["anchor"].endswith("/mcp/search-fetch")
    assert mcp["anchor"] == "http://testserver/mcp"
    targets = [link["href"] for links in rest.values() if isinstance(links, list) for link in links]
    assert len(targets) == 6
    for target in targets:
        assert client.get(target).status_code == 200


def test_all_cases_can_be_read_as_one_text(client: TestClient, library: Library) -> None:
    text = client.get("/llms-full.txt").text

    assert re.findall(r"^## (IL-\d+): ", text, re.MULTILINE) == list(library.complete("id", "IL-"))


def test_document_names_are_unique() -> None:
    names = [document.name for document in DOCUMENTS]

    assert len(names) == len(set(names))
