"""The formatter of case files."""

import pytest

from kb import case_file
from kb.errors import UnreadableFile
from kb.fmt import format_file

CASE = """\
slug: disk-full
id: 'IL-0001'
domain: kubernetes
org: example
title: {en: Disk full, ko: 디스크 가득 참}
summary:
  en: >-
    The disk
    was full.
symptoms: [writes-fail]
root_causes: [disk-full]
narrative:
  symptom: {en: "Two parts.\\n\\nThe second."}
sources:
  - {id: S1, url: 'https://example.org', title: "No: 1", publisher: X, kind: issue, read: full, checked: 2025-01-01}
review: {status: draft, on: 2025-01-01}
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "IL-0001.yaml"
    path.write_text(CASE)
    return path


def test_a_case_is_laid_out_in_the_order_of_the_model_and_means_the_same(path):
    before = case_file.read_incident(path)
    assert format_file(path) is True
    content = path.read_text()
    assert content.startswith("id: IL-0001\nslug: disk-full\n")
    assert "  en: The disk was full.\n" in content
    assert "    en: |-\n      Two parts.\n\n      The second.\n" in content
    assert case_file.read_incident(path) == before


def test_a_second_time_changes_nothing(path):
    format_file(path)
    stamp = path.stat().st_mtime_ns
    assert format_file(path) is False
    assert path.stat().st_mtime_ns == stamp


def test_a_file_that_is_no_case_stays_as_it_is(path):
    path.write_text(CASE + "colour: red\n")
    with pytest.raises(UnreadableFile, match="colour: no such field"):
        format_file(path)
    assert path.read_text() == CASE + "colour: red\n"
    assert [p.name for p in path.parent.iterdir()] == ["IL-0001.yaml"]


def test_the_mode_of_the_file_is_kept(path):
    path.chmod(0o640)
    format_file(path)
    assert path.stat().st_mode & 0o777 == 0o640
