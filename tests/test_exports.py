"""The exported files: whole, readable by the tools they are for, equal for equal files, and without private cases."""

import csv
import gzip
import hashlib
import io
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import pytest
from starlette.testclient import TestClient

from kb import builds, case_file, corpus, exports
from kb.answers import ExportManifest
from kb.app import create_app
from kb.build import build, read_catalogue
from kb.builds import EXPORTS, MANIFEST
from kb.library.exchange import UNSERVED
from kb.model import SERVED, Domain, Incident, Lang, ReviewStatus
from kb.questions import ListIncidents
from kb.settings import Settings
from kb.validate import identity

FORMATS = ("ndjson", "csv", "sqlite", "zip")
SECRET = "ACME-0001"


@pytest.fixture(scope="module")
def own(data_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A library with a private case: other prefix, other root."""
    folder = tmp_path_factory.mktemp("own")
    root = shutil.copytree(data_root, folder / "data")
    (folder / "own" / "incidents").mkdir(parents=True)
    text = (root / "incidents" / "IL-0097.yaml").read_text(encoding="utf-8")
    text = text.replace("id: IL-0097", f"id: {SECRET}").replace("slug: bloom-176b", "slug: acme-176b", 1)
    text = text.replace("  occurred:\n    at: 2022-04-28", "  occurred:\n    at: 2022-05-28", 1)
    (folder / "own" / "incidents" / f"{SECRET}.yaml").write_text(text, encoding="utf-8")
    settings = Settings(data=f"{root}{os.pathsep}{folder / 'own'}", cache=folder / "cache", vectors=False)
    build(settings)
    return settings


@pytest.fixture(scope="module")
def folder(own: Settings) -> Path:
    shelf = builds.shelf(own)
    return shelf.build_folder(shelf.current()) / EXPORTS


@pytest.fixture(scope="module")
def client(own: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(own)) as opened:
        yield opened


@cache
def served(root: Path) -> tuple[Incident, ...]:
    return tuple(sorted((case.incident for case in corpus.read((root,)).served), key=lambda c: c.id))


def public(own: Settings, domain: Domain | None = None) -> list[Incident]:
    return [case for case in served(own.data_roots[0]) if domain in (None, case.domain)]


def test_the_same_files_export_the_same_bytes(own: Settings, folder: Path, tmp_path: Path) -> None:
    exports.write(tmp_path, corpus.read(own.data_roots), read_catalogue(own))
    other = tmp_path / EXPORTS
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    for name in names:
        assert (folder / name).read_bytes() == (other / name).read_bytes(), name


def test_the_manifest_is_true_of_every_file(own: Settings, folder: Path) -> None:
    manifest = ExportManifest.model_validate_json((folder / MANIFEST).read_text(encoding="utf-8"))
    scopes = ("all", *Domain)
    wanted = {f"{scope}.{ending}" for scope in scopes for ending in FORMATS} | {"changes.csv", "llms-full.txt"}
    assert {file.name for file in manifest.files} == wanted
    for file in manifest.files:
        content = (folder / file.name).read_bytes()
        assert (file.bytes, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())
        if file.gzip_bytes is not None:
            packed = (folder / f"{file.name}.gz").read_bytes()
            assert (len(packed), gzip.decompress(packed)) == (file.gzip_bytes, content)
        if file.scope in tuple(Domain):
            assert file.cases == len(public(own, Domain(file.scope)))


def test_ndjson_holds_whole_cases_in_the_form_of_their_files(own: Settings, folder: Path) -> None:
    for scope in (None, *Domain):
        lines = (folder / f"{scope or 'all'}.ndjson").read_text(encoding="utf-8").splitlines()
        assert [Incident.model_validate_json(line) for line in lines] == public(own, scope)


def test_csv_is_a_row_a_case(own: Settings, folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((folder / "all.csv").read_text(encoding="utf-8"))))
    cases = public(own)
    assert [row["id"] for row in rows] == [case.id for case in cases]
    for row, case in zip(rows, cases, strict=True):
        assert row["symptoms"].split(";") == list(case.symptoms)
        assert row["title_ko"] == (case.title.ko or "")
        assert row["cause"] == (case.narrative.cause.en if case.narrative.cause else "")
    assert any(row["checks"] for row in rows)


def test_sqlite_answers_in_sql(own: Settings, folder: Path) -> None:
    with sqlite3.connect(f"file:{folder / 'all.sqlite'}?mode=ro", uri=True) as database:
        ask = database.execute
        assert [i for (i,) in ask("SELECT id FROM cases ORDER BY id")] == [case.id for case in public(own)]
        caught = ask(
            "SELECT DISTINCT v.slug FROM check_cases c JOIN case_values v ON v.case_id = c.case_id "
            "WHERE v.kind = 'symptoms' AND c.link <> 'unproven'"
        ).fetchall()
        assert caught
        document = ask("SELECT document FROM cases WHERE id = 'IL-0477'").fetchone()[0]
        assert Incident.model_validate_json(document) == next(c for c in public(own) if c.id == "IL-0477")
        orphans = "SELECT count(*) FROM {} WHERE case_id NOT IN (SELECT id FROM cases)"
        assert [ask(orphans.format(t)).fetchone()[0] for t in ("sources", "claims", "check_cases")] == [0, 0, 0]
    database.close()


def test_the_zip_holds_the_files_themselves(own: Settings, folder: Path, tmp_path: Path) -> None:
    with ZipFile(folder / "all.zip") as archive:
        assert "CC BY 4.0" in archive.read("README.txt").decode()
        archive.extractall(tmp_path)
    assert list(served(tmp_path)) == public(own)
    assert (tmp_path / "ids.tsv").read_bytes() == (own.data_roots[0] / "ids.tsv").read_bytes()
    assert not [finding for finding in identity.findings(corpus.read((tmp_path,))) if finding.rule.startswith("id")]
    values = corpus.read((tmp_path,)).vocabulary.values
    assert values == corpus.read(own.data_roots[:1]).vocabulary.values


def test_changes_are_newest_first(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((folder / "changes.csv").read_text(encoding="utf-8"))))
    days = [row["on"] for row in rows]
    assert days == sorted(days, reverse=True)
    assert all(len(row["digest"]) == 16 for row in rows)


def test_a_private_case_is_served_and_leaves_by_no_export_feed_or_list_for_robots(
    own: Settings, folder: Path, client: TestClient
) -> None:
    assert client.get(f"/api/v1/incidents/{SECRET}").status_code == 200
    for path in folder.iterdir():
        content = path.read_bytes()
        texts = [content, gzip.decompress(content)] if path.suffix == ".gz" else [content]
        if path.suffix == ".zip":
            texts += [name.encode() for name in ZipFile(path).namelist()]
        assert not any(SECRET.encode() in text for text in texts), path.name
    for address in (
        "/feed.atom?limit=100", "/feed.json?limit=100", "/feeds/domains/ai-infra.json?limit=100", "/llms.txt",
        "/llms-full.txt", "/sitemap.xml", "/api/v1/changes?limit=1000",
    ):  # fmt: skip
        answer = client.get(address)
        assert answer.status_code == 200
        assert SECRET not in answer.text, address
        assert "acme-176b" not in answer.text, address


def test_what_is_not_served_any_more_is_a_removal_with_its_reason(data_root: Path, tmp_path: Path) -> None:
    root = shutil.copytree(data_root, tmp_path / "data")
    for case_id, status, note in (("IL-0339", "withdrawn", "Its source was retracted."), ("IL-0094", "draft", "")):
        path = root / "incidents" / f"{case_id}.yaml"
        incident = case_file.read_incident(path)
        review = incident.review.model_dump() | ({"note": {"en": note}} if note else {})
        changed = Incident.model_validate(incident.model_dump() | {"review": {**review, "status": status}})
        path.write_text(case_file.dumps(changed), encoding="utf-8")
    settings = Settings(data=str(root), cache=tmp_path / "cache", vectors=False)
    build(settings)
    with TestClient(create_app(settings)) as client:
        answer = client.get("/api/v1/changes?limit=1000").json()
        found = {change["id"]: change for change in answer["changes"]}
        live = client.get("/api/v1/status").json()
    assert (found["IL-0339"]["change"], found["IL-0339"]["reason"]) == ("remove", "Its source was retracted.")
    assert (found["IL-0094"]["change"], found["IL-0094"]["status"]) == ("remove", "draft")
    assert sum(change["change"] == "upsert" for change in answer["changes"]) == live["cases"]
    assert answer["count"] == live["records"] == live["cases"] + sum(live["not_served"].values())
    assert live["not_served"]["withdrawn"] == 1


def test_changes_are_paged_and_begin_at_a_day_or_a_data_version(client: TestClient) -> None:
    whole = client.get("/api/v1/changes?limit=1000").json()
    seen: list[str] = []
    params = {"limit": "7"}
    while True:
        page = client.get("/api/v1/changes", params=params).json()
        seen += [change["id"] for change in page["changes"]]
        if page["next_cursor"] is None:
            break
        params["cursor"] = page["next_cursor"]
    assert seen == [change["id"] for change in whole["changes"]]
    newest = whole["changes"][0]["on"]
    since = client.get("/api/v1/changes", params={"since": whole["data_version"], "limit": "1000"}).json()
    assert since["since"] == newest
    assert [c["id"] for c in since["changes"]] == [c["id"] for c in whole["changes"] if c["on"] >= newest]
    assert client.get("/api/v1/changes?since=2999").json()["changes"] == []
    assert client.get("/api/v1/changes?since=2024-02-31").status_code == 422


@pytest.mark.parametrize(
    ("lang", "reason"), [("en", "It is a draft and is not served."), ("ko", "초안이라 제공하지 않습니다.")]
)
def test_a_removal_gives_its_reason_in_the_language_asked_for(
    data_root: Path, tmp_path: Path, lang: str, reason: str
) -> None:
    root = shutil.copytree(data_root, tmp_path / "data")
    path = root / "incidents" / "IL-0097.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("  status: approved\n  on:", "  status: draft\n  on:"), encoding="utf-8")
    settings = Settings(data=str(root), cache=tmp_path / "cache", vectors=False)
    build(settings)
    with TestClient(create_app(settings)) as client:
        changes = client.get(f"/api/v1/changes?limit=1000&lang={lang}").json()["changes"]

    assert [(c["change"], c["reason"]) for c in changes if c["id"] == "IL-0097"] == [("remove", reason)]


def test_every_state_that_is_not_served_has_a_reason() -> None:
    assert all(set(UNSERVED[lang]) == set(ReviewStatus) - SERVED for lang in Lang)


def test_a_copy_is_kept_by_an_export_and_the_changes_after_it(own: Settings, client: TestClient) -> None:
    copy = {json.loads(line)["id"] for line in client.get("/api/v1/export/all.ndjson").text.splitlines()}
    for change in client.get("/api/v1/changes?limit=1000").json()["changes"]:
        copy.add(change["id"]) if change["change"] == "upsert" else copy.discard(change["id"])
    assert copy == {case.id for case in public(own)}
    assert (
        len(copy)
        == client.get("/api/v1/incidents", params=ListIncidents(limit=1).model_dump(include={"limit"})).json()["count"]
        - 1
    )
