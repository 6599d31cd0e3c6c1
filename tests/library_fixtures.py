"""A library for tests: a fixed choice of the real cases, built once a session into a temporary cache.

The choice is fixed so that tests about ranking do not move whenever a case is added; cases that a relation needs
come along.
"""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kb import case_file
from kb.build import build
from kb.library import Library
from kb.live import LiveLibrary
from kb.settings import Settings

DATA = Path(__file__).resolve().parent.parent / "data"
CHOSEN = (
    "IL-0004", "IL-0008", "IL-0011", "IL-0076", "IL-0094", "IL-0097", "IL-0128", "IL-0154", "IL-0156", "IL-0159",
    "IL-0210", "IL-0222", "IL-0224", "IL-0261", "IL-0286", "IL-0304", "IL-0310", "IL-0316", "IL-0333", "IL-0338",
    "IL-0335", "IL-0339", "IL-0364", "IL-0365", "IL-0383", "IL-0389", "IL-0427", "IL-0477", "IL-1001", "IL-1002",
)  # fmt: skip


def chosen_ids(first: Sequence[str] = CHOSEN) -> list[str]:
    """`first`, and whatever relations lead to."""
    waiting = [*first]
    found: dict[str, None] = {}
    while waiting:
        case_id = waiting.pop()
        if case_id in found:
            continue
        found[case_id] = None
        incident = case_file.read_incident(DATA / "incidents" / f"{case_id}.yaml")
        waiting += [relation.id for relation in incident.relations]
    return sorted(found)


def copy_chosen(target: Path, first: Sequence[str] = CHOSEN) -> Path:
    """A data root with the chosen cases, the whole vocabulary, the ids and the proofs."""
    (target / "incidents").mkdir(parents=True)
    for case_id in chosen_ids(first):
        shutil.copy(DATA / "incidents" / f"{case_id}.yaml", target / "incidents")
    shutil.copytree(DATA / "vocabulary", target / "vocabulary")
    for name in ("ids.tsv", "proofs.json"):
        shutil.copy(DATA / name, target)
    return target


@pytest.fixture(scope="session")
def data_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_chosen(tmp_path_factory.mktemp("data") / "data")


@pytest.fixture(scope="session")
def settings(data_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a library that is built."""
    made = Settings(data=str(data_root), cache=tmp_path_factory.mktemp("cache"))
    build(made)
    return made


@pytest.fixture(scope="session")
def live(settings: Settings) -> Iterator[LiveLibrary]:
    live = LiveLibrary(settings)
    yield live
    live.close()


@pytest.fixture(scope="session")
def library(live: LiveLibrary) -> Library:
    return live.current()
