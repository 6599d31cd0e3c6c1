"""All the files of all data roots, read once: what the validator judges and the build packs."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from kb import case_file, vocabulary
from kb.case_file import SchemaFault, SchemaFaults
from kb.errors import DataError, UnreadableFile
from kb.model import SERVED, Incident, Kind
from kb.vocabulary import Vocabulary, VocabularyFile
from kb.yaml_text import Document


@dataclass(frozen=True)
class CaseFile:
    incident: Incident
    path: Path
    document: Document
    public: bool
    """Whether it lies in the first root; cases of later roots are served but never exported."""

    @property
    def served(self) -> bool:
        return self.incident.review.status in SERVED


@dataclass(frozen=True)
class Unread:
    """A file that could not be read into a case or a vocabulary, and everything that is wrong with it."""

    path: Path
    faults: tuple[SchemaFault, ...]


@dataclass
class Corpus:
    roots: tuple[Path, ...]
    cases: list[CaseFile] = field(default_factory=list)
    vocabulary: Vocabulary = field(default_factory=lambda: vocabulary.of({}))
    vocabulary_files: list[VocabularyFile] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)

    @property
    def served(self) -> list[CaseFile]:
        return [case for case in self.cases if case.served]

    @property
    def unread_names(self) -> frozenset[str]:
        """File names without ending: ids of cases and kinds of the vocabulary that are there and unreadable."""
        return frozenset(file.path.stem for file in self.unread)

    @property
    def data_version(self) -> str:
        """Newest review day and seven digits of the digest of everything read: `2026-11-29.3f2a91c`."""
        newest = max((case.incident.review.on for case in self.served), default="0000-00-00")
        return f"{newest}.{self.digest[:7]}"

    @property
    def digest(self) -> str:
        """SHA-256 over what the files say, whatever their layout; equal files give equal digests."""
        sha = hashlib.sha256()
        for case in sorted(self.cases, key=lambda c: c.incident.id):
            sha.update(f"{case.public} {case.incident.model_dump_json()}\n".encode())
        for kind in Kind:
            for value in self.vocabulary.values[kind].values():
                sha.update(f"{kind} {value.model_dump_json()}\n".encode())
        return sha.hexdigest()


def read(roots: tuple[Path, ...]) -> Corpus:
    """Read everything; what cannot be read is kept in `unread`, so that all faults are seen at once.

    Raises:
        DataError: no root holds a single case file.
    """
    corpus = Corpus(roots)
    paths = [(root, path) for root in roots for path in sorted((root / "incidents").glob("*.yaml"))]
    if not paths:
        raise DataError(
            "There is no case in the data roots: " + ", ".join(str(root) for root in roots) + ".",
            field="KB_DATA",
            next_step="A data root holds `incidents/IL-0001.yaml` and so on; `kb new case` writes a first one.",
        )
    for root, path in paths:
        try:
            incident, document = case_file.read(path, Incident)
        except SchemaFaults as faults:
            corpus.unread.append(Unread(path, tuple(faults.faults)))
        except UnreadableFile as error:
            corpus.unread.append(Unread(path, (SchemaFault((), _line(error), str(error)),)))
        else:
            corpus.cases.append(CaseFile(incident, path, document, public=root == roots[0]))
    _read_vocabulary(corpus)
    return corpus


def _read_vocabulary(corpus: Corpus) -> None:
    """File by file, so that one bad file does not hide the faults of the others."""
    values: dict[Kind, list[vocabulary.Value]] = {kind: [] for kind in Kind}
    for root in corpus.roots:
        for kind in Kind:
            path = root / "vocabulary" / f"{kind}.yaml"
            if not path.is_file():
                continue
            try:
                file = vocabulary.read_file(path, kind)
            except SchemaFaults as faults:
                corpus.unread.append(Unread(path, tuple(faults.faults)))
            except DataError as error:
                corpus.unread.append(Unread(path, (SchemaFault((), _line(error), str(error)),)))
            else:
                corpus.vocabulary_files.append(file)
                values[kind].extend(file.values)
    corpus.vocabulary = vocabulary.of(values)


def _line(error: DataError) -> int:
    """The line number in a message of the form `name:12: what`."""
    parts = error.what.split(":", 2)
    return int(parts[1]) if len(parts) > 2 and parts[1].isdigit() else 1
