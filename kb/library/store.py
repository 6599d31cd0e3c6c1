"""One build, opened: everything the questions are answered from, in memory, read-only."""

import json
import threading
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kb import tables, vectors, vocabulary
from kb.answers import CaseBrief, ExportManifest
from kb.builds import EXPORTS, LIKENESS, MANIFEST
from kb.checks.card import CheckCard, CheckStatus, LinkState, Replay
from kb.checks.proofs import ProofRecord
from kb.errors import NoBuild
from kb.evidence import keys
from kb.library.heats import drawn
from kb.library.likeness import Likeness
from kb.model import PUBLIC_PREFIX, Domain, Incident, Kind, Lang, Text
from kb.steps.heatmap import Heat
from kb.text_index import TextIndex, terms
from kb.vectors import Embedder, VectorIndex
from kb.vocabulary import Org, Term, Vocabulary
from kb.words import normalise

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class StoredCase:
    incident: Incident
    public: bool


@dataclass(frozen=True)
class StoredReplay:
    """A replay, and what came of it when it was last run; `proof` is absent where it was never run."""

    name: str
    replay: Replay
    proof: ProofRecord | None
    link: LinkState | None

    @cached_property
    def heat(self) -> Heat | None:
        """Its step records drawn, once a build; nothing where it has none or they cannot be drawn."""
        data = self.replay.data
        return None if data is None or data.steps is None else drawn(data.steps)


@dataclass(frozen=True)
class StoredCheck:
    card: CheckCard
    status: CheckStatus
    replays: tuple[StoredReplay, ...]
    expr: str | None
    """The PromQL text with the knobs' defaults filled in."""

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """The cases it catches: replays that must be found and are."""
        found = (r for r in self.replays if r.link in (LinkState.proven, LinkState.rebuilt))
        return tuple(sorted({str(r.replay.case) for r in found}))


@dataclass(frozen=True)
class Label:
    """A name or alias of a vocabulary value; `form` is its words in index form, apart by blanks."""

    form: str
    words: frozenset[str]
    kind: Kind
    slug: str


@dataclass(frozen=True)
class CheckOfCase:
    check: StoredCheck
    replay: StoredReplay

    @property
    def how(self) -> Text:
        return self.replay.replay.how or self.check.card.title


