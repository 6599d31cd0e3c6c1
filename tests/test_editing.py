"""What keeps a corpus in order: pairs that may be one event, sources by age, what changed in the data."""

import json
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kb import case_file, corpus
from kb.cli import app
from kb.data_changes import data_changes, markdown
from kb.model import Incident
from kb.source_ages import source_ages
from kb.twins import citing, twins
from tests.library_fixtures import DATA

#: Two reports of one certificate's end, two hung trainings, a lost node pool.
CASES = ("IL-0076", "IL-0132", "IL-0020", "IL-0094", "IL-0115", "IL-0154")


@pytest.fixture(scope="module")
def incidents() -> list[Incident]:
    return [case_file.read_incident(DATA / "incidents" / f"{case_id}.yaml") for case_id in CASES]


def again(incident: Incident, case_id: str, **changes: object) -> Incident:
    """The same report, written a second time."""
    return incident.model_copy(update={"id": case_id, "slug": f"{incident.slug}-again", "relations": (), **changes})


def copied(target: Path, *texts: tuple[str, str, str]) -> Path:
    """A data root with the cases above; `texts`: (case, old text, new text)."""
    (target / "incidents").mkdir(parents=True)
    (target / "vocabulary").symlink_to(DATA / "vocabulary")
    for case_id in CASES:
        text = (DATA / "incidents" / f"{case_id}.yaml").read_text(encoding="utf-8")
        for _, old, new in (one for one in texts if one[0] == case_id):
            assert old in text
            text = text.replace(old, new)
        (target / "incidents" / f"{case_id}.yaml").write_text(text, encoding="utf-8")
    return target


def test_a_case_written_twice_is_found_and_nothing_else(incidents: list[Incident]) -> None:
    assert twins(incidents) == ()
    found = twins([*incidents, again(incidents[2], "IL-2001")])
    assert [(pair.first, pair.second) for pair in found] == [("IL-0020", "IL-2001")]
    assert found[0].addresses
    assert found[0].same_org


def test_pairs_that_are_related_already_are_not_told(incidents: list[Incident]) -> None:
    told = Incident.model_validate(
        {**incidents[2].model_dump(mode="json"), "relations": [{"kind": "same-event", "id": "IL-2001"}]}
    )
    assert twins([told, again(incidents[2], "IL-2001"), *incidents[3:]]) == ()


def test_one_case_can_be_asked_about_alone(incidents: list[Incident]) -> None:
    both = [*incidents, again(incidents[2], "IL-2001"), again(incidents[3], "IL-2002")]
    assert len(twins(both)) == 2
    assert [pair.second for pair in twins(both, "IL-0094")] == ["IL-2002"]


def test_an_address_is_known_however_it_is_written(incidents: list[Incident]) -> None:
    url = str(incidents[0].sources[0].url)
    assert citing(incidents, url.replace("https://", "http://www.") + "/#top") == ("IL-0076",)
    assert citing(incidents, url + "?utm_source=feed") == ("IL-0076",)
    assert citing(incidents, "https://example.org/other") == ()


def test_pages_that_only_their_parameters_tell_apart_are_different_addresses(incidents: list[Incident]) -> None:
    source = incidents[0].sources[0].model_copy(update={"url": "https://wiki.example.org/index.php?title=A&oldid=1"})
    cited = [incidents[0].model_copy(update={"sources": (source,)})]
    assert citing(cited, "https://wiki.example.org/index.php?oldid=1&title=A") == ("IL-0076",)
    assert citing(cited, "https://wiki.example.org/index.php?oldid=1&title=B") == ()


def test_the_source_not_opened_for_the_longest_comes_first(incidents: list[Incident]) -> None:
    source = incidents[1].sources[0].model_copy(update={"checked": "2024"})
    old = incidents[1].model_copy(update={"sources": (source,)})
    ages = source_ages([incidents[0], old], date(2026, 11, 30))
    assert (ages[0].case, ages[0].days) == ("IL-0132", (date(2026, 11, 30) - date(2024, 1, 1)).days)
    assert len(ages) == 1 + len(incidents[0].sources)


def test_changes_of_the_data_are_told_case_by_case_and_field_by_field(tmp_path: Path) -> None:
    before = corpus.read((copied(tmp_path / "old"),))
    title = before.cases[0].incident.title.en or ""
    changed = before.cases[0].incident.id
    after_root = copied(
        tmp_path / "new", (changed, title, f"{title}, twice"), ("IL-0094", "status: approved", "status: withdrawn")
    )
    (after_root / "incidents" / "IL-0154.yaml").unlink()
    after = corpus.read((after_root,))
    told = data_changes(before, after)
    assert [(one.id, one.fields) for one in told.changed] == [(changed, ("title",))]
    assert [one.id for one in told.withdrawn] == ["IL-0094"]
    assert [one.id for one in told.removed] == ["IL-0154"]
    assert [one.id for one in data_changes(after, before).added] == ["IL-0154"]
    assert f"- {changed} {title}, twice (title)" in markdown(told)
    back = copied(tmp_path / "back", ("IL-0094", "status: approved", "status: draft"))
    assert [(one.id, one.fields) for one in data_changes(before, corpus.read((back,))).changed] == [
        ("IL-0094", ("review",))
    ]
    assert "Nothing changed." in markdown(data_changes(before, before))


def test_the_commands_print_and_say_with_their_status_whether_there_is_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_DATA", str(copied(tmp_path / "data")))
    run = CliRunner().invoke
    assert run(app, ["duplicates"]).exit_code == 0
    listed = json.loads(run(app, ["sources", "--json"]).output)
    assert {row["case"] for row in listed} == set(CASES)
    assert "sources" in run(app, ["sources"]).output
    assert "Nothing changed." in run(app, ["changelog", str(tmp_path / "data")]).output
    refused = run(app, ["changelog", str(tmp_path)])
    assert "holds no folder `incidents`" in str(refused.exception)
    assert "There is no case IL-9999" in str(run(app, ["duplicates", "il-9999"]).exception)


def test_a_case_that_cannot_be_read_is_not_told_as_removed_or_as_no_duplicate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = copied(tmp_path / "data")
    monkeypatch.setenv("KB_DATA", str(data))
    before = copied(tmp_path / "before")
    (data / "incidents" / "IL-0094.yaml").write_text("id: IL-0094\n", encoding="utf-8")
    for command in (["duplicates"], ["sources"], ["changelog", str(before)]):
        refused = CliRunner().invoke(app, command)
        assert "1 file cannot be read: IL-0094.yaml" in str(refused.exception), command
