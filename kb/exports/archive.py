"""The files themselves as one zip: `incidents/*.yaml`, `vocabulary/*.yaml` and the terms of use."""

from collections.abc import Iterable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from kb.corpus import CaseFile, Corpus
from kb.model import Kind

#: The earliest date that the format knows; a real one would make two equal builds differ.
DATE = (1980, 1, 1, 0, 0, 0)
READABLE = 0o644 << 16
NOTE = """\
Incident Library, data version {version}: {count} cases.

The cases and the vocabulary are licensed under CC BY 4.0, https://creativecommons.org/licenses/by/4.0/legalcode
Name the Incident Library and the ids of the cases; each case names the reports that it rests on.
"""


def write(path: Path, cases: Iterable[CaseFile], files: Corpus) -> None:
    """Cases as they lie in the data root, by id, with the vocabulary of that root."""
    members = [(f"incidents/{case.path.name}", case.path.read_bytes()) for case in cases]
    vocabulary = (files.roots[0] / "vocabulary" / f"{kind}.yaml" for kind in Kind)
    members += [(f"vocabulary/{file.name}", file.read_bytes()) for file in vocabulary if file.is_file()]
    note = NOTE.format(version=files.data_version, count=sum(name.startswith("incidents/") for name, _ in members))
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in [("README.txt", note.encode()), *members]:
            member = ZipInfo(name, DATE)
            member.compress_type, member.external_attr = ZIP_DEFLATED, READABLE
            archive.writestr(member, content)