class Store:
    """Opened by `open_store`; closed once, when the last answer from it has been given."""

    def __init__(self, rows: tables.Tables, folder: Path) -> None:
        self.export_folder = folder / EXPORTS
        self.text = TextIndex(folder / "words")
        self.case_vectors = VectorIndex(folder / "cases.npz")
        self.term_vectors = VectorIndex(folder / "terms.npz")
        #: What people ask that is not here; see `kb.elsewhere`.
        self.elsewhere = VectorIndex(folder / "elsewhere.npz")
        #: Between the served cases, by number.
        self.likeness = Likeness.load(folder / LIKENESS)
        self.cases: dict[str, StoredCase] = {}
        #: Briefs that were asked for; every list and every graph wants them again.
        self.briefs: dict[tuple[str, Lang], CaseBrief] = {}
        self.unserved: dict[str, Incident] = {}
        self.public = frozenset(row.id for row in rows.cases if row.public and row.id.startswith(PUBLIC_PREFIX))
        self.by_status: dict[str, int] = defaultdict(int)
        for row in rows.cases:
            incident = Incident.model_validate_json(row.document)
            self.by_status[row.status] += 1
            if row.served:
                self.cases[row.id] = StoredCase(incident, row.public)
            else:
                self.unserved[row.id] = incident
        #: The served cases in a fixed order; a case's number is its place here.
        self.ids = sorted(self.cases)
        self.number = {case_id: number for number, case_id in enumerate(self.ids)}
        self.by_slug = {case.incident.slug: case_id for case_id, case in self.cases.items()}
        self.vocabulary = _vocabulary(rows)
        self.checks = _checks(rows)
        self._embedder: Embedder | None = None
        self._embedding = threading.Lock()

    def warm(self, *, meaning: bool) -> None:
        """Load the model and whatever the first question would otherwise wait for."""
        if meaning:
            embedder = Embedder()
            self._embedder = embedder if embedder.load() else None
        _ = self.evidence_index, self.by_term, self.labels_of_word, self.checks_of_case
        _ = self.text_number, self.vector_number, self.in_ai_infra

    def close(self) -> None:
        self.text.close()

    @property
    def meaning(self) -> bool:
        return self._embedder is not None and bool(self.case_vectors.owners)

    @cached_property
    def exports(self) -> ExportManifest:
        """Raises NoBuild where the build holds no readable list of its exports."""
        try:
            return ExportManifest.model_validate_json((self.export_folder / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise NoBuild("The build holds no exports.", next_step="Run `kb build`.") from error

    def embed(self, text: str) -> vectors.Vectors | None:
        """The vector of one sentence, shape (512,); nothing where the library searches by words alone."""
        if self._embedder is None:
            return None
        with self._embedding:
            vector: vectors.Vectors = self._embedder.encode([text])[0]
        return vector

    @cached_property
    def by_term(self) -> dict[tuple[Kind, str], frozenset[str]]:
        """(kind, slug) → ids of the served cases that carry it."""
        found: dict[tuple[Kind, str], set[str]] = defaultdict(set)
        for case_id, case in self.cases.items():
            for kind in Kind:
                for slug in case.incident.terms(kind):
                    found[kind, slug].add(case_id)
        return {key: frozenset(ids) for key, ids in found.items()}

    @cached_property
    def text_number(self) -> Places:
        """Where each case stands in the index of words."""
        places = {case_id: place for place, case_id in enumerate(self.text.ids)}
        return np.array([places[case_id] for case_id in self.ids], dtype=np.int64)

    @cached_property
    def vector_number(self) -> Places:
        """Where each case stands among the owners of passages; -1 without any."""
        places = {case_id: place for place, case_id in enumerate(self.case_vectors.owners)}
        return np.array([places.get(case_id, -1) for case_id in self.ids], dtype=np.int64)

    @cached_property
    def in_ai_infra(self) -> npt.NDArray[np.bool_]:
        return np.array([self.cases[i].incident.domain is Domain.ai_infra for i in self.ids], dtype=np.bool_)

    @cached_property
    def evidence_index(self) -> dict[str, frozenset[str]]:
        """Name of an evidence key (`xid:79`) → ids of the cases whose strings hold it."""
        found: dict[str, set[str]] = defaultdict(set)
        for case_id, case in self.cases.items():
            for key in keys("\n".join(case.incident.evidence)):
                found[key.name].add(case_id)
        return {name: frozenset(ids) for name, ids in found.items()}

    @cached_property
    def labels_of_word(self) -> dict[str, tuple[Label, ...]]:
        """Index form of a word → the names and aliases that hold it."""
        found: dict[str, list[Label]] = defaultdict(list)
        for kind in Kind:
            for value in self.vocabulary.values[kind].values():
                for text in vocabulary.labels(value):
                    forms = [form for form, _, _ in terms(normalise(text), keep_stop=True)]
                    label = Label(" ".join(forms), frozenset(forms), kind, value.slug)
                    for form in label.words:
                        found[form].append(label)
        return {form: tuple(those) for form, those in found.items()}

    @cached_property
    def checks_of_case(self) -> dict[str, tuple[CheckOfCase, ...]]:
        found: dict[str, list[CheckOfCase]] = defaultdict(list)
        for check in self.checks.values():
            for replay in check.replays:
                if replay.link is not None and replay.replay.case:
                    found[replay.replay.case].append(CheckOfCase(check, replay))
        return {case: tuple(links) for case, links in found.items()}


def _vocabulary(rows: tables.Tables) -> Vocabulary:
    values: dict[Kind, list[vocabulary.Value]] = {kind: [] for kind in Kind}
    for row in rows.terms:
        model: type[Org] | type[Term] = Org if row.kind == Kind.orgs else Term
        values[Kind(row.kind)].append(model.model_validate_json(row.document))
    return vocabulary.of(values)


def _checks(rows: tables.Tables) -> dict[str, StoredCheck]:
    found: dict[str, StoredCheck] = {}
    for row in rows.checks:
        document = json.loads(row.document)
        replays = tuple(
            StoredReplay(
                item["name"],
                Replay.model_validate(item["replay"]),
                ProofRecord.model_validate(item["proof"]) if item["proof"] else None,
                LinkState(item["link"]) if item["link"] else None,
            )
            for item in document["replays"]
        )
        card = CheckCard.model_validate(document["card"])
        found[row.id] = StoredCheck(card, CheckStatus(row.status), replays, document["expr"])
    return found


def open_store(url: str, folder: Path, build: str) -> Store:
    """Raises NoBuild: missing, damaged, or another build than the one asked for."""
    rows = tables.read(url, build)
    return Store(rows, folder)
