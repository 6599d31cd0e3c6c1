"""YAML read strictly: everything is text, and what cannot be meant is refused with its line."""

from pathlib import Path

import pytest

from kb import case_file, yaml_text
from kb.case_file import SchemaFaults
from kb.errors import UnreadableFile
from kb.model import Incident
from tests.library_fixtures import DATA


def test_every_scalar_is_text() -> None:
    document = yaml_text.parse("on: 2026-11-29\nno: no\nn: 1.30\nnull: ~\n", name="x")
    assert document.data == {"on": "2026-11-29", "no": "no", "n": "1.30", "null": "~"}


def test_each_part_knows_its_line() -> None:
    document = yaml_text.parse("a:\n  - b: 1\n    c: 2\n", name="x")
    assert document.line(("a", 0, "c")) == 3
    assert document.line(("a", 0, "missing")) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", "x:2: the key `a` stands here twice"),
        ("a: &x 1\nb: *x\n", "x:1: anchors and aliases"),
        ("a: !!python/object:os.system x\n", "x:1: tags are not used"),
        ("a:\n\t- b\n", "x:2: not YAML"),
        ("a: [1\n", "x:2: not YAML"),
        ("a: 1\n---\nb: 2\n", "x:2: not YAML"),
        ("", "is empty"),
        ("# only a comment\n", "is empty"),
        ("\ufeffa: 1\n", "byte order mark"),
        ("[a]: 1\n", "x:1: a key must be plain text"),
        ("- " * 5000, "nested too deeply|not YAML"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnreadableFile, match=message):
        yaml_text.parse(text, name="x")


def test_aliases_cannot_explode() -> None:
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9)
    )
    with pytest.raises(UnreadableFile, match="anchors and aliases"):
        yaml_text.parse(bomb, name="x")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: \xff\xfe\n", "x.yaml:1: not UTF-8"),
        ("a: 한글\n".encode("euc-kr"), "x.yaml:1: not UTF-8"),
        (b"a: b\n" * 2_000_000, "10000000 bytes, more than"),
    ],
)
def test_files_of_another_encoding_or_size_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=message):
        yaml_text.read(path)


def test_a_missing_file_is_a_clear_error_without_its_folder(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"^gone.yaml: cannot be read: No such file") as caught:
        yaml_text.read(tmp_path / "gone.yaml")
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize(
    "value",
    ["on", "null", "~", "# x", "- y", ": z", "a: b", "", " lead", "trail ", "[x]", '"q"', "it's", "a\nb\n\nc", "%x",
     "@x", "`x`", "!x", "&a", "*b", "|", "1.30", "tab\there", "end\n", "? x", "-", "<<", "긴 문장 " * 60],
)  # fmt: skip
def test_any_text_is_written_so_that_it_reads_back(value: str) -> None:
    assert yaml_text.parse(yaml_text.dump({"a": value, "b": [value]}), name="x").data == {"a": value, "b": [value]}


@pytest.mark.parametrize("path", sorted((DATA / "incidents").glob("*.yaml"))[::7], ids=lambda path: path.stem)
def test_reading_and_writing_a_case_are_inverse(path: Path) -> None:
    incident = case_file.read_incident(path)
    assert case_file.loads(case_file.dumps(incident)) == incident
    assert case_file.dumps(case_file.loads(case_file.dumps(incident))) == case_file.dumps(incident)


def test_everything_that_does_not_fit_a_schema_is_told_at_once_with_line_and_field(tmp_path: Path) -> None:
    text = (DATA / "incidents" / "IL-0097.yaml").read_text(encoding="utf-8")
    text = text.replace("domain: ai-infra", "domain: gpus").replace("    precision: day", "    precison: day", 1)
    path = tmp_path / "IL-0097.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaFaults) as caught:
        case_file.read(path, Incident)
    told = {fault.field: (fault.line, fault.message) for fault in caught.value.faults}
    assert told["domain"][0] == 3
    assert told["dates.occurred.precison"] == (21, "no such field")
    assert "missing" in told["dates.occurred.precision"][1]


def test_a_manifest_says_every_reader_what_is_text() -> None:
    assert yaml_text.manifest({"apiGroups": [""], "on": "true", "port": 443}).splitlines() == [
        "apiGroups:", "- ''", "'on': 'true'", "port: 443",
    ]  # fmt: skip
