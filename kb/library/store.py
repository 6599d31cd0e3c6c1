"""One build, opened: everything the questions are answered from, in memory, read-only."""

import threading
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from kb import stored, vectors, vocabulary
from kb.answers import CaseBrief, CheckBrief, ExportManifest
from kb.builds import EXPORTS, LIKENESS, MANIFEST
from kb.checks.card import CheckCard, CheckStatus, LinkState, Replay
from kb.checks.proofs import ProofRecord
from kb.errors import NoBuild
from kb.evidence import keys
from kb.library.counting import Counts
from kb.library.likeness import Likeness
from kb.library.ordering import Orders
from kb.library.separating import Separator
from kb.model import PUBLIC_PREFIX, Domain, Incident, Kind, Lang, Text
from kb.questions import Detail
from kb.text_index import TextIndex, terms
from kb.vectors import Embedder, VectorIndex
from kb.vocabulary import Org, Term, Vocabulary
from kb.words import aloud, normalise

if TYPE_CHECKING:
    from kb.library.looking import Look
    from kb.steps.heatmap import Heat

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
    def heat(self) -> "Heat | None":
        """Its step records drawn, once a build; nothing where it has none or they cannot be drawn."""
        data = self.replay.data
        if data is None or data.steps is None:
            return None
        from kb.library.heats import drawn

        return drawn(data.steps)


@dataclass(frozen=True)
class StoredCheck:
    card: CheckCard
    status: CheckStatus
    replays: tuple[StoredReplay, ...]
    expr: str | None
    """The PromQL text with the knobs' defaults filled in."""
    briefs: dict[Lang, CheckBrief] = field(default_factory=dict, repr=False)  # those that were asked for

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """The cases it catches: replays that must be found and are."""
        found = (r for r in self.replays if r.link in (LinkState.proven, LinkState.rebuilt))
        return tuple(sorted({str(r.replay.case) for r in found}))


@dataclass(frozen=True, eq=False)
class Label:
    """A name or alias of a vocabulary value; `form` is its words in index form, apart by blanks."""

    text: str
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

    def __init__(self, rows: stored.Stored, folder: Path) -> None:
        self.export_folder = folder / EXPORTS
        self.text = TextIndex(folder / "words")
        self.case_vectors = VectorIndex(folder / "cases.vectors")
        self.term_vectors = VectorIndex(folder / "terms.vectors")
        #: What people ask that is not here; see `kb.elsewhere`.
        self.elsewhere = VectorIndex(folder / "elsewhere.vectors")
        #: Between the served cases, by number.
        self.likeness = Likeness.load(folder / LIKENESS)
        self.cases: dict[str, StoredCase] = {}
        #: Briefs that were asked for; every list and every graph wants them again.
        self.briefs: dict[tuple[str, Lang, Detail], CaseBrief] = {}
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
        #: What the last questions said, by their text; see `kb.library.looking`.
        self.looks: dict[str, Look] = {}
        self._by_meaning = False
        self._models: Path | None = None
        self._embedding = threading.Lock()

    def warm(self, *, meaning: bool, models: Path | None = None, now: bool = True) -> None:
        """Load the model, kept in the folder `models`, and whatever the first question would otherwise wait for.

        now: otherwise each thing is loaded when it is first wanted, for who asks one question and goes.
        """
        self._by_meaning, self._models = meaning, models
        if not now:
            return
        _ = self._embedder, self.evidence_index, self.by_term, self.labels_of_word, self.checks_of_case
        _ = self.text_number, self.vector_number, self.in_ai_infra
        _ = self.counts.carriers, self.separator

    def close(self) -> None:
        self.text.close()

    @cached_property
    def _embedder(self) -> Embedder | None:
        embedder = Embedder(self._models)
        return embedder if self._by_meaning and embedder.load() else None

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
        """The vector of one normalised sentence, shape (512,); nothing where the library searches by words alone."""
        if self._embedder is None:
            return None
        with self._embedding:
            return self._embedder.encode_one(aloud(text))

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
    def orders(self) -> Orders:
        return Orders({case_id: case.incident for case_id, case in self.cases.items()})

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
                    label = Label(text, " ".join(forms), frozenset(forms), kind, value.slug)
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

    @cached_property
    def counts(self) -> Counts:
        return Counts([self.cases[i].incident for i in self.ids], self.vocabulary)

    @cached_property
    def separator(self) -> Separator:
        """Between the main causes of the served cases, by the proven checks whose replays of them are found."""
        finds = {
            check.card.id: [self.number[i] for i in check.cases if i in self.number]
            for check in self.checks.values()
            if check.status is not CheckStatus.draft
        }
        return Separator([self.cases[i].incident.root_causes[0] for i in self.ids], finds)


def _vocabulary(rows: stored.Stored) -> Vocabulary:
    values: dict[Kind, list[vocabulary.Value]] = {kind: [] for kind in Kind}
    for row in rows.terms:
        model: type[Org] | type[Term] = Org if row.kind == Kind.orgs else Term
        values[Kind(row.kind)].append(model.model_validate_json(row.document))
    return vocabulary.of(values)


class _KeptReplay(BaseModel):
    name: str
    replay: Replay
    proof: ProofRecord | None
    link: LinkState | None


class _KeptCheck(BaseModel):
    """What `kb.packing` writes of a check."""

    card: CheckCard
    expr: str | None
    replays: tuple[_KeptReplay, ...]


def _checks(rows: stored.Stored) -> dict[str, StoredCheck]:
    found: dict[str, StoredCheck] = {}
    for row in rows.checks:
        kept = _KeptCheck.model_validate_json(row.document)
        replays = tuple(StoredReplay(each.name, each.replay, each.proof, each.link) for each in kept.replays)
        found[row.id] = StoredCheck(kept.card, CheckStatus(row.status), replays, kept.expr)
    return found


def open_store(url: str, folder: Path, build: str) -> Store:
    """Raises NoBuild: missing, damaged, or another build than the one asked for."""
    if stored.is_file(url):
        return Store(stored.read(url, build), folder)
    from kb import tables

    return Store(tables.read(url, build), folder)
