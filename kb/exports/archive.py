"""The files themselves as one zip, which unpacked is a data root: cases, vocabulary, ids and the terms of use."""

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
    """Cases as they lie in the data root, by id, with the vocabulary of that root and its whole list of ids.

    The list names ids of no case in the zip too, so that nobody who goes on from it gives one of them again.
    """
    members = [(f"incidents/{case.path.name}", case.path.read_bytes()) for case in cases]
    names = [f"vocabulary/{kind}.yaml" for kind in Kind] + ["ids.tsv"]
    others = ((name, files.roots[0] / name) for name in names)
    members += [(name, file.read_bytes()) for name, file in others if file.is_file()]
    note = NOTE.format(version=files.data_version, count=sum(name.startswith("incidents/") for name, _ in members))
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in [("README.txt", note.encode()), *members]:
            member = ZipInfo(name, DATE)
            member.compress_type, member.external_attr = ZIP_DEFLATED, READABLE
            archive.writestr(member, content)
