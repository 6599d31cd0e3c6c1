"""What is weighed when a build is made belongs to its key: other weights, another build."""

from collections.abc import Mapping
from types import ModuleType

import pytest

from kb import build as building
from kb import corpus, postings, text_index
from kb.build import build_key
from kb.library import likeness
from kb.model import Kind
from kb.postings import FieldWeight
from kb.settings import Settings

WEIGHTS: tuple[tuple[ModuleType, str, object], ...] = (
    (likeness, "TEXT", 5.0),
    (likeness, "VALUES", {kind: 1.0 for kind in Kind if kind is not Kind.orgs}),
    (likeness, "KEPT", 61),
    (likeness, "TITLE", 3),
    (likeness, "COMMON", 0.5),
    (likeness, "MEETINGS", 3),
    (likeness, "SECONDARY", 0.5),
    (text_index, "FIELDS", {**text_index.FIELDS, "title": FieldWeight(2.0, 0.99)}),
    (postings, "K1", 1.5),
    (postings, "B", 0.5),
)


@pytest.mark.parametrize(("module", "name", "value"), WEIGHTS, ids=[name for _, name, _ in WEIGHTS])
def test_other_weights_make_another_build(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, value: object
) -> None:
    files, catalogue = corpus.read(settings.data_roots), building.read_catalogue(settings)
    before = build_key(files, catalogue, meaning=False)
    assert build_key(files, catalogue, meaning=False) == before
    monkeypatch.setattr(module, name, value)
    assert build_key(files, catalogue, meaning=False) != before


@pytest.mark.parametrize("module", [likeness, postings])
def test_every_weight_of_a_recipe_is_tried_here(module: ModuleType) -> None:
    weights = {name for name, value in vars(module).items() if name.isupper() and isinstance(value, float | Mapping)}
    assert weights <= {name for owner, name, _ in WEIGHTS if owner is module}
