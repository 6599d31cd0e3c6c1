"""Finds the check folders, reads them strictly, and computes what their replays prove.

    kb/checks/<family>/<name>/check.yaml  [check.py]  replays/*.yaml

Reading opens text files only; a check's Python is loaded when it is first run.
"""

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from kb import case_file
from kb.case_file import SchemaFault, SchemaFaults
from kb.checks.card import FAMILIES, CheckCard, CheckStatus, LinkState, Must, Origin, Replay
from kb.checks.catalogue_rules import card_faults, replay_faults
from kb.checks.contract import CheckFunction
from kb.checks.proofs import ProofRecord, Proofs, digest
from kb.errors import DataError, NotFound
from kb.model import Text
from kb.nearest import nearest

BUILT_IN = Path(__file__).resolve().parent


@dataclass(frozen=True)
class ReplayFile:
    """One replay and the digest of its text."""

    name: str
    replay: Replay
    digest: str


@dataclass(frozen=True)
class CheckFolder:
    """One check: its card, its replays, and the digest of card and Python together."""

    path: Path
    card: CheckCard
    replays: tuple[ReplayFile, ...]
    digest: str


@dataclass(frozen=True)
class CheckLink:
    """A replay that names a case and must be found: the link between check and case."""

    check: str
    case: str
    replay: str
    how: Text
    state: LinkState


@dataclass(frozen=True)
class CatalogueFault:
    """One thing wrong with a file; `file` is relative to the root of the checks."""

    file: str
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.field}: {self.message}"


class CatalogueFaults(DataError):
    """All that is wrong, at once; `str()` names the first and counts the rest."""

    def __init__(self, faults: Sequence[CatalogueFault]) -> None:
        self.faults = tuple(faults)
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"{faults[0]}{more}.", next_step="Mend the file.")


@dataclass
class Catalogue:
    """Every check, by id, and what is proven of it."""

    folders: dict[str, CheckFolder]
    proofs: Proofs = field(default_factory=Proofs)

    @classmethod
    def load(cls, roots: Sequence[Path] = (BUILT_IN,), proofs: Proofs | None = None) -> "Catalogue":
        """Read the checks of all roots.

        Raises:
            CatalogueFaults: everything that does not fit, with file, line and field.
        """
        folders: dict[str, CheckFolder] = {}
        faults: list[CatalogueFault] = []
        for root in roots:
            for path in _folders(root):
                folder = _read_folder(root, path, faults)
                if folder and folder.card.id in folders:
                    name = f"{path.parent.name}/{path.name}/check.yaml"
                    faults.append(CatalogueFault(name, 1, "id", f"`{folder.card.id}` exists in two roots"))
                elif folder:
                    folders[folder.card.id] = folder
        if faults:
            raise CatalogueFaults(faults)
        return cls(dict(sorted(folders.items())), proofs or Proofs())

    @cached_property
    def cards(self) -> MappingProxyType[str, CheckCard]:
        return MappingProxyType({check: folder.card for check, folder in self.folders.items()})

    def folder(self, check: str) -> CheckFolder:
        """
        Raises:
            NotFound: no such check, with the nearest ids.
        """
        if check not in self.folders:
            raise NotFound(
                f"There is no check `{check}`.",
                field="check",
                nearest=nearest(check, self.folders),
                next_step="`kb checks` lists them all.",
            )
        return self.folders[check]

    def replays(self, check: str) -> tuple[ReplayFile, ...]:
        return self.folder(check).replays

    def proof(self, check: str, replay: ReplayFile) -> ProofRecord | None:
        """The record of a replay, if neither check nor replay changed since."""
        return self.proofs.holds((check, replay.name), self.folder(check).digest, replay.digest)

    def status(self, check: str) -> CheckStatus:
        """`proven` takes a passing replay of each kind; `field-proven` captured ones, found and clear."""
        passing = [file.replay for file in self.replays(check) if self._passes(check, file)]
        captured = {replay.must for replay in passing if replay.origin is Origin.captured}
        if {replay.must for replay in passing} < set(Must):
            return CheckStatus.draft
        return CheckStatus.field_proven if captured >= {Must.found, Must.clear} else CheckStatus.proven

    @cached_property
    def links(self) -> tuple[CheckLink, ...]:
        """Every link, sorted by case and check."""
        links = [
            CheckLink(check, file.replay.case, file.name, file.replay.how, self._state(check, file))
            for check, folder in self.folders.items()
            for file in folder.replays
            if file.replay.case and file.replay.how and file.replay.must is Must.found
        ]
        return tuple(sorted(links, key=lambda link: (link.case, link.check, link.replay)))

    def cases(self, check: str) -> tuple[str, ...]:
        """The cases a check would have caught, proven or not, sorted."""
        return tuple(sorted({link.case for link in self.links if link.check == check}))

    def _state(self, check: str, file: ReplayFile) -> LinkState:
        if not self._passes(check, file):
            return LinkState.unproven
        compared = any(figure.compared for figure in file.replay.published)
        return LinkState.proven if compared else LinkState.rebuilt

    def _passes(self, check: str, file: ReplayFile) -> bool:
        record = self.proof(check, file)
        return record is not None and record.passes

    def function(self, check: str) -> CheckFunction:
        """The function of a check that has a `check.py`, loaded now.

        Raises:
            DataError: the file cannot be loaded or lacks the function.
        """
        folder = self.folder(check)
        path = folder.path / "check.py"
        spec = importlib.util.spec_from_file_location(f"kb_check_{check.replace('/', '_')}", path)
        if spec is None or spec.loader is None:
            raise DataError(f"{check}: check.py cannot be loaded.")
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
            function: CheckFunction = getattr(module, folder.card.function or "")
        except Exception as error:
            raise DataError(f"{check}: check.py cannot be loaded: {error}.") from error
        return function


def _folders(root: Path) -> Iterator[Path]:
    """The folders with a `check.yaml`, two levels down, sorted."""
    for card in sorted(root.glob("*/*/check.yaml")):
        yield card.parent


#: What was read of each folder, with the state of its files: reading all of them anew takes two seconds.
_KNOWN: dict[Path, tuple[tuple[tuple[str, int, int], ...], CheckFolder]] = {}


def _read_folder(root: Path, path: Path, faults: list[CatalogueFault]) -> CheckFolder | None:
    """The folder; one whose files are as they were is not read again."""
    state = _state(path)
    if path in _KNOWN and _KNOWN[path][0] == state:
        return _KNOWN[path][1]
    folder = _read_anew(root, path, faults)
    if folder is not None:
        _KNOWN[path] = (state, folder)
    return folder


def _state(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, time of change and size of every file that counts."""
    files = [*path.glob("*.yaml"), *path.glob("check.py"), *path.glob("replays/*.yaml")]
    told = sorted((file.relative_to(path).as_posix(), file.stat()) for file in files)
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in told)


def _read_anew(root: Path, path: Path, faults: list[CatalogueFault]) -> CheckFolder | None:
    relative = path.relative_to(root).as_posix()
    before = len(faults)
    card = _read_card(path, relative, faults)
    if card is None:
        return None
    replays = []
    for file in sorted((path / "replays").glob("*.yaml")):
        replay = _read_replay(file, f"{relative}/replays/{file.name}", card, faults)
        if replay is not None:
            replays.append(ReplayFile(file.name, replay, digest(file.read_bytes())))
    if len(faults) > before:
        return None
    python = path / "check.py"
    texts = [(path / "check.yaml").read_bytes(), python.read_bytes() if python.exists() else b""]
    return CheckFolder(path, card, tuple(replays), digest(*texts))


def _read_card(path: Path, relative: str, faults: list[CatalogueFault]) -> CheckCard | None:
    name = f"{relative}/check.yaml"
    try:
        card, document = case_file.read(path / "check.yaml", CheckCard)
    except DataError as error:
        faults.extend(_as_faults(name, error))
        return None
    found = card_faults(card, document, family=path.parent.name, folder=path.name, families=FAMILIES)
    if (card.function is not None) != (path / "check.py").is_file():
        found.append(SchemaFault(("function",), 1, "`function` and check.py come together or not at all"))
    faults.extend(CatalogueFault(name, fault.line, fault.field, fault.message) for fault in found)
    return card


def _read_replay(path: Path, name: str, card: CheckCard, faults: list[CatalogueFault]) -> Replay | None:
    try:
        replay, document = case_file.read(path, Replay)
    except DataError as error:
        faults.extend(_as_faults(name, error))
        return None
    found = replay_faults(replay, document, card, path.stat().st_size)
    faults.extend(CatalogueFault(name, fault.line, fault.field, fault.message) for fault in found)
    return replay


def _as_faults(name: str, error: DataError) -> list[CatalogueFault]:
    if isinstance(error, SchemaFaults):
        return [CatalogueFault(name, fault.line, fault.field, fault.message) for fault in error.faults]
    return [CatalogueFault(name, 1, "(file)", str(error))]
